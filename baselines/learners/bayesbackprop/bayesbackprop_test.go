package bayesbackprop

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat/distmv"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/internal/check"
)

func TestLearner(t *testing.T) {
	for _, layers := range [][]int{{2, 3}, {2, 10, 3}, {2, 20, 12, 3}} {
		cfg := Config{Layers: layers, Descent: mlp.Descent{Epochs: 40, Step: 0.05}}
		check.Learner(t, 0.1, func(x [][]float64, class []int, src rand.Source) (check.Predictor, error) {
			return Fit(cfg, x, class, src)
		})
	}
}

func TestOverflows(t *testing.T) {
	check.Overflows(t, func(x [][]float64, class []int) (check.Predictor, error) {
		return Fit(Config{Layers: []int{2, 4, 2}, Descent: mlp.Descent{Epochs: 3}}, x, class, random.Source("fit"))
	})
}

func TestConfig(t *testing.T) {
	check.Keys(t, map[string]Config{
		"prior_var": {PriorVar: math.NaN()},
		"step":      {Descent: mlp.Descent{Step: -1}},
		"epochs":    {Descent: mlp.Descent{Epochs: -1}},
	})
	check.Refuses(t, "one class", check.Err(Fit(Config{Layers: []int{1, 1}}, nil, nil, random.Source())))
}

// newTestNetwork returns a network with random parameters, and noise.
func newTestNetwork(path ...any) (*network, *pass) {
	n := newNetwork(mlp.New([]int{2, 4, 3, 3}, true), 2)
	rnd := rand.New(random.Source(append(path, "network")...))
	for i := range n.mean {
		n.mean[i], n.logSD[i] = rnd.NormFloat64(), rnd.NormFloat64()-1
	}
	n.update()
	p := newPass(n)
	p.noise = n.draw(rnd)
	return n, p
}

// The gradients of log loss and divergence with frozen noise are those by differences.
func TestGradient(t *testing.T) {
	for trial := range 3 {
		n, p := newTestNetwork(trial)
		check.NearAll(t, "prior variances times inputs", []float64{n.prior[0] * 3, n.prior[len(n.prior)-1] * 4}, []float64{2, 2}, 1e-14)
		x := []float64{1.5, -0.5, 1}
		at := slices.Clone(n.parameters)
		got := make([]float64, len(at))
		n.addLogLoss(got, p, x, 1, 0.7)
		n.addDivergence(got, 0.2)
		want := fd.Gradient(nil, func(theta []float64) float64 {
			copy(n.parameters, theta)
			n.update()
			n.project(p, 0, x)
			n.forward(p)
			loss := 0.7 * (floats.LogSumExp(p.logit) - p.logit[1])
			for i, prior := range n.prior {
				q, _ := distmv.NewNormal(n.mean[i:i+1], mat.NewDiagDense(1, n.variance[i:i+1]), nil)
				zero, _ := distmv.NewNormal([]float64{0}, mat.NewDiagDense(1, []float64{prior}), nil)
				loss += 0.2 * distmv.KullbackLeibler{}.DistNormal(q, zero)
			}
			return loss
		}, at, &fd.Settings{Formula: fd.Central})
		check.NearAll(t, "gradient", got, want, 2e-7)
	}
}
