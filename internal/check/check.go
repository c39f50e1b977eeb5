// Package check has what the tests of several packages need: comparisons that
// NaN never passes, panics, and counts of allocations.
package check

import (
	"fmt"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
)

// Near fails unless got is within tol of want, absolutely or relatively.
func Near(t testing.TB, what string, got, want, tol float64) {
	t.Helper()
	if !scalar.EqualWithinAbsOrRel(got, want, tol, tol) {
		t.Errorf("%s = %.15g, want %.15g ± %.1g", what, got, want, tol)
	}
}

// NearAll fails unless the slices have the same length and each number of got
// is near that of want.
func NearAll(t testing.TB, what string, got, want []float64, tol float64) {
	t.Helper()
	if len(got) != len(want) {
		t.Errorf("%s: %d numbers, want %d", what, len(got), len(want))
		return
	}
	for i := range got {
		Near(t, fmt.Sprintf("%s[%d]", what, i), got[i], want[i], tol)
	}
}

// Panics fails unless f panics with a message that begins with the prefix, the
// package's name, and contains the words.
func Panics(t testing.TB, prefix, words string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		switch r := recover(); {
		case r == nil:
			t.Errorf("no panic, want one of %s%s", prefix, words)
		case !strings.HasPrefix(fmt.Sprint(r), prefix) || !strings.Contains(fmt.Sprint(r), words):
			t.Errorf("panic %q, want one of %s with %q", r, prefix, words)
		}
	}()
	f()
}

// NoAllocs fails if f, called for the second time and later, allocates. With the
// race detector, under which a sync.Pool forgets at random, it only calls f.
func NoAllocs(t testing.TB, what string, f func()) {
	t.Helper()
	f()
	if n := testing.AllocsPerRun(20, f); n > 0 && !race {
		t.Errorf("%s: %g allocations", what, n)
	}
}
