package bnn

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/internal/check"
)

// learned returns networks of every kind of layer, after some examples.
func learned() map[string]*Network {
	out := map[string]*Network{}
	for name, cfg := range map[string]spec{
		"full":     {Output: ADF},
		"diagonal": {Output: ADF, Covariance: []Covariance{Diagonal}},
		"shared":   {Output: ADF, Covariance: []Covariance{Shared}},
	} {
		cfg.Layers, cfg.Bias, cfg.PriorVar, cfg.PriorMeanVar, cfg.Hidden = []int{2, 4, 3}, true, 3, 2, Smooth
		n := newNetwork(cfg)
		for k := range 5 {
			observe(n, []float64{float64(k) - 2, 1}, k%3)
		}
		out[name] = n
	}
	return out
}

// Every variance grows by the fraction of the prior variance, no covariance and no mean changes.
func TestProcessNoise(t *testing.T) {
	for name, n := range learned() {
		before := copied(n)
		check.OK(t, n.AddProcessNoise(0.25))
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
	n := learned()["full"]
	makeCertain(t, n, 1)
	check.OK(t, n.AddProcessNoise(1))
	_, cov := n.Weights(1)
	for j := range cov {
		if got, want := cov[j], mat.NewDiagDense(5, []float64{0.6, 0.6, 0.6, 0.6, 0.6}); !mat.EqualApprox(got, want, 1e-15) {
			t.Errorf("covariance\n%v", mat.Formatted(got))
		}
	}
}

func TestProcessNoiseErrors(t *testing.T) {
	for name, n := range learned() {
		for _, fraction := range []float64{-0.1, 1.5, math.NaN(), math.Inf(1)} {
			check.Refuses(t, fmt.Sprint(name, fraction), n.AddProcessNoise(fraction))
		}
	}
}
