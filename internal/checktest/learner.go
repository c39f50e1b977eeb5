package checktest

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/internal/field"
	"closedform/internal/kernel"
)

// Clusters draws n examples of a Gaussian cluster for each class, whose centres are about as far from each
// other as they are wide. truth[k] is the probability that the distribution itself gives class[k] at x[k]: no
// learner is better on average.
func Clusters(n, inputs, classes int, path ...any) (x [][]float64, class []int, truth []float64) {
	rnd := rand.New(random.Source(append(path, "clusters")...))
	centre := make([][]float64, classes)
	for c := range centre {
		for range inputs {
			centre[c] = append(centre[c], 1.5*random.Normal(rnd))
		}
	}
	z := make([]float64, classes)
	for range n {
		c := rnd.IntN(classes)
		at := make([]float64, inputs)
		for a := range at {
			at[a] = centre[c][a] + random.Normal(rnd)
		}
		for j := range z {
			d := floats.Distance(at, centre[j], 2)
			z[j] = -d * d / 2
		}
		x, class = append(x, at), append(class, c)
		truth = append(truth, kernel.Exp(z[c]-floats.LogSumExp(z)))
	}
	return x, class, truth
}

// Predictor is a model that can be asked for the probabilities of the classes.
type Predictor interface{ Predict(p, x []float64) error }

// Observer is a model that learns one example after another.
type Observer interface {
	Predictor
	Observe(x []float64, class int) error
}

// Predict returns the probabilities of n classes at x, which must be probabilities.
func Predict(t testing.TB, m Predictor, n int, x ...float64) []float64 {
	t.Helper()
	p := make([]float64, n)
	OK(t, m.Predict(p, x))
	if sum := kernel.Sum(p); !(math.Abs(sum-1) < 1e-12) || !(floats.Min(p) >= 0) {
		t.Fatalf("probabilities %v with the sum %g", p, sum)
	}
	return p
}

// Learner tests what every learner of a classifier keeps to, with two inputs and three classes: its log loss
// is within margin of the best, whatever the names of the classes; equal sources make equal models; a
// prediction repeats itself to the bit without allocating; bad data are errors, wrong lengths panic.
func Learner(
	t *testing.T, margin float64, fit func(x [][]float64, class []int, src rand.Source) (Predictor, error),
) {
	t.Helper()
	const n, train = 3, 300
	must := func(x [][]float64, class []int) Predictor { return Must(fit(x, class, random.Source("learner"))) }
	x, class, truth := Clusters(800, 2, n, "learner")
	for _, names := range [][]int{{0, 1, 2}, {2, 0, 1}} {
		named := make([]int, len(class))
		for k, c := range class {
			named[k] = names[c]
		}
		m, again := must(x[:train], named[:train]), must(x[:train], named[:train])
		var excess float64
		for k := train; k < len(x); k++ {
			p := Predict(t, m, n, x[k]...)
			excess += kernel.Log(truth[k]/p[named[k]]) / float64(len(x)-train)
			if q := Predict(t, again, n, x[k]...); !slices.Equal(p, q) {
				t.Fatalf("%v and %v from equal sources", p, q)
			}
		}
		if !(excess < margin) {
			t.Errorf("classes named %v: log loss %.3f above the best", names, excess)
		}
	}
	m, p := must(x[:train], class[:train]), make([]float64, n)
	first := Predict(t, m, n, x[0]...)
	Predict(t, m, n, 3, -1)
	if again := Predict(t, m, n, x[0]...); !slices.Equal(first, again) {
		t.Errorf("%v, again %v", first, again)
	}
	NoAllocs(t, "Predict", func() { _ = m.Predict(p, x[0]) })
	Predict(t, must(x[:1], class[:1]), n, 1, 1)
	for want, bad := range map[string][]float64{
		"input 1 is NaN": {0, math.NaN()}, "input 0 is -Inf": {math.Inf(-1), 0},
	} {
		Refuses(t, want, Err(fit([][]float64{{1, 1}, bad}, []int{0, 0}, random.Source("bad"))), want)
		Refuses(t, want, m.Predict(p, bad), want)
	}
	for _, bad := range []int{3, -1} {
		err := Err(fit([][]float64{{1, 1}, {0, 0}}, []int{0, bad}, random.Source("bad")))
		Refuses(t, "class", err, fmt.Sprint("class ", bad))
	}
	Panics(t, "", "", func() { _ = m.Predict(make([]float64, 2), x[0]) })
	Refuses(t, "input of a wrong length", m.Predict(p, []float64{1}))
	ragged := [][]float64{{1, 2}, {1, 2, 3}}
	Refuses(t, "example of a wrong length", Err(fit(ragged, []int{0, 1}, random.Source("bad"))))
}

// Online tests what learns one example after another as [Learner] does, and that a step allocates nothing.
func Online[L Observer](t *testing.T, margin float64, make func(src rand.Source) (L, error)) {
	t.Helper()
	Learner(t, margin, func(x [][]float64, class []int, src rand.Source) (Predictor, error) {
		m, err := make(src)
		for k := 0; k < len(x) && err == nil; k++ {
			err = m.Observe(x[k], class[k])
		}
		return m, err
	})
	m, x := Must(make(random.Source("online"))), []float64{1, -2}
	NoAllocs(t, "Observe", func() { _ = m.Observe(x, 1) })
}

// Extremes tests that a learner of two inputs and three classes answers examples of a size with probabilities
// or with an error, which leaves its weights as they were, and that all weights stay finite.
func Extremes(t *testing.T, what string, m Observer, size float64, weights func() []float64) {
	t.Helper()
	for k := range 12 {
		x, before := []float64{size * float64(k%3-1), size}, slices.Clone(weights())
		if err := m.Observe(x, k%3); err != nil && !slices.Equal(before, weights()) {
			t.Errorf("%s: weights changed with error %v", what, err)
		}
		if largest := floats.Norm(weights(), math.Inf(1)); math.IsNaN(largest) || math.IsInf(largest, 0) {
			t.Fatalf("%s: weights %v", what, weights())
		}
		p := make([]float64, 3)
		if err := m.Predict(p, x); err == nil {
			Near(t, what+": sum", floats.Sum(p), 1, 1e-12)
		}
	}
}

// Keys tests that a zero configuration is valid, and that the error of each of the others has its key.
func Keys[C any](t testing.TB, wrong map[string]C) {
	t.Helper()
	var zero C
	if err := field.Resolve(&zero); err != nil {
		t.Errorf("the zero value: %v", err)
	}
	for key, cfg := range wrong {
		var e *field.Error
		if err := field.Resolve(&cfg); !errors.As(err, &e) || e.Key != key {
			t.Errorf("%s: error %v", key, err)
		}
	}
}
