package bnn

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
)

// State is all that there is to know of a network, in a form that can be stored:
// a network restored from it predicts and learns to the last bit as the original
// does. Weights and SetWeights do not give that, as the covariances that the one
// returns are products of the roots that the network keeps.
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
		s.Layers = append(s.Layers, w.state())
	}
	return s
}

// Restore returns a network in the given state, which is copied. It returns an
// error unless the configuration is valid, the matrices fit it, all means and
// covariances are finite, and no variance is negative.
func Restore(s State) (*Network, error) {
	cfg, err := s.check()
	if err != nil {
		return nil, err
	}
	n := &Network{cfg: cfg, unit: cfg.activation()}
	for l := range s.Layers {
		out, in := cfg.WeightDims(l)
		layer := cfg.newWeights(l, in, out)
		layer.restore(s.Layers[l])
		n.layers = append(n.layers, layer)
	}
	n.pass.reset(n)
	n.step.reset(&n.cfg)
	return n, nil
}

// check returns the configuration with its defaults, or the error of Restore.
func (s *State) check() (Config, error) {
	cfg, err := s.Config.prepare()
	if err != nil {
		return cfg, err
	}
	if len(s.Layers) != len(cfg.Layers)-1 {
		return cfg, fmt.Errorf("bnn: state of %d layers of weights for Layers = %v; need %d", len(s.Layers), cfg.Layers, len(cfg.Layers)-1)
	}
	for l := range s.Layers {
		out, in := cfg.WeightDims(l)
		rows, cols := cfg.RootDims(l)
		if err := s.Layers[l].check(cfg.covariance(l), out, in, rows, cols); err != nil {
			return cfg, fmt.Errorf("bnn: state of layer %d: %w", l, err)
		}
	}
	return cfg, nil
}

// RootDims returns the dimensions of the roots of layer l of the weights in a
// LayerState, if it has any. It panics if the configuration is not valid.
func (c *Config) RootDims(l int) (rows, cols int) {
	out, in := c.WeightDims(l)
	switch {
	case c.OutputCovariance == JointNeurons && l == len(c.Layers)-2:
		return out * in, out * in
	case c.covariance(l) == Shared:
		return in, in
	}
	return out * in, in
}

// WeightDims returns the numbers of neurons and of inputs of layer l of the weights;
// the bias counts.
func (c *Config) WeightDims(l int) (out, in int) {
	out, in = c.Layers[l+1], c.Layers[l]
	if c.Bias {
		in++
	}
	return out, in
}

func (s *LayerState) check(kind Covariance, out, in, rootRows, rootCols int) error {
	if err := checkMatrix("means", s.Mean, out, in); err != nil {
		return err
	}
	if kind == Diagonal {
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
		return fmt.Errorf("has variances; the layer is %v", kind)
	}
	if err := checkMatrix("roots", s.Root, rootRows, rootCols); err != nil {
		return err
	}
	for k := range rootRows {
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

func (w *full) state() LayerState {
	return LayerState{
		Mean: mat.NewDense(w.out, w.in, slices.Clone(w.mean)),
		Root: mat.NewDense(w.out*w.in, w.in, slices.Clone(w.root)),
	}
}

func (w *full) restore(s LayerState) {
	mat.NewDense(w.out, w.in, w.mean).Copy(s.Mean)
	mat.NewDense(w.out*w.in, w.in, w.root).Copy(s.Root)
}

func (w *shared) state() LayerState {
	return LayerState{Mean: w.MeanMatrix(), Root: mat.NewDense(w.In, w.In, slices.Clone(w.root))}
}

func (w *shared) restore(s LayerState) {
	w.SetMean(s.Mean)
	mat.NewDense(w.In, w.In, w.root).Copy(s.Root)
}

func (w *correlated) state() LayerState {
	size := w.out * w.in
	return LayerState{
		Mean: mat.NewDense(w.out, w.in, slices.Clone(w.mean)),
		Root: mat.NewDense(size, size, slices.Clone(w.root)),
	}
}

func (w *correlated) restore(s LayerState) {
	size := w.out * w.in
	mat.NewDense(w.out, w.in, w.mean).Copy(s.Mean)
	mat.NewDense(size, size, w.root).Copy(s.Root)
}

func (w *diagonal) state() LayerState {
	return LayerState{Mean: w.MeanMatrix(), Variance: w.VarianceMatrix()}
}

func (w *diagonal) restore(s LayerState) {
	w.SetMean(s.Mean)
	mat.NewDense(w.In, w.Out, w.Variance).Copy(s.Variance.T())
}
