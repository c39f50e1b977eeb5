package bayesbackprop

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/internal/kernel"
)

// network is the distribution of the weights.
type network struct {
	shape      *mlp.Network
	parameters []float64 // means, then logarithms of the standard deviations
	mean       []float64
	logSD      []float64
	variance   []float64 // from logSD, by update
	prior      []float64 // variances
}

func newNetwork(shape *mlp.Network, priorVar float64) *network {
	n := shape.Weights()
	net := &network{shape: shape, parameters: make([]float64, 2*n), variance: make([]float64, n), prior: shape.PriorVar(priorVar)}
	net.mean, net.logSD = net.parameters[:n:n], net.parameters[n:]
	return net
}

// update sets the variances, after a change of the parameters.
func (n *network) update() {
	for i, log := range n.logSD {
		n.variance[i] = kernel.Exp(2 * log)
	}
}

// toLogSD turns derivatives by the variances into those by the logarithms of the
// standard deviations.
func (n *network) toLogSD(grad []float64) {
	for i, v := range n.variance {
		grad[len(n.mean)+i] *= 2 * v
	}
}

// addDivergence adds weight times the derivatives of Σ_i KL_i by the parameters to grad.
func (n *network) addDivergence(grad []float64, weight float64) {
	for i, prior := range n.prior {
		grad[i] += weight * n.mean[i] / prior
		grad[len(n.mean)+i] += weight * (n.variance[i]/prior - 1)
	}
}

// pass holds what flows through a network for one example.
type pass struct {
	logit  []float64
	noise  []float64 // ε of all neurons, layer by layer
	layers []flow
}

// flow is what flows through one layer.
type flow struct {
	y, square     []float64 // inputs, with a trailing 1, and their squares
	mean, sd      []float64 // of the pre-activations
	noise         []float64 // its part of pass.noise
	z             []float64 // pre-activations
	dz            []float64 // derivatives of the loss by z,
	dy, dvariance []float64 // by the inputs, and scratch for it
}

func newPass(n *network) *pass {
	p := &pass{}
	neurons := 0
	for _, w := range n.shape.Layers {
		neurons += w.Out
	}
	p.noise = make([]float64, neurons)
	rest := p.noise
	for _, w := range n.shape.Layers {
		f := flow{noise: rest[:w.Out:w.Out]}
		for _, of := range []*[]float64{&f.y, &f.square, &f.dy, &f.dvariance} {
			*of = make([]float64, w.In)
		}
		for _, of := range []*[]float64{&f.mean, &f.sd, &f.z, &f.dz} {
			*of = make([]float64, w.Out)
		}
		f.y[w.In-1] = 1
		rest = rest[w.Out:]
		p.layers = append(p.layers, f)
	}
	p.logit = p.layers[len(p.layers)-1].z
	return p
}

// draw renews the noise.
func (p *pass) draw(rnd *rand.Rand) {
	for i := range p.noise {
		p.noise[i] = random.Normal(rnd)
	}
}

// project sets means and standard deviations of the pre-activations of layer l for
// its inputs y, which may be those of the pass.
func (n *network) project(p *pass, l int, y []float64) {
	f, w := &p.layers[l], n.shape.Layers[l]
	copy(f.y, y)
	floats.MulTo(f.square, f.y, f.y)
	for j := range f.mean {
		f.mean[j] = kernel.Dot(w.Neuron(n.mean, j), f.y)
		f.sd[j] = math.Sqrt(kernel.Dot(w.Neuron(n.variance, j), f.square))
	}
}

// forward sets the logits for the noise, after project for layer 0.
func (n *network) forward(p *pass) {
	for l := range p.layers {
		f := &p.layers[l]
		for j, m := range f.mean {
			f.z[j] = m + f.sd[j]*f.noise[j]
		}
		if l+1 < len(p.layers) {
			next := p.layers[l+1].y
			for j, z := range f.z {
				next[j] = max(0, z)
			}
			n.project(p, l+1, next)
		}
	}
}

// addLogLoss adds weight times the derivatives of −log softmax_class(z(x)) to grad,
// those by the variances in place of those by the logarithms of the standard
// deviations, for the noise of the pass.
func (n *network) addLogLoss(grad []float64, p *pass, x []float64, class int, weight float64) {
	n.project(p, 0, x)
	n.forward(p)
	last := &p.layers[len(p.layers)-1]
	copy(last.dz, p.logit)
	_, sum := mlp.Exponentials(last.dz)
	floats.Scale(weight/sum, last.dz)
	last.dz[class] -= weight
	byMean, byVariance := grad[:len(n.mean)], grad[len(n.mean):]
	for l := len(p.layers) - 1; l >= 0; l-- {
		f, w := &p.layers[l], n.shape.Layers[l]
		clear(f.dy)
		clear(f.dvariance)
		for j, d := range f.dz {
			e := 0.0 // derivative by the variance of z_j
			if f.sd[j] > 0 {
				e = d * f.noise[j] / (2 * f.sd[j])
			}
			floats.AddScaled(w.Neuron(byMean, j), d, f.y)
			floats.AddScaled(w.Neuron(byVariance, j), e, f.square)
			if l > 0 {
				floats.AddScaled(f.dy, d, w.Neuron(n.mean, j))
				floats.AddScaled(f.dvariance, e, w.Neuron(n.variance, j))
			}
		}
		if l == 0 {
			return
		}
		below := &p.layers[l-1]
		for i, z := range below.z {
			below.dz[i] = 0
			if z > 0 {
				below.dz[i] = f.dy[i] + 2*f.y[i]*f.dvariance[i]
			}
		}
	}
}
