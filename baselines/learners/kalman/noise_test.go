package kalman

import (
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
			check.OK(t, plain.Observe(x[k], class[k]))
			check.OK(t, noisy.Observe(x[k], class[k]))
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

// The filter that keeps the covariance itself is the one that keeps a root, and the
// one that keeps the inverse by as many columns as there are weights.
func TestRepresentationsAgree(t *testing.T) {
	agree := func(other Config, addNoise func(examples int, r walking)) {
		t.Helper()
		m, itself := newModel(other, 3, 4, 3), newModel(Config{}, 3, 4, 3)
		r := newWalking(itself.network.PriorVar(1), 0, 3)
		itself.belief = r
		x, class, _ := check.Clusters(100, 3, 3, "agree")
		for k := range x {
			want, got := check.Predict(t, m, 3, x[k]...), check.Predict(t, itself, 3, x[k]...)
			check.NearAll(t, "prediction", got, want, 1e-9)
			check.OK(t, m.Observe(x[k], class[k]))
			check.OK(t, itself.Observe(x[k], class[k]))
			addNoise(k+1, r)
		}
		wantMean, wantCov := m.Weights()
		mean, cov := itself.Weights()
		check.NearAll(t, "means", mean, wantMean, 1e-9)
		check.NearMatrix(t, "covariance", cov, wantCov, 1e-9)
	}
	agree(Config{}, func(int, walking) {})
	noisy := Config{Covariance: LowRank, Rank: 31, ProcessNoise: 0.02}
	agree(noisy, func(examples int, r walking) {
		for range noisePeriod {
			for i := 0; i < len(r.root) && examples%noisePeriod == 0; i++ {
				r.root[i] *= 1 - noisy.ProcessNoise
				if k := i / len(r.prior); i%len(r.prior) == k {
					r.root[i] += noisy.ProcessNoise * r.prior[k]
				}
			}
		}
	})
}

// With process noise a filter follows a stream whose labels flip.
func TestFollowsFlippedLabels(t *testing.T) {
	x, class, _ := check.Clusters(3500, 3, 2, "flip")
	wrong := func(cfg Config) (count int) {
		m := newModel(cfg, 3, 2)
		for k := range x {
			c := class[k]
			if k >= 3000 {
				c = 1 - c
			}
			if p := check.Predict(t, m, 2, x[k]...); k >= 3100 && p[c] < 0.5 {
				count++
			}
			if k%10 == 9 { // a wrong label
				c = 1 - c
			}
			check.OK(t, m.Observe(x[k], c))
		}
		return count
	}
	for _, kind := range kinds {
		without, with := wrong(Config{Covariance: kind}), wrong(Config{Covariance: kind, ProcessNoise: 0.01})
		if with > without/10 {
			t.Errorf("%v: %d of 400 wrong after the flip, without noise %d", kind, with, without)
		}
	}
}
