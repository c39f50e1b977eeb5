package bnn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

var (
	adfRules = []OutputRule{ADF, ADFExact}
	allKinds = []Covariance{Full, Diagonal, Shared}
)

// One step of a network with a single layer, from the posterior of its logits and
// Eq. (w) of the paper.
func TestADFStep(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 1))
	for _, rule := range adfRules {
		for range 20 {
			n := newNetwork(spec{Layers: []int{3, 4}, Bias: true, Output: rule, paper: true})
			randomWeights(t, n, rnd, 1)
			x, class := append(normals(rnd, 2), 0), rnd.IntN(4)
			y := append(slices.Clone(x), 1)
			mean, cov := n.Weights(0)
			m, v, d, e := make([]float64, 4), make([]float64, 4), make([]float64, 4), make([]float64, 4)
			for j := range m {
				at := mat.NewVecDense(4, y)
				m[j], v[j] = mat.Dot(mean.RowView(j), at), mat.Inner(at, cov[j], at)
			}
			want := softmax.NewPosterior(4)
			n.cfg.Softmax.(softmax.Likelihood).Posterior(want, m, v, class)
			for j := range m {
				d[j], e[j] = (want.Mean[j]-m[j])/v[j], (min(max(want.Free[j], v[j]/1000), 2*v[j])-v[j])/(v[j]*v[j])
			}
			wantMean, wantCov := stepped(mean, cov, y, d, e)
			near(t, "log p", observe(n, x, class).LogP, want.LogP, 1e-9)
			checkLayer(t, string(rule), n, 0, wantMean, wantCov, 1e-8)
		}
	}
}

// Whatever the stream, weights stay finite and covariances positive definite.
func TestStreams(t *testing.T) {
	rnd := rand.New(rand.NewPCG(32, 1))
	streams := map[string]func(k int, x []float64) (class int){
		"random":        func(_ int, x []float64) int { x[0], x[1] = rnd.NormFloat64(), rnd.NormFloat64(); return rnd.IntN(3) },
		"constant":      func(_ int, x []float64) int { x[0], x[1] = 1, 1; return 0 },
		"contradictory": func(k int, x []float64) int { x[0], x[1] = 1, -1; return k % 3 },
		"zero":          func(k int, x []float64) int { x[0], x[1] = 0, 0; return k % 2 },
		"large":         func(k int, x []float64) int { x[0], x[1] = 1e6, rnd.NormFloat64(); return k % 3 },
		"small":         func(k int, x []float64) int { x[0], x[1] = 1e-150, 1e-6; return k % 3 },
	}
	for name, stream := range streams {
		for _, rule := range adfRules {
			for _, kind := range allKinds {
				n := newNetwork(spec{Layers: []int{2, 4, 3}, Bias: true, Output: rule, Hidden: Smooth, Covariance: []Covariance{kind}, PriorMeanVar: 1, paper: true})
				x := make([]float64, 2)
				count := 3000
				if rule == ADFExact {
					count = 60
				}
				for k := range count {
					class := stream(k, x)
					if _, err := n.Observe(x, class); err != nil {
						t.Fatalf("%s, %v, %v: example %d: %v", name, rule, kind, k, err)
					}
				}
				positiveDefinite(t, fmt.Sprintf("%s, %v, %v", name, rule, kind), n)
			}
		}
	}
}

// positiveDefinite fails unless every covariance is, and every mean finite.
func positiveDefinite(t *testing.T, name string, n *Network) {
	t.Helper()
	if problem := wrong(n.State()); problem != "" {
		t.Errorf("%s: %s", name, problem)
	}
	for l, layer := range n.State().Layers {
		mean, cov := n.Weights(l)
		setWeights(t, n, l, mean, cov)
		rows, in := layer.Spread.Dims()
		for first := 0; n.cfg.Covariance[l] != Diagonal && first < rows; first += in {
			// The singular values of the root have the digits that the
			// eigenvalues of its square lose.
			var svd mat.SVD
			if !svd.Factorize(layer.Spread.Slice(first, first+in, 0, in), mat.SVDNone) {
				t.Fatal("no singular values")
			}
			if values := svd.Values(nil); !(values[in-1] > 0) {
				t.Errorf("%s: layer %d, rows from %d: singular values %g", name, l, first, values)
			}
		}
	}
}

// Certain weights stay what they are, and the others learn.
func TestCertainWeights(t *testing.T) {
	for _, rule := range outputRules {
		for _, kind := range allKinds {
			n := newNetwork(spec{Layers: []int{2, 3, 3}, Output: rule, Hidden: Smooth, OnIndefinite: Skip, Covariance: []Covariance{kind}, PriorMeanVar: 1, paper: true})
			makeCertain(t, n, 0)
			mean, _ := n.Weights(0)
			last, _ := n.Weights(1)
			for k := range 5 {
				observe(n, []float64{1, 0.5}, k%3)
			}
			if after, _ := n.Weights(0); !mat.Equal(after, mean) {
				t.Errorf("%v, %v: certain weights have moved", rule, kind)
			}
			if after, _ := n.Weights(1); mat.Equal(after, last) {
				t.Errorf("%v, %v: the others have not", rule, kind)
			}
			// Now all of them are certain, and so are the logits.
			makeCertain(t, n, 1)
			last, _ = n.Weights(1)
			observe(n, []float64{1, 0.5}, 0)
			if after, _ := n.Weights(1); !mat.Equal(after, last) {
				t.Errorf("%v, %v: certain weights of the output have moved", rule, kind)
			}
		}
	}
}
