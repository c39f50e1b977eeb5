package engine

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
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

var modes = []string{"auto", "plain", "off"}

// MarshalText returns the word of the mode.
func (m Mode) MarshalText() ([]byte, error) { return []byte(modes[m]), nil }

// UnmarshalText reads the word of a mode.
func (m *Mode) UnmarshalText(text []byte) error {
	for i, word := range modes {
		if string(text) == word {
			*m = Mode(i)
			return nil
		}
	}
	return fmt.Errorf("need %s", strings.Join(modes, ", "))
}

// interval is the least time between two plain lines, but for the last.
const interval = 5 * time.Second

// Progress counts cells that are done, and tells of them as
//
//	fig1_12: 12/60 cells, 3s, about 12s left
//
// in lines, or live in a line of a terminal, behind a bar. Its methods may be
// called from several goroutines.
type Progress struct {
	w     io.Writer // nil: tells nothing
	name  string
	live  bool
	now   func() time.Time
	total int
	stop  func() // ends the ticking of a live line

	mu    sync.Mutex
	start time.Time
	last  time.Time // of the last line
	done  int
}

// Start returns the progress of so many cells of an experiment, written to w.
func Start(mode Mode, w io.Writer, name string, total int) *Progress {
	p := &Progress{w: w, name: name, now: time.Now, total: total, live: mode == Auto && isTerminal(w)}
	if mode == Off || total == 0 {
		p.w = nil
	}
	p.begin()
	return p
}

// isTerminal reports whether w is a terminal on which a line can be redrawn.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
}

func (p *Progress) begin() {
	p.start = p.now()
	p.last = p.start
	p.stop = func() {}
	p.tell("")
	if !p.live || p.w == nil {
		return
	}
	// The line goes on telling the time while no cell ends.
	ticker, end := time.NewTicker(time.Second), make(chan struct{})
	var ticking sync.WaitGroup
	ticking.Go(func() {
		for {
			select {
			case <-ticker.C:
				p.mu.Lock()
				p.tell("")
				p.mu.Unlock()
			case <-end:
				ticker.Stop()
				return
			}
		}
	})
	p.stop = func() { close(end); ticking.Wait() }
}

// Done counts a cell.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if now := p.now(); p.live || p.done < p.total && now.Sub(p.last) >= interval {
		p.last = now
		p.tell("")
	}
}

// Stop ends it, whether or not all cells are done.
func (p *Progress) Stop() {
	p.stop()
	end := "\n"
	if p.done < p.total {
		end = ", stopped\n"
	}
	p.tell(end)
}

// tell writes the line; the last one has an end.
func (p *Progress) tell(end string) {
	if p.w == nil {
		return
	}
	spent := p.now().Sub(p.start)
	text := fmt.Sprintf("%s: %d/%d cells", p.name, p.done, p.total)
	if p.done > 0 || end != "" || p.live {
		text += ", " + seconds(spent)
	}
	if p.done > 0 && p.done < p.total && end == "" {
		text += fmt.Sprintf(", about %s left", seconds(time.Duration(float64(spent)/float64(p.done)*float64(p.total-p.done))))
	}
	switch {
	case p.live:
		const width = 30
		full := width * p.done / p.total
		// \x1b[K erases what a longer line before it left.
		fmt.Fprintf(p.w, "\r[%s%s] %s%s\x1b[K%s", strings.Repeat("=", full), strings.Repeat(" ", width-full),
			text, strings.TrimSuffix(end, "\n"), strings.TrimPrefix(end, strings.TrimSuffix(end, "\n")))
	case end == "":
		fmt.Fprintln(p.w, text)
	default:
		fmt.Fprint(p.w, text+end)
	}
}

func seconds(d time.Duration) string { return d.Round(time.Second).String() }
