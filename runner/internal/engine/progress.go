package engine

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const interval = 5 * time.Second

// Progress counts the finished cells of all experiments, those of earlier runs too, and writes lines such as
//
//	12/60 cells, 3s, about 12s left
//
// The time left follows from the expected times of the cells. Progress is safe for concurrent use.
type Progress struct {
	W io.Writer

	mu          sync.Mutex
	total, done int
	todo, did   float64 // expected seconds of the cells of this run, and of those that are done
	begin, last time.Time
}

// Start adds an experiment of total cells; the missing ones are expected to take these seconds.
func (p *Progress) Start(name string, total int, missing []float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.total == 0 {
		p.begin, p.last = time.Now(), time.Now()
	}
	early := total - len(missing)
	p.total, p.done = p.total+total, p.done+early
	for _, seconds := range missing {
		p.todo += seconds
	}
	if len(missing) > 0 {
		fmt.Fprintf(p.W, "%s: %d/%d cells\n", name, early, total)
	}
}

// Done counts a cell that was expected to take these seconds.
func (p *Progress) Done(seconds float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done, p.did = p.done+1, p.did+seconds
	if p.done < p.total && time.Since(p.last) < interval {
		return
	}
	took := time.Since(p.begin).Round(time.Second)
	left := time.Duration(float64(took) * max(p.todo-p.did, 0) / p.did).Round(time.Second)
	p.last = time.Now()
	fmt.Fprintf(p.W, "%d/%d cells, %v, about %v left\n", p.done, p.total, took, left)
}
