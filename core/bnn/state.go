package bnn

import (
	"cmp"
	"fmt"
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/internal/kernel"
)

// State is all that there is to know of a network, in a form that can be stored: a network restored
// from it predicts and learns to the last bit as the original does.
type State struct {
	Config Config
	Layers []LayerState
}

// LayerState holds the weights of one layer of o neurons with d inputs; the bias
// counts as the last input.
type LayerState struct {
	Mean *mat.Dense // o × d: row j is μ_j

	// Spread is o × d where covariances are diagonal: row j is the diagonal of Σ_j. Where they are
	// full it is od × d: the rows from jd on are the d × d root R_j of Σ_j = R_jR_jᵀ. Of a shared
	// covariance it is the d × d root. Roots are lower triangular; Restore takes any.
	Spread *mat.Dense
}

// State returns a copy of the state of the network. It may be called beside Predict, as that may.
func (n *Network) State() State {
	s := State{Config: n.Config()}
	for _, w := range n.layers {
		s.Layers = append(s.Layers, LayerState{w.MeanMatrix(), w.spread()})
	}
	return s
}

// Restore returns a network in the given state, which is copied. It returns an
// error unless the configuration is valid, the matrices fit it, all means and
// covariances are finite, and no variance is negative.
func Restore(s State) (*Network, error) {
	if err := s.Config.Validate(); err != nil {
		return nil, fmt.Errorf("bnn: %w", err)
	}
	if need := len(s.Config.Layers) - 1; len(s.Layers) != need {
		return nil, fmt.Errorf("bnn: state of %d layers of weights for Layers = %v; need %d",
			len(s.Layers), s.Config.Layers, need)
	}
	for l, layer := range s.Layers { // before there is a network, which may be larger than they
		if err := layer.check(&s.Config, l); err != nil {
			return nil, fmt.Errorf("bnn: state of layer %d: %w", l, err)
		}
	}
	n := zero(s.Config)
	for l, layer := range s.Layers {
		n.layers[l].SetMean(layer.Mean)
		n.layers[l].restore(layer.Spread)
	}
	return n, nil
}

func (s *LayerState) check(cfg *Config, l int) error {
	out, in := cfg.WeightDims(l)
	kind, name := cfg.Covariance[l], "roots"
	if kind == Diagonal {
		name = "variances"
	}
	rows, cols := cfg.SpreadDims(l)
	if err := cmp.Or(checkMatrix("means", s.Mean, out, in), checkMatrix(name, s.Spread, rows, cols)); err != nil {
		return err
	}
	for k := range rows {
		row := s.Spread.RawRowView(k)
		if least := floats.Min(row); kind == Diagonal && least < 0 {
			return fmt.Errorf("neuron %d has the variance %g; need 0 or more", k, least)
		}
		if kind != Diagonal && math.IsInf(kernel.Dot(row, row), 0) {
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
		if j := notFinite(m.RawRowView(i)); j >= 0 {
			return fmt.Errorf("row %d of the %s holds %g", i, name, m.At(i, j))
		}
	}
	return nil
}
