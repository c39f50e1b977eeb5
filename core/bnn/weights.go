package bnn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/internal/kernel"
)

// weights are the Gaussian weights of one layer, w_j ~ N(μ_j, Σ_j), independent between neurons.
type weights interface {
	// scratch returns how much of it forward and update need in a flow.
	scratch() int

	// forward sets the pre-activations of a flow from its inputs, which have means y and
	// variances s (nil for certain ones):
	//
	//	m_j = ŷ·μ_j,   v_j = ŷᵀΣ_jŷ + Σ_i s_i (μ_ji² + Σ_j,ii)
	forward(f *flow)

	// backward sets first_i to Σ_j μ_ji d_j and second_i to Σ_j μ_ji² e_j, for as
	// many inputs i as they are long.
	backward(first, second []float64, f *flow)

	// update moves the weights by the flow that forward has set, and the steps d and e of its
	// pre-activations (paper, Eq. (w)).
	update(f *flow)

	// addVariance adds one to that of every weight.
	addVariance(variance float64)

	SetMean(mean *mat.Dense) // neurons × inputs
	MeanMatrix() *mat.Dense  // a copy
	spread() *mat.Dense      // a copy of the Spread of a LayerState
	restore(spread *mat.Dense)
}

// newWeights returns weights of layer l that are zero.
func (c *Config) newWeights(l int) weights {
	out, in := c.WeightDims(l)
	switch c.Covariance[l] {
	case Diagonal:
		w := &diagonal{inputs: newInputs(in, out), variance: make([]float64, in*out), count: c.Replications[l]}
		if w.count != 1 {
			w.minRatio = minRatio
		}
		return w
	case Shared:
		return &shared{newInputs(in, out), newTriangles(1, in)}
	}
	return &full{neurons{in, out, make([]float64, out*in)}, newTriangles(out, in)}
}

// inputs are the means of weights, input by input, so that an input that is zero costs nothing.
type inputs struct {
	in, out int
	mean    []float64 // in × out: the μ_ji of input i
}

func newInputs(in, out int) inputs { return inputs{in, out, make([]float64, in*out)} }

func (w *inputs) inputMean(i int) []float64 { return w.mean[i*w.out : (i+1)*w.out] }

func (w *inputs) SetMean(mean *mat.Dense) { mat.NewDense(w.in, w.out, w.mean).Copy(mean.T()) }

func (w *inputs) MeanMatrix() *mat.Dense {
	return mat.DenseCopyOf(mat.NewDense(w.in, w.out, w.mean).T())
}

func (w *inputs) backward(first, second []float64, f *flow) {
	for i := range first {
		first[i], second[i] = kernel.Backward(w.inputMean(i), f.d, f.e)
	}
}

// neurons are the means of weights, neuron by neuron.
type neurons struct {
	in, out int
	mean    []float64 // out × in: the μ_j
}

func (w *neurons) neuronMean(j int) []float64 { return w.mean[j*w.in : (j+1)*w.in] }

func (w *neurons) SetMean(mean *mat.Dense) { mat.NewDense(w.out, w.in, w.mean).Copy(mean) }

func (w *neurons) MeanMatrix() *mat.Dense { return mat.NewDense(w.out, w.in, slices.Clone(w.mean)) }

func (w *neurons) backward(first, second []float64, f *flow) {
	clear(first)
	clear(second)
	for j := range w.out {
		mean := w.neuronMean(j)
		kernel.Forward(first, second, f.d[j], 0, f.e[j], mean, mean) // first += d μ_j, second += e μ_j²
	}
}

// spreadOf returns the Spread of the covariances of the neurons of layer l.
func (c *Config) spreadOf(l int, cov []mat.Symmetric) (*mat.Dense, error) {
	rows, in := c.SpreadDims(l)
	all := mat.NewDense(rows, in, nil)
	for j, s := range cov {
		var err error
		switch {
		case c.Covariance[l] == Diagonal:
			err = diagonalOf(all.RawRowView(j), s)
		case c.Covariance[l] == Full || j == 0:
			err = setRoot(all.Slice(j*in, (j+1)*in, 0, in).(*mat.Dense), s)
		case !mat.Equal(s, cov[0]):
			err = errors.New("is not that of neuron 0; the layer is shared")
		}
		if err != nil {
			return nil, fmt.Errorf("covariance of neuron %d %w", j, err)
		}
	}
	return all, nil
}

// covs returns the covariances of the neurons of layer l that have the Spread.
func (c *Config) covs(l int, spread *mat.Dense) (all []mat.Symmetric) {
	rows, in := c.SpreadDims(l)
	for j := range c.Layers[l+1] {
		if c.Covariance[l] == Diagonal {
			all = append(all, mat.NewDiagDense(in, spread.RawRowView(j)))
			continue
		}
		root, s := j*in%rows, mat.NewSymDense(in, nil)
		for a := range in {
			for b := a; b < in; b++ {
				s.SetSym(a, b, kernel.Dot(spread.RawRowView(root+a), spread.RawRowView(root+b)))
			}
		}
		all = append(all, s)
	}
	return all
}

// notFinite returns the index of the first number that is not finite, −1 if there is none.
func notFinite(x []float64) int {
	return slices.IndexFunc(x, func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// priorSpread returns the Spread of layer l of a network that has learned nothing.
func (c *Config) priorSpread(l int) *mat.Dense {
	rows, in := c.SpreadDims(l)
	spread := mat.NewDense(rows, in, nil)
	spread.Apply(func(i, j int, _ float64) float64 {
		switch {
		case c.Covariance[l] == Diagonal:
			return c.PriorVar[l]
		case i%in == j:
			return math.Sqrt(c.PriorVar[l])
		}
		return 0
	}, spread)
	return spread
}

// priorMean draws the means of layer l.
func (c *Config) priorMean(l int, rnd *rand.Rand) *mat.Dense {
	out, in := c.WeightDims(l)
	sd := math.Sqrt(c.PriorMeanVar / float64(in))
	mean := mat.NewDense(out, in, nil)
	if c.PriorDraw == Independent {
		mean.Apply(func(_, _ int, _ float64) float64 { return sd * random.Normal(rnd) }, mean)
		return mean
	}
	signs := []float64{1}
	if l == 0 {
		signs = []float64{1, -1}
	}
	directions := orthogonal((out+len(signs)-1)/len(signs), in, rnd)
	for j := range out {
		for i, u := range directions[j/len(signs)] {
			if c.Bias && i == in-1 {
				u *= 2
			}
			mean.Set(j, i, sd*signs[j%len(signs)]*u)
		}
	}
	return mean
}

// orthogonal draws vectors of length √size and uniform direction, each size of them orthogonal
// (Gram–Schmidt).
func orthogonal(count, size int, rnd *rand.Rand) [][]float64 {
	vectors := make([][]float64, count)
	for k := range vectors {
		u := make([]float64, size)
		for i := range u {
			u[i] = random.Normal(rnd)
		}
		for _, v := range vectors[k-k%size : k] {
			along := kernel.Dot(u, v) / float64(size)
			for i := range u {
				u[i] -= along * v[i]
			}
		}
		scale := math.Sqrt(float64(size) / kernel.Dot(u, u))
		for i := range u {
			u[i] *= scale
		}
		vectors[k] = u
	}
	return vectors
}
