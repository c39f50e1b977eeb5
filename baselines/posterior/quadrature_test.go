package posterior

import (
	"fmt"
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

// oneInput is a problem with one input and two classes, and its truth.
type oneInput struct {
	name  string
	model Model
	x     [][]float64
	class []int
	truth func(at float64) truth
}

func oneInputs() []oneInput {
	x := [][]float64{{1.5}, {-0.7}, {2}, {0.3}, {-2.5}}
	class := []int{0, 1, 0, 1, 0}
	// The difference of the two weights is normal.
	m := Model{Layers: []int{1, 2}, PriorMean: []float64{0.5, -0.25}, PriorVar: []float64{1.5, 0.5}}
	diff, weight := normal(0.75, 2, 2000)
	linear := func(node int, x float64) float64 { return diff[node] * x }
	return []oneInput{
		{"[1 2]", m, x, class, func(at float64) truth { return quadrature(weight, linear, x, class, at) }},
		hiddenUnit("[1 1 2]", 0.6, x, class),
	}
}

// hiddenUnit is a problem with one hidden unit: an integral
// over its weight, N(0, 2), and over the difference of the output weights,
// N(mean, 3).
func hiddenUnit(name string, mean float64, x [][]float64, class []int) oneInput {
	a, wa := normal(0, 2, 240) // with a node on the kink
	b, wb := normal(mean, 3, 240)
	var weight []float64
	for i := range a {
		for j := range b {
			weight = append(weight, wa[i]*wb[j])
		}
	}
	logit := func(node int, x float64) float64 {
		z := a[node/len(b)] * x
		return max(0, z) * b[node%len(b)]
	}
	m := Model{Layers: []int{1, 1, 2}, PriorMean: []float64{0, mean, 0}, PriorVar: []float64{2, 1, 2}}
	return oneInput{name, m, x, class, func(at float64) truth { return quadrature(weight, logit, x, class, at) }}
}

// twoModes has a rectifier that can serve the examples to the right or those to
// the left; in between lies a deep valley.
func twoModes() oneInput {
	var x [][]float64
	var class []int
	for range 20 {
		x, class = append(x, []float64{2}, []float64{-2}), append(class, 0, 0)
	}
	return hiddenUnit("two modes", 0, x[:39], class[:39])
}

// Both samplers against quadrature, over many seeds: errors must be of the size
// that is reported.
func TestAgainstQuadrature(t *testing.T) {
	const seeds = 25
	for _, c := range oneInputs() {
		p := problem(t, c.model, c.x, c.class)
		for _, sampler := range []Sampler{Importance{Draws: 1000}, Hamiltonian{Warmup: 200, Draws: 400, MaxRHat: 1.1, MinESS: 50}} {
			if _, ok := sampler.(Importance); ok && len(c.model.Layers) > 2 {
				continue
			}
			name := fmt.Sprintf("%s, %T", c.name, sampler)
			var chi, terms float64
			for seed := range seeds {
				s := sample(t, sampler, p, "quadrature", seed)
				if s.LogEvidenceErr > 0 {
					want := c.truth(0).logEvidence
					z := (s.LogEvidence - want) / s.LogEvidenceErr
					if !(math.Abs(z) < 5) {
						t.Errorf("%s: log evidence %g ± %g, want %g", name, s.LogEvidence, s.LogEvidenceErr, want)
					}
				} else if _, ok := sampler.(Importance); ok {
					t.Errorf("%s: standard error of the log evidence %g", name, s.LogEvidenceErr)
				}
				for _, at := range []float64{-1, 0.2, 3} {
					want, got := c.truth(at), predict(t, s, []float64{at})
					z := (got.P[0] - want.p) / got.Err[0]
					if !(math.Abs(z) < 5) {
						t.Errorf("%s, seed %d, at %g: %g ± %g, want %g", name, seed, at, got.P[0], got.Err[0], want.p)
					}
					chi += z * z
					terms++
					if v := got.Cov.At(0, 0); !(math.Abs(v/want.variance-1) < 0.3) {
						t.Errorf("%s, seed %d, at %g: variance %g, want %g", name, seed, at, v, want.variance)
					}
				}
			}
			if mean := chi / terms; !(mean > 0.5 && mean < 1.7) {
				t.Errorf("%s: mean squared z-score %.2f; want about 1", name, mean)
			}
		}
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
	for _, sampler := range []Sampler{Importance{}, Hamiltonian{}} {
		s := sample(t, sampler, p, "prior")
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
					t.Errorf("%T at %v, class %d: %g ± %g, want %g", sampler, at, j, got.P[j], got.Err[j], p)
				}
				for k := range j {
					cov := want.E.At(j, k) - p*want.P[k]
					if v := got.Cov.At(j, k); !(math.Abs(v-cov) < 0.01) {
						t.Errorf("%T at %v: covariance of %d and %d is %g, want %g", sampler, at, j, k, v, cov)
					}
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
