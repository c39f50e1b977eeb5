package tagi

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

func TestLearner(t *testing.T) {
	var last *Model
	check.Online(t, 0.25, func(src rand.Source) (m *Model, err error) {
		last, err = New(Config{SigmaV: 0.3}, []int{2, 12, 8, 3}, src)
		return last, err
	})
	for l := range 3 {
		_, variance := last.Weights(l)
		_, in := variance.Dims()
		prior := 1 / float64(in)
		inside := mat.Min(variance) > 0 && mat.Max(variance) <= prior*(1+1e-15)
		check.True(t, inside, "variances %v in layer %d, prior %g", variance, l, prior)
	}
}

// Whatever is asked is answered with probabilities or with an error, which leaves
// the weights as they were.
func TestExtremes(t *testing.T) {
	for _, prior := range []float64{1e-100, 1e-8, 1e8, 1e100} {
		for _, size := range []float64{0, 1e-300, 1e-150, 1e8, 1e20, 1e150, 1e300} {
			for _, noise := range []float64{1e-100, 1, 1e100} {
				m := newModel(Config{PriorVar: prior, SigmaV: noise}, 2, 3, 3)
				name := fmt.Sprintf("prior %g, size %g, noise %g", prior, size, noise)
				check.Extremes(t, name, m, size, func() (all []float64) {
					for l := range 2 {
						mean, variance := m.Weights(l)
						all = slices.Concat(all, mean.RawMatrix().Data, variance.RawMatrix().Data)
					}
					return all
				})
			}
		}
	}
}

func TestErrors(t *testing.T) {
	check.Keys(t, map[string]Config{
		"sigma_v":        {SigmaV: -1},
		"prior_var":      {PriorVar: -1},
		"prior_mean_var": {PriorMeanVar: math.NaN()},
	})
	check.Refuses(t, "no classes", check.Err(New(Config{}, []int{2}, random.Source("x"))), "layers")
	m := newModel(Config{}, 2, 2)
	check.Refuses(t, "an input of 1e200", m.Predict(make([]float64, 2), []float64{1e200, 0}), "overflows")
	check.Panics(t, "", "", func() { _, _ = New(Config{}, []int{2, 2}, nil) })
}

func newModel(cfg Config, layers ...int) *Model {
	return check.Must(New(cfg, layers, random.Source("model")))
}

// Weights returns copies of the means and variances of layer l, nodes × inputs.
func (m *Model) Weights(l int) (mean, variance *mat.Dense) {
	mean, cov := m.network.Weights(l)
	out, in := mean.Dims()
	variance = mat.NewDense(out, in, nil)
	variance.Apply(func(j, i int, _ float64) float64 { return cov[j].At(i, i) }, variance)
	return mean, variance
}

// The tree of ten classes is that of the authors' program: 11 nodes, in the order
// of levels, with the target −1 for the digit 1.
func TestTreeOfTenClasses(t *testing.T) {
	tree := newTree(10, 1)
	check.Equal(t, "nodes and depth", [2]int{tree.nodes, len(tree.path[0])}, [2]int{11, 4})
	for class, want := range map[int]string{
		0: "[{0 1} {1 1} {3 1} {6 1}]",
		5: "[{0 1} {1 -1} {4 1} {8 -1}]",
		7: "[{0 1} {1 -1} {4 -1} {9 -1}]",
		9: "[{0 -1} {2 1} {5 1} {10 -1}]",
	} {
		check.Equal(t, class, fmt.Sprint(tree.path[class]), want)
	}
}

// Probabilities are the products, and add up to 1: without division where the tree
// is complete, and also where all products underflow.
func TestProbabilities(t *testing.T) {
	rnd := rand.New(random.Source("tree"))
	for _, n := range []int{2, 3, 4, 5, 8, 10, 33} {
		tree := newTree(n, 1)
		x, p := make([]float64, tree.nodes), make([]float64, n)
		for _, scale := range []float64{0, 1, 5, 1e3, 1e150} {
			for i := range x {
				x[i] = scale * rnd.NormFloat64()
			}
			check.True(t, tree.probabilities(p, x), "n = %d, scale %g: overflow", n, scale)
			check.Near(t, "sum", floats.Sum(p), 1, 1e-14)
			if scale > 5 {
				continue
			}
			total := 0.0
			product := make([]float64, n)
			for c := range n {
				product[c] = 1
				for _, s := range tree.path[c] {
					product[c] *= gauss.CDF(s.target * x[s.node])
				}
				total += product[c]
			}
			if n&(n-1) == 0 {
				check.Near(t, "sum of the products", total, 1, 1e-14)
			}
			for c := range n {
				check.Near(t, fmt.Sprintf("n = %d, scale %g: p of class %d", n, scale, c), p[c], product[c]/total, 1e-13)
			}
		}
	}
	// Of three classes, the third has a node of its own, whose other way leads to
	// nothing: where all say that it is taken, even logarithms may overflow.
	p := make([]float64, 3)
	tree := newTree(3, 1)
	check.True(t, tree.probabilities(p, []float64{-40, 0, -40}) && p[2] > 0.4, "p = %v", p)
	check.True(t, !tree.probabilities(p, []float64{-1e200, 0, -1e200}), "no overflow")
}
