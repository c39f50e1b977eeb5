package engine

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"sync"
	"time"
)

// interval is the least time between two lines.
const interval = 5 * time.Second

// Progress counts the cells of all experiments of a run that are done, those of earlier runs too, and
// writes lines such as
//
//	12/60 cells, 3s, about 12s left
//
// The time left is the time that the run took so far, times the expected seconds of the cells that are
// left, over those of the cells that it computed. Progress is safe for concurrent use.
type Progress struct {
	W io.Writer

	mu             sync.Mutex
	total, done    int
	left, computed load // of this run
	begin, last    time.Time
}

// load is what some cells are expected to take.
type load struct {
	seconds        float64 // of the cells with a recorded time
	known, unknown int     // cells with a recorded time and without
}

// add counts n more cells, or fewer, that take so long each, infinity if that is unknown.
func (l *load) add(seconds float64, n int) {
	if math.IsInf(seconds, 1) {
		l.unknown += n
	} else {
		l.seconds, l.known = l.seconds+float64(n)*seconds, l.known+n
	}
}

// total returns the seconds of all cells, where cells without a recorded time take the mean.
func (l *load) total(mean float64) float64 { return l.seconds + float64(l.unknown)*mean }

// Start adds an experiment of so many cells. Those that are not done have these expected seconds.
func (p *Progress) Start(name string, cells int, expected []float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.begin.IsZero() {
		p.begin = time.Now()
		p.last = p.begin
	}
	done := cells - len(expected)
	p.total, p.done = p.total+cells, p.done+done
	for _, seconds := range expected {
		p.left.add(seconds, 1)
	}
	if done < cells {
		fmt.Fprintf(p.W, "%s: %d/%d cells\n", name, done, cells)
	}
}

// Done counts a cell, whose expected seconds are given.
func (p *Progress) Done(expected float64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	p.left.add(expected, -1)
	p.computed.add(expected, 1)
	now := time.Now()
	if p.done < p.total && now.Sub(p.last) < interval {
		return
	}
	p.last = now
	took, mean := now.Sub(p.begin), 1.0
	if known := p.left.known + p.computed.known; known > 0 {
		mean = cmp.Or((p.left.seconds+p.computed.seconds)/float64(known), 1)
	}
	ratio := max(0, p.left.total(mean)) / max(p.computed.total(mean), math.SmallestNonzeroFloat64)
	left := time.Duration(ratio * float64(took))
	fmt.Fprintf(p.W, "%d/%d cells, %v, about %v left\n",
		p.done, p.total, took.Round(time.Second), left.Round(time.Second))
}
