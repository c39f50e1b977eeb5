package kalman

import (
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

func newModel(cfg Config, layers ...int) *Model {
	return check.Must(New(cfg, layers, random.Source("model")))
}

func TestLearner(t *testing.T) {
	learner := func(cfg Config, layers ...int) {
		check.Online(t, 0.1, func(src rand.Source) (*Model, error) { return New(cfg, layers, src) })
	}
	learner(Config{PriorVar: 10}, 2, 3)
	for _, cfg := range filters() {
		learner(cfg, 2, 8, 3)
	}
}

// Weights returns copies of mean and covariance of all weights.
func (m *Model) Weights() (mean []float64, cov mat.Symmetric) {
	n := len(m.mean)
	p := mat.NewSymDense(n, nil)
	switch r := m.belief.(type) {
	case *full:
		p.SymOuterK(1, mat.NewDense(n, n, r.root))
	case walking:
		p = mat.NewSymDense(n, slices.Clone(r.root))
	case *lowRank:
		for i, v := range r.precision {
			p.SetSym(i, i, v)
		}
		for _, w := range m.columns() {
			p.SymRankOne(p, 1, mat.NewVecDense(n, w))
		}
		var inverse mat.Cholesky
		if !inverse.Factorize(p) || inverse.InverseTo(p) != nil {
			panic("not positive definite")
		}
	case *diagonal:
		p.CopySym(mat.NewDiagDense(n, r.variance))
	case bong:
		p.CopySym(mat.NewDiagDense(n, r.variance))
	}
	return slices.Clone(m.mean), p
}

// columns returns those of W.
func (m *Model) columns() [][]float64 {
	r := m.belief.(*lowRank)
	out := vectors(r.rank, len(m.mean))
	for _, at := range m.rows.neurons {
		for l, n := 0, at.to-at.from; l < r.rank; l++ {
			copy(out[l][at.from:], r.columns(at)[l*n:(l+1)*n])
		}
	}
	return out
}
