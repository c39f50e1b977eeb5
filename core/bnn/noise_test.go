package bnn

import (
	"fmt"
	"math"
	"testing"

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
			mean, cov := before.Weights(l)
			got, _ := n.Weights(l)
			check.NearMatrix(t, "means", got, mean, 0)
			checkLayer(t, name, n, l, mean, addIdentity(cov, 1, 0.25*3/float64([]int{3, 5}[l])), 1e-13)
		}
	}
}

// Adding to a certain network all of its prior variance is its prior.
func TestProcessNoiseCertain(t *testing.T) {
	n := learned()["full"]
	makeCertain(t, n, 1)
	check.OK(t, n.AddProcessNoise(1))
	mean, cov := n.Weights(1)
	checkLayer(t, "certain", n, 1, mean, addIdentity(cov, 0, 0.6), 1e-15)
}

func TestProcessNoiseErrors(t *testing.T) {
	for name, n := range learned() {
		for _, fraction := range []float64{-0.1, 1.5, math.NaN(), math.Inf(1)} {
			check.Refuses(t, fmt.Sprint(name, fraction), n.AddProcessNoise(fraction))
		}
	}
}
