// Package bayesbackprop is Bayes by Backprop: a multi-layer perceptron whose weights are Gaussian
// and independent of each other, trained by stochastic gradients of the evidence lower bound
// (Blundell et al., "Weight uncertainty in neural networks", ICML 2015).
//
// Hidden units are rectifiers. Weight i of a layer with d inputs, with the bias, has the prior N(0, v/d)
// and the posterior N(μ_i, σ_i²). The loss is the negative ELBO over the number N of examples,
//
//	−(1/N) Σ_k E log softmax_{c_k}(z(x_k)) + (1/N) Σ_i KL_i,
//	KL_i = ½ (r_i − 1 − log r_i + μ_i² d/v),   r_i = σ_i² d/v.
//
// For each example one draw of the pre-activations is taken, given the inputs y of the layer,
//
//	z_j = Σ_i μ_ji y_i + ε_j √(Σ_i σ_ji² y_i²),   ε_j ~ N(0, 1)
//
// (the local reparameterisation of Kingma, Salimans and Welling, NIPS 2015). The descent is over μ_i and
// log σ_i, where Blundell et al. have log(exp σ_i − 1).
package bayesbackprop

import (
	"errors"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/internal/kernel"
)

// Config describes a network and its training.
type Config struct {
	// As for mlp.CheckLayers; every layer has a bias.
	Layers   []int   `toml:"-"`
	PriorVar float64 `toml:"prior_var" default:"20" range:"1e-12 1e12"` // v

	mlp.Descent
}

const (
	startSD = 0.1 // σ_i at the start of the training, in units of the prior
	samples = 100 // of a prediction
)

// Model is a trained network.
type Model struct {
	network *network
	pass    *pass
	x       []float64
	noise   [][][]float64 // of each sample of a prediction
}

// Fit returns the network trained on the examples x[k] with the classes class[k], counted from 0. The
// noise of its predictions is drawn from src at the end. It is an error if the training diverges.
func Fit(cfg Config, x [][]float64, class []int, src rand.Source) (*Model, error) {
	shape, data, rnd, err := mlp.Start(cfg.Layers, &cfg, x, class, src)
	if err != nil {
		return nil, err
	}
	net := newNetwork(shape, cfg.PriorVar)
	m := &Model{network: net, pass: newPass(net), x: make([]float64, cfg.Layers[0]+1)}
	net.shape.Initialise(net.mean, rnd)
	for i, prior := range net.prior {
		net.logSD[i] = kernel.Log(prior)/2 + kernel.Log(startSD)
	}
	cfg.Run(net.parameters, len(data), rnd, func(grad []float64, batch []int) {
		net.update()
		for _, k := range batch {
			m.pass.noise = net.draw(rnd)
			net.addLogLoss(grad, m.pass, data[k], class[k], 1/float64(len(batch)))
		}
		net.addDivergence(grad, 1/float64(len(data)))
	})
	net.update()
	if !mlp.Finite(net.parameters...) || !mlp.Finite(net.variance...) {
		return nil, errors.New("bayesbackprop: the training diverged; need a smaller step or smaller inputs")
	}
	for range samples {
		m.noise = append(m.noise, net.draw(rnd))
	}
	return m, nil
}

// Predict sets p to the probabilities of the classes at x, the mean of softmax(z) over samples.
func (m *Model) Predict(p, x []float64) error {
	mlp.CheckProbabilities(p, m.network.shape.Outputs())
	if err := mlp.SetInput(m.x, x); err != nil {
		return err
	}
	clear(p)
	m.network.project(m.pass, 0, m.x) // is the same for all samples
	for _, m.pass.noise = range m.noise {
		m.network.forward(m.pass)
		mlp.Normalise(m.pass.logit)
		for j, s := range m.pass.logit {
			p[j] += s / float64(len(m.noise))
		}
	}
	if !mlp.Finite(p...) {
		return errors.New("bayesbackprop: the logits overflow")
	}
	return nil
}

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
	all := make([]float64, 2*n)
	return &network{shape, all, all[:n:n], all[n:], make([]float64, n), shape.PriorVar(priorVar)}
}

// update sets the variances, after a change of the parameters.
func (n *network) update() {
	for i, log := range n.logSD {
		n.variance[i] = kernel.Exp(2 * log)
	}
}

// addDivergence turns derivatives by the variances into those by the logarithms of the standard
// deviations, and adds weight times the derivatives of Σ_i KL_i by the parameters to grad.
func (n *network) addDivergence(grad []float64, weight float64) {
	byMean, byLogSD := grad[:len(n.mean)], grad[len(n.mean):]
	for i, prior := range n.prior {
		byLogSD[i] *= 2 * n.variance[i]
		byMean[i] += weight * n.mean[i] / prior
		byLogSD[i] += weight * (n.variance[i]/prior - 1)
	}
}

// pass holds what flows through a network for one example.
type pass struct {
	layers []flow
	noise  [][]float64 // ε of each layer
	logit  []float64   // z of the last layer
}

// flow is what flows through one layer.
type flow struct {
	y, square     []float64 // inputs, with a trailing 1, and their squares
	mean, sd      []float64 // of the pre-activations
	z             []float64 // pre-activations
	dz            []float64 // derivatives of the loss by z,
	dy, dvariance []float64 // by the inputs, and scratch for it
}

func newPass(n *network) *pass {
	p := &pass{}
	for _, w := range n.shape.Layers {
		in := func() []float64 { return make([]float64, w.In) }
		out := func() []float64 { return make([]float64, w.Out) }
		f := flow{in(), in(), out(), out(), out(), out(), in(), in()}
		f.y[w.In-1] = 1
		p.layers, p.logit = append(p.layers, f), f.z
	}
	return p
}

// draw returns noise for a pass.
func (n *network) draw(rnd *rand.Rand) (noise [][]float64) {
	for _, w := range n.shape.Layers {
		all := make([]float64, w.Out)
		for j := range all {
			all[j] = random.Normal(rnd)
		}
		noise = append(noise, all)
	}
	return noise
}

// project sets means and standard deviations of the pre-activations of layer l for its inputs y.
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
			f.z[j] = m + f.sd[j]*p.noise[l][j]
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

// addLogLoss adds weight times the derivatives of −log softmax_class(z(x)) by the means and the variances
// to grad, for the noise of the pass.
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
				e = d * p.noise[l][j] / (2 * f.sd[j])
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
