package bnn

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/blas/blas64"
	"gonum.org/v1/gonum/lapack/lapack64"
)

// AddProcessNoise adds a fraction of the prior variance of its layer to the
// variance of every weight, Σ_j += fraction·σ₀²·I: between two examples the weights
// take a step of a random walk, and what was learned is forgotten at that rate. It
// is the process noise of a Kalman filter, for streams whose distribution changes;
// the means stay. It needs the network for itself. Where covariances are full it
// costs of the order of inputs³ operations for each neuron. It returns an error,
// and leaves the network as it was, unless 0 ≤ fraction ≤ 1, or if a variance would
// overflow.
func (n *Network) AddProcessNoise(fraction float64) error {
	if !(0 <= fraction && fraction <= 1) {
		return fmt.Errorf("bnn: fraction %g of the prior variance: need 0 to 1", fraction)
	}
	if fraction == 0 {
		return nil
	}
	fresh := make([]weights, len(n.layers))
	for l, w := range n.layers {
		_, in := w.Dims()
		fresh[l] = w.clone()
		if err := fresh[l].addVariance(fraction * n.cfg.priorVariance(l, in)); err != nil {
			return fmt.Errorf("bnn: layer %d: %w", l, err)
		}
	}
	n.layers, n.shared = fresh, false
	return nil
}

// priorVariance returns that of the weights of layer l, which has so many inputs.
func (c *Config) priorVariance(l, in int) float64 {
	variance := c.PriorVar * byLayer(c.PriorScale, l)
	if c.Prior == ScaledPrior {
		variance /= float64(in)
	}
	return variance
}

var errVariance = errors.New("a variance overflows")

func (w *diagonal) addVariance(variance float64) error {
	for i := range w.Variance {
		w.Variance[i] += variance
		if math.IsInf(w.Variance[i], 1) {
			return errVariance
		}
	}
	return nil
}

func (w *full) addVariance(variance float64) error {
	d := newAdder(w.in)
	for j := range w.out {
		if err := d.apply(w.neuronRoot(j), variance); err != nil {
			return err
		}
	}
	return nil
}

func (w *shared) addVariance(variance float64) error {
	return newAdder(w.In).apply(w.root, variance)
}

func (w *correlated) addVariance(variance float64) error {
	return newAdder(w.in*w.out).apply(w.root, variance)
}

// adder adds a multiple of the identity to n×n covariances that are kept as
// a root: with the LQ factorisation (R √v·I) = LQ,
//
//	RRᵀ + v·I = LLᵀ,
//
// which never forms what rounding could make indefinite.
type adder struct {
	n         int
	wide      blas64.General // n × 2n
	tau, work []float64
}

func newAdder(n int) *adder {
	d := &adder{
		n:    n,
		wide: blas64.General{Rows: n, Cols: 2 * n, Stride: 2 * n, Data: make([]float64, 2*n*n)},
		tau:  make([]float64, n),
	}
	var need [1]float64
	lapack64.Gelqf(d.wide, d.tau, need[:], -1)
	d.work = make([]float64, int(need[0]))
	return d
}

func (d *adder) apply(root []float64, variance float64) error {
	n, sd := d.n, math.Sqrt(variance)
	for i := range n {
		row := d.wide.Data[i*2*n : (i+1)*2*n]
		copy(row, root[i*n:(i+1)*n])
		clear(row[n:])
		row[n+i] = sd
	}
	lapack64.Gelqf(d.wide, d.tau, d.work, len(d.work))
	for i := range n {
		row := root[i*n : (i+1)*n]
		clear(row)
		copy(row[:i+1], d.wide.Data[i*2*n:])
		var square float64
		for _, x := range row {
			square += x * x
		}
		if math.IsInf(square, 0) || math.IsNaN(square) {
			return errVariance
		}
	}
	return nil
}
