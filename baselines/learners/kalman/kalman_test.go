package kalman

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

func newModel(cfg Config) *Model {
	return check.Must(New(cfg, random.Source("model")))
}

// observe fails the test on an error.
func observe(t testing.TB, m *Model, x []float64, class int) {
	t.Helper()
	check.OK(t, m.Observe(x, class))
}

func TestLearner(t *testing.T) {
	for _, cfg := range []Config{
		{Layers: []int{2, 3}, PriorVar: 10},
		{Layers: []int{2, 8, 3}, ProcessNoise: 1e-6},
		{Layers: []int{2, 8, 3}, Covariance: Diagonal},
		{Layers: []int{2, 8, 3}, Covariance: LowRank},
		{Layers: []int{2, 8, 3}, Covariance: Bong},
	} {
		check.Online(t, 0.1, func(src rand.Source) (*Model, error) { return New(cfg, src) })
	}
}

// Weights returns copies of mean and covariance of all weights.
func (m *Model) Weights() (mean []float64, cov mat.Symmetric) {
	n := len(m.mean)
	p := mat.NewSymDense(n, nil)
	switch r := m.belief.(type) {
	case *full:
		p.SymOuterK(1, mat.NewDense(n, n, r.root))
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

// logitsAt returns those of the network at the weights w.
func (m *Model) logitsAt(w, x []float64) []float64 {
	pass := m.network.NewPass()
	m.network.Forward(pass, w, append(append([]float64(nil), x...), 1))
	return pass.Logit
}

// jacobian returns that of the logits by finite differences, and the probabilities, at the mean.
func (m *Model) jacobian(x []float64) (j *mat.Dense, p []float64) {
	p = m.logitsAt(m.mean, x)
	j = mat.NewDense(len(p), len(m.mean), nil)
	logits := func(z, w []float64) { copy(z, m.logitsAt(w, x)) }
	fd.Jacobian(j, logits, m.mean, &fd.JacobianSettings{Formula: fd.Central, Step: 1e-5})
	mlp.Normalise(p)
	return j, p
}

// textbook returns mean and covariance after the Kalman step as it is printed,
// with the first n−1 entries of the label as observation.
func textbook(t *testing.T, m *Model, x []float64, class int) ([]float64, *mat.Dense) {
	t.Helper()
	mean, prior := m.Weights()
	cov := mat.DenseCopyOf(prior)
	for i, v := range m.noise {
		cov.Set(i, i, cov.At(i, i)+v)
	}
	j, p := m.jacobian(x)
	n, w := j.Dims()
	label := mat.NewDense(n, n, nil)
	label.Apply(func(a, b int, _ float64) float64 {
		if a == b {
			return p[a] * (1 - p[a])
		}
		return -p[a] * p[b]
	}, label)
	var h, ph, s, gain, move, shrink mat.Dense
	h.Mul(label.Slice(0, n-1, 0, n), j)
	ph.Mul(cov, h.T())
	s.Mul(&h, &ph)
	s.Add(&s, label.Slice(0, n-1, 0, n-1))
	check.OK(t, gain.Solve(s.T(), ph.T()))
	innovation := mat.NewDense(n-1, 1, nil)
	for c := range n - 1 {
		innovation.Set(c, 0, -p[c])
	}
	if class < n-1 {
		innovation.Set(class, 0, 1-p[class])
	}
	move.Mul(gain.T(), innovation)
	for i := range mean {
		mean[i] += move.At(i, 0)
	}
	shrink.Mul(gain.T(), ph.T())
	after := mat.NewDense(w, w, nil)
	after.Sub(cov, &shrink)
	return mean, after
}

// A step is the Kalman step, for a network with hidden layers and without. That
// of Diagonal has the mean and the variances of the step of Full from the same
// diagonal covariance. With a rank that nothing is dropped from, LowRank is Full. Process noise
// adds a share of the prior variances before the step.
func TestObserveIsTheKalmanStep(t *testing.T) {
	for _, cfg := range []Config{
		{Layers: []int{3, 2}},
		{Layers: []int{3, 4}},
		{Layers: []int{2, 5, 3}, PriorVar: 0.5},
		{Layers: []int{2, 4, 3, 4}},
		{Layers: []int{2, 4, 3}, ProcessNoise: 0.1},
		{Layers: []int{3, 4}, Covariance: Diagonal},
		{Layers: []int{2, 5, 3}, Covariance: Diagonal, PriorMeanVar: 1},
		{Layers: []int{2, 3, 3}, Covariance: LowRank, Rank: 24},
	} {
		m := newModel(cfg)
		_, prior := m.Weights()
		for i, v := range m.noise {
			check.Near(t, "process noise", v, cfg.ProcessNoise*prior.At(i, i), 1e-15)
		}
		x, class, _ := check.Clusters(12, cfg.Layers[0], m.network.Outputs(), "textbook")
		for k, at := range x {
			mean, cov := textbook(t, m, at, class[k])
			observe(t, m, at, class[k])
			gotMean, gotCov := m.Weights()
			check.NearAll(t, fmt.Sprintf("%v: mean of weight", cfg.Layers), gotMean, mean, 1e-8)
			if cfg.Covariance == Diagonal {
				variance := mat.NewDiagDense(len(mean), nil)
				variance.DiagFrom(cov)
				cov = mat.DenseCopyOf(variance)
			}
			check.NearMatrix(t, fmt.Sprint(cfg.Layers), gotCov, cov, 1e-8)
		}
	}
}
