package bnn

import (
	"fmt"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// State is the complete state of a network: a restored network continues as the original, to the bit.
type State struct {
	Config  Config
	Layers  []LayerState
	Learned int // number of examples that have moved the weights; it says whose turn the process noise is
}

// LayerState is the weights of one layer of o neurons with d inputs; the bias is the last input.
type LayerState struct {
	Mean *mat.Dense // o × d: row j is μ_j

	// Spread has the diagonals of the Σ_j as rows, o × d, for diagonal covariances; for full ones the roots R_j
	// of Σ_j = R_jR_jᵀ one below the other, od × d; for a shared one its root, d × d. Roots are lower
	// triangular; Restore takes any.
	Spread *mat.Dense
}

func (n *Network) State() State {
	s := State{Config: n.Config(), Learned: n.learned}
	for _, w := range n.layers {
		s.Layers = append(s.Layers, w.state())
	}
	return s
}

// Restore returns a network in a copy of the state. It returns an error unless the configuration is valid,
// the matrices fit it, all numbers are finite, and no variance is negative.
func Restore(s State) (*Network, error) {
	if err := s.Config.Validate(); err != nil {
		return nil, fmt.Errorf("bnn: %w", err)
	}
	if need := len(s.Config.Layers) - 1; len(s.Layers) != need {
		return nil, fmt.Errorf("bnn: state of %d layers of weights for Layers = %v; need %d",
			len(s.Layers), s.Config.Layers, need)
	}
	for l, layer := range s.Layers { // checked before memory for a network is allocated
		if err := layer.check(&s.Config, l); err != nil {
			return nil, fmt.Errorf("bnn: state of layer %d: %w", l, err)
		}
	}
	if s.Learned < 0 {
		return nil, fmt.Errorf("bnn: state of %d learned examples", s.Learned)
	}
	n := zero(s.Config)
	n.learned = s.Learned
	for l, layer := range s.Layers {
		n.layers[l].restore(layer)
	}
	return n, nil
}

func (s *LayerState) check(cfg *Config, l int) error {
	out, in := cfg.WeightDims(l)
	rows, _ := cfg.SpreadDims(l)
	fits := func(m *mat.Dense, rows int) bool {
		return m != nil && m.RawMatrix().Rows == rows && m.RawMatrix().Cols == in
	}
	if !fits(s.Mean, out) || !fits(s.Spread, rows) {
		return fmt.Errorf("need means of %d×%d and spread of %d×%[2]d", out, in, rows)
	}
	for j := range out {
		if !kernel.Finite(s.Mean.RawRowView(j)...) {
			return fmt.Errorf("row %d of the means is not finite", j)
		}
	}
	for k := range rows {
		row := s.Spread.RawRowView(k)
		good := kernel.Finite(row...) && floats.Min(row) >= 0
		if cfg.Covariance[l] != Diagonal {
			good = kernel.Finite(kernel.Dot(row, row))
		}
		if !good {
			return fmt.Errorf("row %d of the spread has a variance that is negative or not finite", k)
		}
	}
	return nil
}

// AddClass adds a class after the others. The weights of its output neuron have mean zero and the prior
// covariance, in a Shared layer the layer's covariance; other weights stay. Config.Layers changes, and so
// does the λ of a softmax.Probit if it is the [softmax.SlopeLambda] of the classes. The new class may be
// quite probable before its first example, as no example has lowered its logit. Learning it alone many times
// makes the network forget the other classes. It returns an error if there are MostClasses already, or if the
// softmax has a fixed number of classes. For the members of a mixture call the AddClass of the mixture.
func (n *Network) AddClass() error {
	cfg, err := n.grown()
	if err != nil {
		return err
	}
	l, larger := len(n.layers)-1, zero(cfg)
	old, s := n.layers[l].state(), larger.layers[l].state()
	s.Mean.Copy(old.Mean)
	s.Spread = cfg.priorSpread(l)
	s.Spread.Copy(old.Spread)
	larger.layers[l].restore(s)
	copy(larger.layers, n.layers[:l])
	larger.learned = n.learned
	*n = *larger
	return nil
}

// grown returns the configuration with one more class.
func (n *Network) grown() (Config, error) {
	c, classes := n.Config(), n.cfg.classes()
	c.Layers[len(c.Layers)-1]++
	if p, ok := c.Softmax.(softmax.Probit); ok && p.Lambda == softmax.SlopeLambda(classes, p.Rho) {
		p.Lambda = softmax.SlopeLambda(classes+1, p.Rho)
		c.Softmax = p
	}
	if err := c.Validate(); err != nil {
		return c, fmt.Errorf("bnn: a network of %d classes and one more: %w", classes, err)
	}
	return c, nil
}
