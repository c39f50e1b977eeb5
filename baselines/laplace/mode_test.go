package laplace

import (
	"errors"
	"testing"

	"gonum.org/v1/gonum/optimize"
)

// Where the function falls at the start, and rises from the next number on, by less
// than its rounding, no step is ever good enough: the search fails instead of going
// on. A second search has as many looks.
func TestLineSearchEnds(t *testing.T) {
	var l lineSearch
	for range 2 {
		l.Init(1, -1, 1)
		looks, step := 0, 1.
		var err error
		for err == nil && looks < 2*maxLooks {
			slope := 1.
			if step == 0 {
				slope = -1
			}
			looks++
			_, step, err = l.Iterate(1, slope)
		}
		if !errors.Is(err, optimize.ErrLinesearcherFailure) || looks != maxLooks+1 {
			t.Errorf("error %v after %d looks", err, looks)
		}
	}
}
