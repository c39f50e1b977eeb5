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

// Board counts the cells of several experiments that run at the same time. The zero value
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
// The time left is estimated from the cells of this run. It is not shown while several experiments are running, since
// the cells of one wait for those of others. Progress is not safe for concurrent use.
type Progress struct {
	w                  io.Writer
	name               string
	total, early, done int
	begin              time.Time
	board              *Board
}

// Start returns the progress of an experiment of so many cells, of which earlier runs have done some.
// It writes to w.
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

// At sets the number of finished cells, with a note.
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

// Stop ends the progress.
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
