package laplace

import (
	"fmt"
	"math"

	"closedform/baselines/learners/mlp"
	"closedform/internal/kernel"
)

// Problem is a prior with data: the posterior density, known up to a constant. Its methods use scratch space of the problem:
// it must not be used by several goroutines at once.
type Problem struct {
	prior   Prior
	network *mlp.Network
	data    *mlp.Examples

	logNorm float64 // of the prior
	pass    *mlp.Pass
}

// NewProblem returns the problem of the examples x[k] with classes class[k], counted
// from 0, of which there may be none. It returns an error if the prior is not valid, an
// input not finite or a class out of range, and panics if the lengths do not fit.
func NewProblem(prior Prior, x [][]float64, class []int) (*Problem, error) {
	prior, network, err := prior.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("laplace: %w", err)
	}
	data, err := network.Examples(x, class)
	if err != nil {
		return nil, fmt.Errorf("laplace: %w", err)
	}
	p := &Problem{prior: prior, network: network, data: data, pass: network.NewPass()}
	for _, v := range prior.Var {
		p.logNorm -= (kernel.Log(2*math.Pi) + kernel.Log(v)) / 2
	}
	return p, nil
}

// example returns example k, with its trailing 1 where there is a bias.
func (p *Problem) example(k int) []float64 { return p.data.Input(k)[:p.network.Layers[0].In] }

// LogDensity returns the logarithm of likelihood times prior at the weights w,
//
//	log p(D, w) = Σ_k log softmax_{c_k}(z(x_k; w)) + Σ_i log N(w_i; m_i, v_i),
//
// which is that of the posterior density plus the log evidence, and sets grad to
// its gradient unless grad is nil. It is −∞, with a gradient of zeros, where a
// logit overflows. LogDensity panics if a length is not the number of weights.
func (p *Problem) LogDensity(grad, w []float64) float64 {
	n := len(p.prior.Mean)
	if len(w) != n || grad != nil && len(grad) != n {
		panic(fmt.Sprintf("laplace: gradient of length %d at a point of length %d; the model has %d weights", len(grad), len(w), n))
	}
	log := p.logNorm
	for i, m := range p.prior.Mean {
		d := w[i] - m
		log -= d * d / (2 * p.prior.Var[i])
		if grad != nil {
			grad[i] = -d / p.prior.Var[i]
		}
	}
	// The logarithm of the product of the normalisers is taken before it can
	// overflow: it grows by at most the number of classes each time.
	const flush = 1e290
	product := 1.0
	for k, c := range p.data.Class {
		p.network.Forward(p.pass, w, p.example(k))
		z := p.pass.Logit[c]
		top, sum := mlp.Exponentials(p.pass.Logit)
		log += z - top
		product *= sum
		if product > flush {
			log -= kernel.Log(product)
			product = 1
		}
		if grad == nil {
			continue
		}
		for j, e := range p.pass.Logit {
			p.pass.Score[j] = -e / sum
		}
		p.pass.Score[c]++
		p.network.Backward(p.pass, grad, w)
	}
	log -= kernel.Log(product)
	if !mlp.Finite(log) {
		clear(grad)
		return math.Inf(-1)
	}
	return log
}
