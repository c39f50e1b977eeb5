package bnn

import (
	"errors"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// State is all that there is to know of a network, in a form that can be stored:
// a network restored from it predicts and learns to the last bit as the original
// does. Weights and SetWeights do not give that, as the covariances are products
// of the roots that the network keeps.
type State struct {
	Config Config // with its defaults filled in
	Layers []LayerState
}

// LayerState holds the weights of one layer of o neurons with d inputs; the bias
// counts as the last input. Either Root or Variance is nil.
type LayerState struct {
	Mean *mat.Dense // o × d: row j is μ_j

	// Root is od × d where covariances are full: the rows from jd on are the
	// d × d root R_j of Σ_j = R_jR_jᵀ. Of a shared covariance it is the d × d root,
	// and of a joint output layer the od × od root of the covariance of all
	// weights, neuron by neuron. No root is triangular.
	Root *mat.Dense

	Variance *mat.Dense // o × d where covariances are diagonal: row j is the diagonal of Σ_j
}

// State returns a copy of the state of the network. It may be called beside
// Predict, as that may.
func (n *Network) State() State {
	s := State{Config: n.cfg.WithDefaults()} // which copies the slices
	for _, w := range n.layers {
		s.Layers = append(s.Layers, w.state(w.MeanMatrix()))
	}
	return s
}

// Restore returns a network in the given state, which is copied. It returns an
// error unless the configuration is valid, the matrices fit it, all means and
// covariances are finite, and no variance is negative.
func Restore(s State) (*Network, error) {
	n, err := zero(s.Config)
	if err != nil {
		return nil, err
	}
	if len(s.Layers) != len(n.layers) {
		return nil, fmt.Errorf("bnn: state of %d layers of weights for Layers = %v; need %d", len(s.Layers), n.cfg.Layers, len(n.layers))
	}
	for l, layer := range s.Layers {
		if err := layer.check(&n.cfg, l); err != nil {
			return nil, fmt.Errorf("bnn: state of layer %d: %w", l, err)
		}
		n.layers[l].SetMean(layer.Mean)
		n.layers[l].restore(layer)
	}
	return n, nil
}

func (s *LayerState) check(cfg *Config, l int) error {
	out, in := cfg.WeightDims(l)
	if err := checkMatrix("means", s.Mean, out, in); err != nil {
		return err
	}
	if cfg.covariance(l) == Diagonal {
		if s.Root != nil {
			return errors.New("has roots; the layer is diagonal")
		}
		if err := checkMatrix("variances", s.Variance, out, in); err != nil {
			return err
		}
		for j := range out {
			if x := floats.Min(s.Variance.RawRowView(j)); x < 0 {
				return fmt.Errorf("neuron %d has the variance %g; need positive semi-definite", j, x)
			}
		}
		return nil
	}
	if s.Variance != nil {
		return fmt.Errorf("has variances; the layer is %v", cfg.covariance(l))
	}
	rows, cols := cfg.RootDims(l)
	if err := checkMatrix("roots", s.Root, rows, cols); err != nil {
		return err
	}
	for k := range rows {
		if row := s.Root.RawRowView(k); math.IsInf(floats.Dot(row, row), 0) {
			return fmt.Errorf("covariance of neuron %d overflows", k/in)
		}
	}
	return nil
}

// checkMatrix returns an error unless m is r×c and finite.
func checkMatrix(name string, m *mat.Dense, r, c int) error {
	if m == nil {
		return fmt.Errorf("has no %s", name)
	}
	if rows, cols := m.Dims(); rows != r || cols != c {
		return fmt.Errorf("has %d×%d %s; need %d×%d", rows, cols, name, r, c)
	}
	for i := range r {
		for _, x := range m.RawRowView(i) {
			if math.IsNaN(x) || math.IsInf(x, 0) {
				return fmt.Errorf("row %d of the %s holds %g", i, name, x)
			}
		}
	}
	return nil
}
