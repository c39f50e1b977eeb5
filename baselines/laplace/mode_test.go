package laplace

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/optimize"
)

// On both sides of a kink |s − ⅓| the slope is that at the start, so that no step
// is ever good enough: the search fails instead of going on for ever. A second
// search has as many looks.
func TestLineSearchEnds(t *testing.T) {
	var l lineSearch
	for range 2 {
		l.Init(1./3, -1, 1)
		s, looks := 1., 0
		for {
			looks++
			_, step, err := l.Iterate(math.Abs(s-1./3), math.Copysign(1, s-1./3))
			if err != nil {
				if !errors.Is(err, optimize.ErrLinesearcherFailure) || looks != maxLooks+1 {
					t.Errorf("error %v after %d looks", err, looks)
				}
				break
			}
			if looks > maxLooks {
				t.Fatal("the search goes on")
			}
			s = step
		}
	}
}
