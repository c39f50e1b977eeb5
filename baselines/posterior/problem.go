package posterior

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/baselines/mlp"
	"closedform/core/kernel"
)

// Problem is a model with data. Its methods use scratch space of the problem:
// it must not be used by several goroutines at once.
type Problem struct {
	model   Model
	network *mlp.Network
	data    *mlp.Examples

	logNorm float64 // of the prior
	pass    *mlp.Pass
	score   []float64
}

// NewProblem returns the problem of the examples x[k] with classes class[k], counted
// from 0, of which there may be none. It returns an error if the model is not valid, an
// input not finite or a class out of range, and panics if the lengths do not fit.
func NewProblem(m Model, x [][]float64, class []int) (*Problem, error) {
	m, network, err := m.withDefaults()
	if err != nil {
		return nil, fmt.Errorf("posterior: %w", err)
	}
	data, err := network.Examples(x, class)
	if err != nil {
		return nil, fmt.Errorf("posterior: %w", err)
	}
	p := &Problem{
		model: m, network: network, data: data, pass: network.NewPass(), score: make([]float64, network.Weights()),
	}
	for _, v := range m.PriorVar {
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
	n := len(p.model.PriorMean)
	if len(w) != n || grad != nil && len(grad) != n {
		panic(fmt.Sprintf("posterior: gradient of length %d at a point of length %d; the model has %d weights", len(grad), len(w), n))
	}
	log := p.logNorm
	for i, m := range p.model.PriorMean {
		d := w[i] - m
		log -= d * d / (2 * p.model.PriorVar[i])
		if grad != nil {
			grad[i] = -d / p.model.PriorVar[i]
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

// Information sets dst to the Fisher information of the labels at w plus the
// precision of the prior,
//
//	H = diag(1/v) + Σ_k Σ_c s_c g_c g_cᵀ,   g_c = ∂ log softmax_c(z(x_k; w))/∂w,
//
// with s = softmax(z(x_k; w)). Without hidden layers H is the negative Hessian of
// LogDensity; with them it is the generalised Gauss–Newton approximation. It is NaN
// where a logit overflows. Information panics if a size is not the number of weights.
func (p *Problem) Information(dst *mat.SymDense, w []float64) {
	n := len(p.model.PriorMean)
	if len(w) != n || dst.SymmetricDim() != n {
		panic(fmt.Sprintf("posterior: %d×%[1]d matrix at a point of length %d; the model has %d weights", dst.SymmetricDim(), len(w), n))
	}
	dst.Zero()
	for i, v := range p.model.PriorVar {
		dst.SetSym(i, i, 1/v)
	}
	score := mat.NewVecDense(n, p.score)
	for k := range p.data.Class {
		p.network.Forward(p.pass, w, p.example(k))
		mlp.Normalise(p.pass.Logit)
		for c, s := range p.pass.Logit {
			for j, t := range p.pass.Logit {
				p.pass.Score[j] = -t
			}
			p.pass.Score[c]++
			clear(p.score)
			p.network.Backward(p.pass, p.score, w)
			dst.SymRankOne(dst, s, score)
		}
	}
}
