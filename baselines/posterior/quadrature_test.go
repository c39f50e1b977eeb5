package posterior

import (
	"math"
	"testing"

	"closedform/core/softmax"
)

// truth is what quadrature says about one problem at one input.
type truth struct {
	logEvidence, p, variance float64 // of class 0
}

// quadrature integrates over prior weights of a problem with two classes on
// nodes where class 0 has the logit difference d(node, x).
func quadrature(weight []float64, d func(node int, x float64) float64, x [][]float64, class []int, at float64) truth {
	var z, first, second float64
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
		second += w * s * s
	}
	return truth{math.Log(z), first / z, second/z - first/z*first/z}
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
	p := problem(t, Model{Layers: []int{1, 2}, PriorMean: []float64{0.5, -0.25}, PriorVar: []float64{1.5, 0.5}}, x, class)
	diff, weight := normal(0.75, 2, 2000) // of the two weights
	want := func(at float64) truth {
		return quadrature(weight, func(node int, x float64) float64 { return diff[node] * x }, x, class, at)
	}
	var chi, terms float64
	for seed := range 25 {
		s := sample(t, Importance{Draws: 1000}, p, "quadrature", seed)
		if z := (s.LogEvidence - want(0).logEvidence) / s.LogEvidenceErr; !(math.Abs(z) < 5) {
			t.Errorf("log evidence %g ± %g, want %g", s.LogEvidence, s.LogEvidenceErr, want(0).logEvidence)
		}
		for _, at := range []float64{-1, 0.2, 3} {
			want, got := want(at), predict(t, s, []float64{at})
			z := (got.P[0] - want.p) / got.Err[0]
			if !(math.Abs(z) < 5) {
				t.Errorf("seed %d, at %g: %g ± %g, want %g", seed, at, got.P[0], got.Err[0], want.p)
			}
			chi += z * z
			terms++
			if v := got.Cov.At(0, 0); !(math.Abs(v/want.variance-1) < 0.3) {
				t.Errorf("seed %d, at %g: variance %g, want %g", seed, at, v, want.variance)
			}
		}
	}
	if mean := chi / terms; !(mean > 0.5 && mean < 1.7) {
		t.Errorf("mean squared z-score %.2f; want about 1", mean)
	}
}

// Without data the logits are independent normals.
func TestPriorPredictive(t *testing.T) {
	m := Model{
		Layers: []int{2, 3}, Bias: true,
		PriorMean: []float64{1, 0, 0.5, -1, 0.3, 0, 0, 0.2, 0.1},
		PriorVar:  []float64{1, 2, 0.5, 0.1, 1, 3, 1, 1, 0.2},
	}
	p := problem(t, m, nil, nil)
	s := sample(t, Importance{}, p, "prior")
	for _, at := range [][]float64{{0, 0}, {1, -1}, {-2, 0.5}, {3, 3}} {
		mean, variance := make([]float64, 3), make([]float64, 3)
		for j := range mean {
			for a, xa := range []float64{at[0], at[1], 1} {
				mean[j] += m.PriorMean[3*j+a] * xa
				variance[j] += m.PriorVar[3*j+a] * xa * xa
			}
		}
		want := softmax.NewMoments(3)
		softmax.Exact{}.Moments(want, mean, variance)
		got := predict(t, s, at)
		for j, p := range want.P {
			if z := (got.P[j] - p) / got.Err[j]; !(math.Abs(z) < 5) {
				t.Errorf("at %v, class %d: %g ± %g, want %g", at, j, got.P[j], got.Err[j], p)
			}
			for k := range j {
				cov := want.E.At(j, k) - p*want.P[k]
				if v := got.Cov.At(j, k); !(math.Abs(v-cov) < 0.01) {
					t.Errorf("at %v: covariance of %d and %d is %g, want %g", at, j, k, v, cov)
				}
			}
		}
	}
}

// The evidence of one example with symmetric priors is one over the number of
// classes, and that of none is 1.
func TestEvidence(t *testing.T) {
	for n, want := range []float64{0, -math.Log(4)} {
		s := sample(t, Importance{}, problem(t, Model{Layers: []int{2, 4}}, [][]float64{{0.5, -2}}[:n], []int{2}[:n]), "evidence")
		if z := (s.LogEvidence - want) / s.LogEvidenceErr; !(math.Abs(z) < 5) || !(s.LogEvidenceErr < 0.02) {
			t.Errorf("%d examples: log evidence %g ± %g, want %g", n, s.LogEvidence, s.LogEvidenceErr, want)
		}
	}
}
