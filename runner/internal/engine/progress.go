package engine

import (
	"fmt"
	"io"
	"sync"
	"time"
)

const interval = 5 * time.Second

// progress counts the finished cells of all experiments, including those of earlier runs, and writes lines
// such as
//
//	12/60 cells, 3s, about 12s left
//
// The time left is estimated from the expected times of the cells.
type progress struct {
	w io.Writer

	mu           sync.Mutex
	total, cells int
	todo, did    float64 // expected seconds of all cells of this run, and of its finished cells
	begin, last  time.Time
}

func (p *progress) start(name string, total, missing int, expected float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.total == 0 {
		p.begin, p.last = time.Now(), time.Now()
	}
	p.total, p.cells, p.todo = p.total+total, p.cells+total-missing, p.todo+expected
	if missing > 0 {
		fmt.Fprintf(p.w, "%s: %d/%d cells\n", name, total-missing, total)
	}
}

func (p *progress) done(expected float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cells, p.did = p.cells+1, p.did+expected
	if p.cells < p.total && time.Since(p.last) < interval {
		return
	}
	took := time.Since(p.begin).Round(time.Second)
	left := time.Duration(float64(took) * max(p.todo-p.did, 0) / p.did).Round(time.Second)
	p.last = time.Now()
	fmt.Fprintf(p.w, "%d/%d cells, %v, about %v left\n", p.cells, p.total, took, left)
}
