package random

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// Committed results were drawn by math/rand/v2 and gonum: the same numbers must come.
func TestDrawsAreThoseOfOthers(t *testing.T) {
	ours, theirs := rand.New(Source("draws")), rand.New(Source("draws"))
	chi := distuv.ChiSquared{K: 10, Src: theirs}
	far := 0
	for i := range 2_000_000 {
		got, want := Normal(ours), theirs.NormFloat64()
		if i%10 == 0 {
			got, want = ChiSquared(ours, 10), chi.Rand()
		}
		if math.Abs(got) > 3.5 && i%10 != 0 {
			far++
		}
		if got != want && (math.Abs(got) < tailFrom || !(math.Abs(got-want) < 2e-15*math.Abs(want))) {
			t.Fatalf("draw %d: %v, want %v", i, got, want)
		}
	}
	if far < 500 {
		t.Errorf("%d of the draws are in the tail", far)
	}
}

// -2³¹ is the int32 whose absolute value is none.
func TestNormalOfTheLargestInteger(t *testing.T) {
	for strip := range uint64(strips) {
		first := strip<<32 | 1<<31
		if got, want := Normal(rand.New(&fixed{first: first})), rand.New(&fixed{first: first}).NormFloat64(); got != want {
			t.Errorf("strip %d: %v, want %v", strip, got, want)
		}
	}
}

// fixed starts with one number and goes on with those of a generator.
type fixed struct {
	first uint64
	rest  *rand.PCG
}

func (f *fixed) Uint64() uint64 {
	if f.rest == nil {
		f.rest = rand.NewPCG(1, 2)
		return f.first
	}
	return f.rest.Uint64()
}
