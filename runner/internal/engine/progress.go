package engine

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// interval is the least time between two lines, of all experiments, but for the first and
// last of each.
const interval = 5 * time.Second

// Board is where the cells of several experiments are counted at the same time. The zero value
// has none.
type Board struct {
	mu   sync.Mutex // guards what is written, and:
	last time.Time  // of the last line
	many int        // experiments at work
}

// Progress counts the cells of an experiment that are done, those of earlier runs too, and writes lines such as
//
//	fig1_12: 12/60 cells, 3s, about 12s left
//
// The time that is left follows from the cells of this run. It is not told while several experiments are at work, as
// the cells of one of them wait for those of others. Its methods may not be called at the same time.
type Progress struct {
	w                  io.Writer
	name               string
	total, early, done int
	begin              time.Time
	board              *Board
}

// Start returns the progress of so many cells of an experiment, of which earlier runs have done some,
// written to w.
func (b *Board) Start(w io.Writer, name string, total, early int) *Progress {
	if total == early {
		w = io.Discard
	}
	p := &Progress{w, name, total, early, early, time.Now(), b}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.many++; b.many == 1 {
		b.last = p.begin
	}
	fmt.Fprintf(w, "%s: %d/%d cells\n", name, early, total)
	return p
}

// Done counts a cell.
func (p *Progress) Done() { p.At(p.done+1, "") }

// At tells that so many cells are done, and a note.
func (p *Progress) At(done int, note string) {
	p.board.mu.Lock()
	defer p.board.mu.Unlock()
	p.done = done
	now := time.Now()
	if done >= p.total || now.Sub(p.board.last) < interval {
		return
	}
	p.board.last = now
	if done > p.early && p.board.many == 1 {
		rest := float64(now.Sub(p.begin)) / float64(done-p.early) * float64(p.total-done)
		note = fmt.Sprintf(", about %v left", time.Duration(rest).Round(time.Second)) + note
	}
	p.tell(note)
}

// Stop ends it. Where not all cells are done, the error of the run tells of it.
func (p *Progress) Stop() {
	p.board.mu.Lock()
	defer p.board.mu.Unlock()
	p.board.many--
	if p.done == p.total {
		p.tell("")
	}
}

func (p *Progress) tell(rest string) {
	fmt.Fprintf(p.w, "%s: %d/%d cells, %v%s\n", p.name, p.done, p.total, time.Since(p.begin).Round(time.Second), rest)
}
