package laplace

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/internal/kernel"
)

// Prior is a multi-layer perceptron with rectifiers and a softmax, and an independent prior w_k ~ N(m_k, v_k)
// for every weight. The weights are one vector: layer by layer, neuron by neuron, and for each neuron its
// inputs in order, the bias last.
type Prior struct {
	Layers []int // see [mlp.Start]
	Bias   bool  // every layer has a further input, which is 1

	// Mean and Var are the m_k and v_k > 0, one for each weight. Nil stands for zeros and for ones.
	Mean, Var []float64
}

// Problem is a prior with data: the posterior density up to a constant. It is not safe for concurrent use.
type Problem struct {
	prior   Prior
	network *mlp.Network
	data    [][]float64 // the inputs, with a trailing 1 if there is a bias
	class   []int

	logNorm float64 // logarithm of the normalising constant of the prior
	pass    *mlp.Pass
}

// NewProblem returns the problem of the examples x[k] with classes class[k], from 0; there may be none. It
// keeps the slices of the prior. The error is that of [mlp.Network.Examples].
func NewProblem(prior Prior, x [][]float64, class []int) (*Problem, error) {
	network := mlp.New(prior.Layers, prior.Bias)
	n := network.Weights()
	if prior.Mean == nil {
		prior.Mean = make([]float64, n)
	}
	if prior.Var == nil {
		prior.Var = slices.Repeat([]float64{1}, n)
	}
	if len(prior.Mean) != n || len(prior.Var) != n {
		panic(fmt.Sprintf("laplace: %d prior means and %d variances of %d weights",
			len(prior.Mean), len(prior.Var), n))
	}
	data, err := network.Examples(x, class)
	if err != nil {
		return nil, err
	}
	for k := range data {
		data[k] = data[k][:network.Layers[0].In]
	}
	p := &Problem{
		prior: prior, network: network, data: data, class: slices.Clone(class), pass: network.NewPass(),
	}
	for _, v := range prior.Var {
		p.logNorm -= (kernel.Log(2*math.Pi) + kernel.Log(v)) / 2
	}
	return p, nil
}

// logDensity returns the logarithm of likelihood times prior at the weights w, Σ_k log softmax_{c_k}(z(x_k;
// w)) + Σ_i log N(w_i; m_i, v_i), and sets grad to its gradient. It is −∞, with a zero gradient, where a
// logit overflows.
func (p *Problem) logDensity(grad, w []float64) float64 {
	log := p.logPrior(grad, w)
	for k, c := range p.class {
		p.network.Forward(p.pass, w, p.data[k])
		z := p.pass.Logit[c]
		top, sum := mlp.Exponentials(p.pass.Logit)
		log += z - top - kernel.Log(sum)
		for j, e := range p.pass.Logit {
			p.pass.Score[j] = -e / sum
		}
		p.pass.Score[c]++
		p.network.Backward(p.pass, grad, w)
	}
	if !kernel.Finite(log) {
		clear(grad)
		return math.Inf(-1)
	}
	return log
}

func (p *Problem) logPrior(grad, w []float64) float64 {
	log := p.logNorm
	for i, m := range p.prior.Mean {
		d := w[i] - m
		log -= d * d / (2 * p.prior.Var[i])
		grad[i] = -d / p.prior.Var[i]
	}
	return log
}

// climb returns the weights of a maximum of the posterior density near start, with derivatives of at most
// 1e-9 nats per prior standard deviation, or those after 1000 steps of L-BFGS, more than softmax regression
// needs. With rectifiers the maxima are on kinks, where no climb converges: it ends after 100 steps. It
// returns an error if the start has no finite density.
func (p *Problem) climb(start []float64) ([]float64, error) {
	steps := 1000
	if len(p.network.Layers) > 1 {
		steps = 100
	}
	n := len(start)
	w, u, sd := make([]float64, n), make([]float64, n), make([]float64, n)
	for i, v := range p.prior.Var {
		sd[i] = math.Sqrt(v)
		u[i] = (start[i] - p.prior.Mean[i]) / sd[i]
	}
	value := minimize(func(grad, u []float64) float64 {
		floats.MulTo(w, sd, u)
		floats.Add(w, p.prior.Mean)
		value := -p.logDensity(grad, w)
		floats.Mul(grad, sd)
		floats.Scale(-1, grad)
		return value
	}, u, 1e-9, steps)
	if !kernel.Finite(value) {
		return nil, fmt.Errorf("laplace: search of the mode: no finite density: log density %g", -value)
	}
	floats.MulTo(w, sd, u)
	floats.Add(w, p.prior.Mean)
	return w, nil
}

// information sets dst to the Fisher information of the labels at w plus the precision of the prior, for the
// last layer: the negative Hessian of logDensity, NaN where a logit overflows. With its inputs φ_k and s_k =
// softmax(z(x_k; w)), the block of neurons i and j is δ_ij diag(1/v) + Σ_k s_ki (δ_ij − s_kj) φ_k φ_kᵀ.
func (p *Problem) information(dst *mat.SymDense, w []float64) {
	last := len(p.network.Layers) - 1
	layer := p.network.Layers[last]
	n, in := layer.Out, layer.In
	dst.Zero()
	for i, v := range p.prior.Var[layer.Offset:] {
		dst.SetSym(i, i, 1/v)
	}
	raw, scaled := dst.RawSymmetric(), make([]float64, in)
	for k := range p.class {
		p.network.Forward(p.pass, w, p.data[k])
		mlp.Normalise(p.pass.Logit)
		for i, si := range p.pass.Logit {
			for j := i; j < n; j++ {
				sign, weight := -1.0, si*p.pass.Logit[j]
				if i == j {
					sign, weight = 1, si*(1-si)
				}
				floats.ScaleTo(scaled, math.Sqrt(max(0, weight)), p.pass.Input(last))
				for a, s := range scaled {
					floats.AddScaled(raw.Data[(i*in+a)*raw.Stride+j*in:][:in], sign*s, scaled)
				}
			}
		}
	}
}

const memory = 15

type pair struct {
	step, change []float64 // a step s, and the change y of the gradient
	product      float64   // sᵀy
}

// minimize moves x to a nearby minimum by L-BFGS (Liu and Nocedal, "On the limited memory BFGS method for
// large scale optimization", Mathematical Programming 1989), and returns its value. f sets grad, and may be
// infinite or NaN except at the start. It ends where no derivative is above tol or no step improves f, or
// after the given steps. If no step in the direction of L-BFGS improves f, it restarts along the gradient.
func minimize(f func(grad, x []float64) float64, x []float64, tol float64, steps int) float64 {
	var pairs []pair
	grad, d := make([]float64, len(x)), make([]float64, len(x))
	next, nextGrad := make([]float64, len(x)), make([]float64, len(x))
	value := f(grad, x)
	for range steps {
		if max(slices.Max(grad), -slices.Min(grad)) <= tol {
			break
		}
		direction(d, grad, pairs)
		v, ok := lineSearch(f, next, nextGrad, x, d, value, kernel.Dot(d, grad))
		if !ok && len(pairs) == 0 {
			break
		}
		if !ok {
			pairs = nil
			continue
		}
		value = v
		last := pair{step: make([]float64, len(x)), change: make([]float64, len(x))}
		floats.SubTo(last.step, next, x)
		floats.SubTo(last.change, nextGrad, grad)
		last.product = kernel.Dot(last.step, last.change)
		if last.product > 0 && !math.IsInf(last.product, 1) {
			pairs = append(pairs[max(0, len(pairs)+1-memory):], last)
		}
		copy(x, next)
		copy(grad, nextGrad)
	}
	return value
}

func direction(d, grad []float64, pairs []pair) {
	floats.ScaleTo(d, -1, grad)
	if len(pairs) == 0 {
		floats.Scale(min(1, 1/kernel.Norm(grad)), d)
		return
	}
	var along [memory]float64
	for i, p := range slices.Backward(pairs) {
		along[i] = kernel.Dot(p.step, d) / p.product
		kernel.AddScaled(d, -along[i], p.change)
	}
	last := pairs[len(pairs)-1]
	floats.Scale(last.product/kernel.Dot(last.change, last.change), d)
	for i, p := range pairs {
		kernel.AddScaled(d, along[i]-kernel.Dot(p.change, d)/p.product, p.step)
	}
}

const (
	decrease = 1e-4  // smallest share of the expected gain that a step must achieve
	flatten  = 0.9   // largest share of the slope that may remain after a step
	looks    = 60    // largest number of evaluations in a line search
	noise    = 1e-14 // relative change of f that rounding may hide
)

// lineSearch sets next to a point x + td that satisfies the Wolfe conditions, by bisection, which also works
// on kinks (Lewis and Overton, "Nonsmooth optimization via quasi-Newton methods", Mathematical Programming
// 2013). Where rounding hides whether f falls, it uses the slope (Hager and Zhang, SIAM J. Optim. 2005).
func lineSearch(
	f func(grad, x []float64) float64, next, nextGrad, x, d []float64, value, slope float64,
) (v float64, ok bool) {
	low, high, t := 0.0, math.Inf(1), 1.0
	for range looks {
		copy(next, x)
		kernel.AddScaled(next, t, d)
		v := f(nextGrad, next)
		s := kernel.Dot(nextGrad, d)
		falls := v <= value+decrease*t*slope || v <= value+noise*math.Abs(value) && s <= (2*decrease-1)*slope
		switch {
		case !falls:
			high = t
		case !(s >= flatten*slope):
			low = t
		default:
			return v, true
		}
		if t *= 2; high < math.Inf(1) {
			t = (low + high) / 2
		}
	}
	return value, false
}
