package bnn

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/internal/kernel"
)

// weights are the Gaussian weights of one layer, w_j ~ N(μ_j, Σ_j), independent between neurons.
type weights interface {
	// forward sets the pre-activations of a flow from its inputs with means y and variances s:
	//
	//	m_j = ŷ·μ_j,   v_j = ŷᵀΣ_jŷ + Σ_i s_i (μ_ji² + Σ_j,ii)
	forward(f *flow)

	// backward sets first_i to Σ_j μ_ji d_j and second_i to Σ_j μ_ji² e_j.
	backward(first, second []float64, f *flow)

	update(f *flow) // moves the weights by the steps d and e of a flow that forward has set

	// forget multiplies the covariances of the weights from inputs first to first+3 by √(1 − share), those among
	// them by 1 − share, and adds share·prior to their variances.
	forget(first int, prior, share float64)

	state() LayerState     // returns a copy of the weights
	restore(s LayerState)  // replaces the weights by a copy of s
	numbers() [2][]float64 // means and spreads, not copies, in an order of the kind
}

func (c *Config) newWeights(l int) weights {
	out, in := c.WeightDims(l)
	if c.Covariance[l] == Full {
		return &full{mat.NewDense(out, in, nil), newTriangles(out, in)}
	}
	means := inputs{mat.NewDense(in, out, nil)}
	if c.Covariance[l] == Shared {
		return &shared{means, newTriangles(1, in)}
	}
	w := &diagonal{inputs: means, variance: mat.NewDense(in, out, nil), count: c.Replications[l]}
	if w.count != 1 {
		w.minRatio = minRatio
	}
	return w
}

// inputs stores means as inputs × neurons, so that an input of zero costs nothing.
type inputs struct{ mean *mat.Dense }

func (w inputs) backward(first, second []float64, f *flow) {
	for i := range first {
		first[i], second[i] = kernel.Backward(w.mean.RawRowView(i), f.d, f.e)
	}
}

// spreadOf converts the covariances of layer l to a Spread; covs converts back.
func (c *Config) spreadOf(l int, cov []mat.Symmetric) (*mat.Dense, error) {
	rows, in := c.SpreadDims(l)
	spread := mat.NewDense(rows, in, nil)
	for j, s := range cov {
		var err error
		switch {
		case c.Covariance[l] == Diagonal:
			d := mat.NewDiagDense(in, spread.RawRowView(j))
			d.DiagFrom(s)
			if _, plain := s.(mat.Diagonal); !plain && !mat.Equal(s, d) {
				err = errors.New("is not diagonal, as those of the layer are")
			}
		case c.Covariance[l] == Full || j == 0:
			err = setRoot(spread.Slice(j*in, (j+1)*in, 0, in).(*mat.Dense), s)
		case !mat.Equal(s, cov[0]):
			err = errors.New("is not that of neuron 0; the layer is shared")
		}
		if err != nil {
			return nil, fmt.Errorf("covariance of neuron %d %w", j, err)
		}
	}
	return spread, nil
}

func (c *Config) covs(l int, spread *mat.Dense) (covs []mat.Symmetric) {
	rows, in := c.SpreadDims(l)
	for j := range c.Layers[l+1] {
		if c.Covariance[l] == Diagonal {
			covs = append(covs, mat.NewDiagDense(in, spread.RawRowView(j)))
			continue
		}
		root, s := j*in%rows, mat.NewSymDense(in, nil)
		for a := range in {
			for b := a; b < in; b++ {
				s.SetSym(a, b, kernel.Dot(spread.RawRowView(root+a), spread.RawRowView(root+b)))
			}
		}
		covs = append(covs, s)
	}
	return covs
}

func (c *Config) priorSpread(l int) *mat.Dense {
	rows, in := c.SpreadDims(l)
	spread := mat.NewDense(rows, in, nil)
	for i := range rows {
		if c.Covariance[l] == Diagonal {
			floats.AddConst(c.PriorVar[l], spread.RawRowView(i))
		} else {
			spread.Set(i, i%in, math.Sqrt(c.PriorVar[l]))
		}
	}
	return spread
}

func (c *Config) priorMean(l int, rnd *rand.Rand) *mat.Dense {
	out, in := c.WeightDims(l)
	sd := math.Sqrt(c.PriorMeanVar / float64(in))
	mean := mat.NewDense(out, in, nil)
	switch {
	case c.PriorMeanVar == 0 || c.PriorDraw == Orthogonal && l == len(c.Layers)-2:
		return mean
	case c.PriorDraw == Independent:
		mean.Apply(func(_, _ int, _ float64) float64 { return sd * random.Normal(rnd) }, mean)
		return mean
	}
	pair := max(1, 2-l) // the first layer has pairs u and −u
	directions := orthogonal((out+pair-1)/pair, in, rnd)
	for j := range out {
		sign := float64(1 - 2*(j%pair))
		for i, u := range directions[j/pair] {
			if c.Bias && i == in-1 {
				u *= 2
			}
			mean.Set(j, i, sd*sign*u)
		}
	}
	return mean
}

// orthogonal draws uniform vectors of length √size, each size of them orthogonal (Gram–Schmidt).
func orthogonal(count, size int, rnd *rand.Rand) [][]float64 {
	vectors := make([][]float64, count)
	for k := range vectors {
		u := random.Normals(rnd, size)
		for _, v := range vectors[k-k%size : k] {
			kernel.AddScaled(u, -kernel.Dot(u, v)/float64(size), v)
		}
		floats.Scale(math.Sqrt(float64(size)/kernel.Dot(u, u)), u)
		vectors[k] = u
	}
	return vectors
}
