package engine

import (
	"fmt"
	"io"
	"sync"
	"time"
)

// interval is the least time between two lines.
const interval = 5 * time.Second

// Progress counts the cells of all experiments of a run that are done, those of earlier runs too, and writes lines such as
//
//	12/60 cells, 3s, about 12s left
//
// The time left is estimated from the cells of this run. Progress is safe for concurrent use.
type Progress struct {
	W io.Writer

	mu                 sync.Mutex
	total, early, done int
	begin, last        time.Time
}

// Start adds an experiment of so many cells, of which earlier runs have done some.
func (p *Progress) Start(name string, total, early int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begin.IsZero() {
		p.begin = time.Now()
		p.last = p.begin
	}
	p.total, p.early, p.done = p.total+total, p.early+early, p.done+early
	if early < total {
		fmt.Fprintf(p.W, "%s: %d/%d cells\n", name, early, total)
	}
}

// Done counts a cell.
func (p *Progress) Done() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	now := time.Now()
	if p.done < p.total && now.Sub(p.last) < interval {
		return
	}
	p.last = now
	took := now.Sub(p.begin)
	left := took / time.Duration(p.done-p.early) * time.Duration(p.total-p.done)
	fmt.Fprintf(p.W, "%d/%d cells, %v, about %v left\n", p.done, p.total, took.Round(time.Second), left.Round(time.Second))
}
