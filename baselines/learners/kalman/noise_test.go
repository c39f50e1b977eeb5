package kalman

import (
	"errors"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	check "closedform/internal/checktest"
)

// Process noise closes the share of the gap to the covariance of the prior that it
// says, and leaves the means.
func TestProcessNoiseClosesTheGap(t *testing.T) {
	const q = 0.03
	for _, kind := range kinds {
		examples := noisePeriod
		if kind == Full {
			examples = 1
		}
		plain := newModel(Config{Covariance: kind}, 3, 4, 3)
		noisy := newModel(Config{Covariance: kind, ProcessNoise: q}, 3, 4, 3)
		_, prior := plain.Weights()
		x, class, _ := check.Clusters(examples, 3, 3, "gap")
		for k := range x {
			check.OK(t, errors.Join(plain.Observe(x[k], class[k]), noisy.Observe(x[k], class[k])))
		}
		mean, before := plain.Weights()
		moved, after := noisy.Weights()
		check.NearAll(t, string(kind)+": means", moved, mean, 1e-12)
		keep := math.Pow(1-q, float64(examples))
		var want, rest mat.Dense
		want.Scale(keep, before)
		rest.Scale(1-keep, prior)
		want.Add(&want, &rest)
		check.NearMatrix(t, string(kind), after, &want, 1e-12)
		if r, ok := noisy.belief.(*lowRank); ok {
			for k, w := range noisy.columns() {
				for l, u := range noisy.columns()[:k+1] {
					check.Near(t, "product of columns", r.gram[k*r.size+l], floats.Dot(w, u), 1e-12)
				}
			}
		}
	}
}

// With the least process noise a filter predicts as without: also the one that keeps the covariance itself, not
// a root of it.
func TestLeastNoise(t *testing.T) {
	for _, kind := range kinds {
		plain := newModel(Config{Covariance: kind}, 3, 4, 3)
		noisy := newModel(Config{Covariance: kind, ProcessNoise: 1e-9}, 3, 4, 3)
		x, class, _ := check.Clusters(100, 3, 3, "agree")
		for k := range x {
			want, got := check.Predict(t, plain, 3, x[k]...), check.Predict(t, noisy, 3, x[k]...)
			check.NearAll(t, string(kind), got, want, 1e-6)
			check.OK(t, errors.Join(plain.Observe(x[k], class[k]), noisy.Observe(x[k], class[k])))
		}
	}
}
