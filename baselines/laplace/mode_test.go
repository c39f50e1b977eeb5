package laplace

import (
	"errors"
	"testing"

	"gonum.org/v1/gonum/optimize"
)

// Where the density rises at the start and falls from there on, by less than its
// rounding, no step is ever good enough: the search fails instead of going on. A
// second search has as many looks.
func TestLineSearchEnds(t *testing.T) {
	var l lineSearch
	for range 2 {
		l.Init(1, -1, 1)
		looks := 0
		var err error
		for err == nil && looks < 2*maxLooks {
			looks++
			_, _, err = l.Iterate(1, 1)
		}
		if !errors.Is(err, optimize.ErrLinesearcherFailure) || looks != maxLooks+1 {
			t.Errorf("error %v after %d looks", err, looks)
		}
	}
}
