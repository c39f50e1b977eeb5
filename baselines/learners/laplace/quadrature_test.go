package laplace

import (
	"math"
	"testing"
)

// quadrature returns the probability of class 0 at an input: it integrates over prior weights of a
// problem with two classes on nodes where class 0 has the logit difference d(node, x).
func quadrature(weight []float64, d func(node int, x float64) float64, x [][]float64, class []int, at float64) float64 {
	var z, first float64
	sigmoid := func(d float64) float64 { return 1 / (1 + math.Exp(-d)) }
	for i, w := range weight {
		for k, example := range x {
			diff := d(i, example[0])
			if class[k] == 1 {
				diff = -diff
			}
			w *= sigmoid(diff)
		}
		s := sigmoid(d(i, at))
		z += w
		first += w * s
	}
	return first / z
}

// normal returns nodes and weights of a trapezoidal rule under N(m, v).
func normal(m, v float64, n int) (node, weight []float64) {
	h := 17.0 / float64(n)
	for i := range n + 1 {
		x := -8.5 + h*float64(i)
		node = append(node, m+math.Sqrt(v)*x)
		weight = append(weight, h*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi))
	}
	return node, weight
}

// Many seeds against quadrature: errors must be of the size that is reported.
func TestAgainstQuadrature(t *testing.T) {
	x := [][]float64{{1.5}, {-0.7}, {2}, {0.3}, {-2.5}}
	class := []int{0, 1, 0, 1, 0}
	p := problem(t, Prior{Layers: []int{1, 2}, Mean: []float64{0.5, -0.25}, Var: []float64{1.5, 0.5}}, x, class)
	diff, weight := normal(0.75, 2, 2000) // of the two weights
	want := func(at float64) float64 {
		return quadrature(weight, func(node int, x float64) float64 { return diff[node] * x }, x, class, at)
	}
	var chi, terms float64
	for seed := range 25 {
		s := sample(t, Importance{Draws: 1000}, p, "quadrature", seed)
		for _, at := range []float64{-1, 0.2, 3} {
			p, stderr := predictSample(t, s, []float64{at})
			z := (p[0] - want(at)) / stderr[0]
			if !(math.Abs(z) < 5) {
				t.Errorf("seed %d, at %g: %g ± %g, want %g", seed, at, p[0], stderr[0], want(at))
			}
			chi += z * z
			terms++
		}
	}
	if mean := chi / terms; !(mean > 0.5 && mean < 1.7) {
		t.Errorf("mean squared z-score %.2f; want about 1", mean)
	}
}
