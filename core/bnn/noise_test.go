package bnn

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"
)

// learned returns networks of every kind of layer, after some examples.
func learned(t *testing.T) map[string]*Network {
	t.Helper()
	out := map[string]*Network{}
	for name, cfg := range map[string]spec{
		"full":     {Output: ADF},
		"diagonal": {Output: ADF, Covariance: []Covariance{Diagonal}},
		"shared":   {Output: ADF, Covariance: []Covariance{Shared}},
	} {
		cfg.Layers, cfg.Bias, cfg.PriorVar, cfg.PriorMeanVar, cfg.Hidden = []int{2, 4, 3}, true, 3, 2, Smooth
		n := newNetwork(t, cfg)
		for k := range 5 {
			observe(t, n, []float64{float64(k) - 2, 1}, k%3)
		}
		out[name] = n
	}
	return out
}

// Every variance grows by the fraction of the prior variance, no covariance and no mean changes.
func TestProcessNoise(t *testing.T) {
	for name, n := range learned(t) {
		before := copied(t, n)
		if err := n.AddProcessNoise(0.25); err != nil {
			t.Fatal(err)
		}
		for l := range 2 {
			mean, cov := n.Weights(l)
			oldMean, oldCov := before.Weights(l)
			if !mat.Equal(mean, oldMean) {
				t.Errorf("%s: means of layer %d moved", name, l)
			}
			prior := 3 / float64([]int{3, 5}[l])
			for j := range cov {
				size := cov[j].SymmetricDim()
				for a := range size {
					for b := range size {
						want := oldCov[j].At(a, b)
						if a == b {
							want += 0.25 * prior
						}
						if got := cov[j].At(a, b); !(math.Abs(got-want) <= 1e-13) {
							t.Errorf("%s: layer %d, neuron %d, covariance %d, %d is %g; want %g", name, l, j, a, b, got, want)
						}
					}
				}
			}
		}
	}
}

// Adding to a certain network all of its prior variance is its prior.
func TestProcessNoiseCertain(t *testing.T) {
	n := learned(t)["full"]
	makeCertain(t, n, 1)
	if err := n.AddProcessNoise(1); err != nil {
		t.Fatal(err)
	}
	_, cov := n.Weights(1)
	for j := range cov {
		if got, want := cov[j], mat.NewDiagDense(5, []float64{0.6, 0.6, 0.6, 0.6, 0.6}); !mat.EqualApprox(got, want, 1e-15) {
			t.Errorf("covariance\n%v", mat.Formatted(got))
		}
	}
}

func TestProcessNoiseErrors(t *testing.T) {
	for name, n := range learned(t) {
		for _, fraction := range []float64{-0.1, 1.5, math.NaN(), math.Inf(1)} {
			if err := n.AddProcessNoise(fraction); err == nil {
				t.Errorf("%s: fraction %g is allowed", name, fraction)
			}
		}
	}
}
