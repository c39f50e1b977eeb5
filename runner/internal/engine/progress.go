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

// Progress counts the cells that are done, and tells of them in lines such as
//
//	fig1_12: 12/60 cells, 3s, about 12s left
//
// While several experiments are at work nothing tells the time that one of them has left: its
// cells wait for those of others. Those of earlier runs count as done, and for nothing in the time that is left. Cells may be counted
// from several goroutines.
type Progress struct {
	w     io.Writer
	name  string
	total int
	early int // done in earlier runs
	now   func() time.Time
	begin time.Time
	board *Board
	done  int // with those of earlier runs
}

// Start returns the progress of so many cells of an experiment, of which some were done early, in earlier
// runs, written to w.
func (b *Board) Start(w io.Writer, name string, total, early int) *Progress {
	return b.start(w, name, total, early, time.Now)
}

func (b *Board) start(w io.Writer, name string, total, early int, now func() time.Time) *Progress {
	if total == early {
		w = io.Discard
	}
	p := &Progress{w: w, name: name, total: total, early: early, done: early, now: now, begin: now(), board: b}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.many++; b.many == 1 {
		b.last = p.begin
	}
	fmt.Fprintf(w, "%s: %d/%d cells\n", name, early, total)
	return p
}

// Done counts a cell.
func (p *Progress) Done() {
	p.board.mu.Lock()
	defer p.board.mu.Unlock()
	p.at(p.done+1, "")
}

// At tells that so many cells are there, and a note.
func (p *Progress) At(done int, note string) {
	p.board.mu.Lock()
	defer p.board.mu.Unlock()
	p.at(done, note)
}

// at tells the time that the rest takes as if it goes on as it went so far in this run.
func (p *Progress) at(done int, note string) {
	p.done = done
	if now := p.now(); p.done < p.total && now.Sub(p.board.last) >= interval {
		p.board.last = now
		if p.done > p.early && p.board.many == 1 {
			rest := float64(now.Sub(p.begin)) / float64(p.done-p.early) * float64(p.total-p.done)
			note = fmt.Sprintf(", about %v left", time.Duration(rest).Round(time.Second)) + note
		}
		p.tell(note)
	}
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
	spent := p.now().Sub(p.begin).Round(time.Second)
	fmt.Fprintf(p.w, "%s: %d/%d cells, %v%s\n", p.name, p.done, p.total, spent, rest)
}
