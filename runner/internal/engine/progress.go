package engine

import (
	"fmt"
	"io"
	"os"
	"slices"
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
	i := slices.Index(modes, string(text))
	if i < 0 {
		return fmt.Errorf("need %s", strings.Join(modes, ", "))
	}
	*m = Mode(i)
	return nil
}

// interval is the least time between two plain lines, but for the last.
const interval = 5 * time.Second

// Progress counts the cells that are done, and tells of them in lines such as
//
//	fig1_12: 12/60 cells, 3s, about 12s left
//
// or in one live line of a terminal, behind a bar. Its methods may be called from
// several goroutines.
type Progress struct {
	w     io.Writer
	name  string
	total int
	live  bool
	now   func() time.Time
	begin time.Time
	end   chan struct{} // of a live line's ticking
	ticks sync.WaitGroup

	mu   sync.Mutex // guards what is written, and:
	last time.Time  // of the last line
	done int
}

// Start returns the progress of so many cells of an experiment, written to w.
func Start(mode Mode, w io.Writer, name string, total int) *Progress {
	if mode == Off || total == 0 {
		w = io.Discard
	}
	f, ok := w.(*os.File)
	live := mode == Auto && ok && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb"
	return start(&Progress{w: w, name: name, total: total, live: live, now: time.Now})
}

func start(p *Progress) *Progress {
	p.begin, p.last, p.end = p.now(), p.now(), make(chan struct{})
	p.tell("")
	if p.live {
		p.ticks.Go(p.tick)
	}
	return p
}

// tick tells the time while no cell ends.
func (p *Progress) tick() {
	t := time.NewTicker(time.Second)
	defer t.Stop()
	for {
		select {
		case <-p.end:
			return
		case <-t.C:
			p.mu.Lock()
			p.tell(p.left())
			p.mu.Unlock()
		}
	}
}

// Done counts a cell.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if now := p.now(); p.live || p.done < p.total && now.Sub(p.last) >= interval {
		p.last = now
		p.tell(p.left())
	}
}

// Stop ends it, whether or not all cells are done.
func (p *Progress) Stop() {
	close(p.end)
	p.ticks.Wait()
	rest := ", " + p.spent().Round(time.Second).String()
	if p.done < p.total {
		rest += ", stopped"
	}
	p.tell(rest)
	if p.live {
		fmt.Fprintln(p.w) // whatever is written next begins a line
	}
}

func (p *Progress) spent() time.Duration { return p.now().Sub(p.begin) }

// left returns the time spent, and that which the rest takes if it goes on as it
// went so far.
func (p *Progress) left() string {
	text := ", " + p.spent().Round(time.Second).String()
	if p.done > 0 && p.done < p.total {
		rest := float64(p.spent()) / float64(p.done) * float64(p.total-p.done)
		text += fmt.Sprintf(", about %v left", time.Duration(rest).Round(time.Second))
	}
	return text
}

func (p *Progress) tell(rest string) {
	text := fmt.Sprintf("%s: %d/%d cells%s", p.name, p.done, p.total, rest)
	if !p.live {
		fmt.Fprintln(p.w, text)
		return
	}
	const width = 30
	full := width * p.done / p.total
	// The last code erases what a longer line before it left.
	fmt.Fprintf(p.w, "\r[%s%s] %s\x1b[K", strings.Repeat("=", full), strings.Repeat(" ", width-full), text)
}
