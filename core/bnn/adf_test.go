package bnn

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
	"closedform/internal/check"
)

var (
	adfRules = []OutputRule{ADF, ADFExact}
	kinds    = []Covariance{Full, Diagonal}
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
			x, class := []float64{rnd.NormFloat64(), rnd.NormFloat64(), 0}, rnd.IntN(4)
			y := mat.NewVecDense(4, append(append([]float64(nil), x...), 1))
			mean, cov := n.Weights(0)
			m, v := make([]float64, 4), make([]float64, 4)
			for j := range m {
				m[j], v[j] = mat.Dot(mean.RowView(j), y), mat.Inner(y, cov[j], y)
			}
			want := softmax.NewPosterior(4)
			n.cfg.Softmax.(softmax.Likelihood).Posterior(want, m, v, class)
			u := check.Must(n.Observe(x, class))
			near(t, "log p", u.LogP, want.LogP, 1e-9)
			got, gotCov := n.Weights(0)
			for j := range m {
				var step mat.VecDense
				step.MulVec(cov[j], y)
				for a := range 4 {
					near(t, "mean", got.At(j, a), mean.At(j, a)+(want.Mean[j]-m[j])/v[j]*step.AtVec(a), 1e-8)
					for b := range 4 {
						near(t, "covariance", gotCov[j].At(a, b), cov[j].At(a, b)+(min(max(want.Free[j], v[j]/1000), 2*v[j])-v[j])/(v[j]*v[j])*step.AtVec(a)*step.AtVec(b), 1e-8)
					}
				}
			}
		}
	}
}

// LogP is the logarithm of the probability that Predict gives, for every rule.
func TestLogP(t *testing.T) {
	for _, rule := range outputRules {
		n := newNetwork(spec{Layers: []int{2, 5, 3}, Output: rule, Hidden: Smooth, OnIndefinite: Skip, PriorMeanVar: 1, paper: true})
		var p Prediction
		for k := range 20 {
			x := []float64{math.Sin(float64(k)), math.Cos(float64(3 * k))}
			predict(t, n, &p, x)
			u := observe(n, x, k%3)
			near(t, string(rule)+": log p", u.LogP, math.Log(p.P[k%3]), 1e-7)
		}
	}
}

// One-hot inputs never correlate the weights: both kinds of covariance agree.
func TestDiagonalIsFullForOneHotInputs(t *testing.T) {
	networks := make(map[Covariance]*Network)
	for _, kind := range kinds {
		networks[kind] = newNetwork(spec{Layers: []int{4, 3}, Output: ADF, Covariance: []Covariance{kind}, PriorVar: 2})
	}
	for k := range 50 {
		x := make([]float64, 4)
		x[k*7%4] = 1 + 0.1*float64(k%5)
		for _, kind := range kinds {
			observe(networks[kind], x, k*k%3)
		}
	}
	sameWeights(t, "diagonal", networks[Diagonal], networks[Full], 1e-12)
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
	for l := range n.layers {
		mean, cov := n.Weights(l)
		if err := n.SetWeights(l, mean, cov); err != nil {
			t.Errorf("%s: layer %d: %v", name, l, err)
		}
		for j, s := range cov {
			if root := n.State().Layers[l].Spread; n.cfg.Covariance[l] != Diagonal {
				// The singular values of the root have the digits that the
				// eigenvalues of its square lose.
				in := s.SymmetricDim()
				rows, _ := root.Dims()
				var svd mat.SVD
				if first := j * in % rows; !svd.Factorize(root.Slice(first, first+in, 0, in), mat.SVDNone) {
					t.Fatal("no singular values")
				}
				if values := svd.Values(nil); !(values[in-1] > 0) {
					t.Errorf("%s: layer %d, neuron %d: singular values %g", name, l, j, values)
				}
				continue
			}
			for a := range s.SymmetricDim() {
				if !(s.At(a, a) > 0) {
					t.Errorf("%s: layer %d, neuron %d: variance %g", name, l, j, s.At(a, a))
				}
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

// A Prediction may go from one network to another of any shape and rule.
func TestPredictionIsReusable(t *testing.T) {
	var shared Prediction
	for _, cfg := range []spec{
		{Layers: []int{2, 4, 3}, Hidden: Smooth},
		{Layers: []int{2, 4, 3}, Hidden: Frozen},
		{Layers: []int{2, 4, 3}, Hidden: Smooth, Covariance: []Covariance{Diagonal}},
		{Layers: []int{2, 4, 3}, Hidden: Smooth},
		{Layers: []int{2, 4, 3}, Output: ADFExact},
		{Layers: []int{2, 5}, Bias: true},
		{Layers: []int{3, 5}},
		{Layers: []int{2, 5}, Bias: true},
	} {
		cfg.PriorMeanVar, cfg.paper = 1, true
		n, x := newNetwork(cfg), []float64{0.4, -2, 3}[:cfg.Layers[0]]
		var fresh Prediction
		for _, p := range []*Prediction{&shared, &fresh} {
			predict(t, n, p, x)
		}
		if !mat.Equal(shared.Cov, fresh.Cov) || !mat.Equal(mat.NewVecDense(len(fresh.P), shared.P), mat.NewVecDense(len(fresh.P), fresh.P)) {
			t.Errorf("%+v: %v, alone %v", cfg, shared.P, fresh.P)
		}
	}
}
