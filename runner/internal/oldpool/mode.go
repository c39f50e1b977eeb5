package pool

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// Mode is how progress is shown.
type Mode int

const (
	Auto  Mode = iota // a live bar on a terminal, plain lines elsewhere
	Plain             // a line every few seconds
	Off               // nothing
)

// ParseMode returns the mode of that name: auto, plain or off.
func ParseMode(name string) (Mode, error) {
	switch name {
	case "auto":
		return Auto, nil
	case "plain":
		return Plain, nil
	case "off":
		return Off, nil
	}
	return 0, fmt.Errorf("progress %q: want auto, plain or off", name)
}

// NewProgress returns a Progress that writes to w, under the name of the
// experiment.
func NewProgress(mode Mode, w io.Writer, name string) Progress {
	switch {
	case mode == Off:
		return silent{}
	case mode == Auto && isTerminal(w):
		return newBar(w, name, time.Now)
	}
	return newPlain(w, name, time.Now)
}

// isTerminal reports whether w is a terminal on which a line can be redrawn.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

// silent shows nothing.
type silent struct{}

func (silent) Start(int) {}
func (silent) Done()     {}
func (silent) Stop()     {}
