package checkpoint

import (
	"cmp"
	"fmt"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/readout"
	"closedform/core/softmax"
)

// model adds the entries of a model, with names that begin with the prefix.
func (l *list) model(prefix string, m bnn.Model) error {
	switch m := m.(type) {
	case *bnn.Network:
		return l.network(prefix, m.State())
	case *bnn.Ensemble:
		if len(m.Models()) == 1 {
			return l.model(prefix, m.Models()[0])
		}
		return l.mixture(prefix, m.Models(), nil)
	case *bnn.Bank:
		state := m.State()
		return l.mixture(prefix, m.Models(), &state)
	case features.Model:
		return cmp.Or(l.object(prefix+"features", m.Map), l.model(prefix+"model_", m.Model))
	case *readout.Layer:
		err := l.object(prefix+"readout", m.Config())
		l.layer(prefix, m.Config(), m.State())
		return err
	}
	return fmt.Errorf("a %T cannot be stored; allowed: "+
		"*bnn.Network, *bnn.Ensemble, *bnn.Bank, *readout.Layer, features.Model", m)
}

// model returns the model whose entries have names that begin with the prefix.
func (a contents) model(prefix string) (bnn.Model, error) {
	switch {
	case a.has(prefix + "features"):
		return a.features(prefix)
	case a.has(prefix + "readout"):
		return a.layer(prefix)
	case a.has(prefix + "mixture"):
		return a.mixture(prefix)
	}
	return a.network(prefix)
}

// mixture is an ensemble, or a bank with its state, as it stands in the file.
type mixture struct {
	Members int            `json:"members"`
	Bank    *bnn.BankState `json:"bank,omitempty"`
}

func memberPrefix(prefix string, k int) string { return fmt.Sprintf("%smember%d_", prefix, k) }

func (l *list) mixture(prefix string, members []bnn.Model, bank *bnn.BankState) error {
	err := l.object(prefix+"mixture", mixture{len(members), bank})
	for k, m := range members {
		err = cmp.Or(err, l.model(memberPrefix(prefix, k), m))
	}
	return err
}

func (a contents) mixture(prefix string) (bnn.Model, error) {
	var mix mixture
	if err := a.read(prefix+"mixture", &mix); err != nil {
		return nil, err
	}
	var members []bnn.Model
	for k := range mix.Members {
		m, err := a.model(memberPrefix(prefix, k))
		if err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	if mix.Bank != nil {
		return bnn.RestoreBank(*mix.Bank, members...)
	}
	var networks []*bnn.Network
	for k, m := range members {
		n, ok := m.(*bnn.Network)
		if !ok {
			return nil, fmt.Errorf("entry %smixture: member %d of an ensemble is no network", prefix, k)
		}
		networks = append(networks, n)
	}
	return bnn.Combine(networks...)
}

func (a contents) features(prefix string) (bnn.Model, error) {
	var m features.Map
	if err := a.read(prefix+"features", &m); err != nil {
		return nil, err
	}
	model, err := a.model(prefix + "model_")
	if err != nil {
		return nil, err
	}
	if inputs, _ := model.Shape(); inputs != m.Size {
		return nil, fmt.Errorf("features: %d, and a model of %d inputs", m.Size, inputs)
	}
	again, err := features.New(m.Kind, m.Inputs, m.Size, m.Seed)
	return features.Model{Map: again, Model: model}, err
}

// config is a configuration as it stands in the file.
type config struct {
	bnn.Config
	Softmax approximation `json:"softmax"`
}

// approximation is the softmax of a configuration; a kind has either λ and ρ or
// fast.
type approximation struct {
	Kind   string   `json:"kind"`
	Lambda *float64 `json:"lambda,omitempty"`
	Rho    *float64 `json:"rho,omitempty"`
	Fast   *bool    `json:"fast,omitempty"`
}

func (l *list) network(prefix string, s bnn.State) error {
	c := config{Config: s.Config}
	switch s := s.Config.Softmax.(type) {
	case softmax.Probit:
		c.Softmax = approximation{Kind: "probit", Lambda: &s.Lambda, Rho: &s.Rho}
	case softmax.Exact:
		c.Softmax = approximation{Kind: "exact", Fast: &s.Fast}
	default:
		return fmt.Errorf("a network whose softmax is a %T cannot be stored; "+
			"allowed: softmax.Probit, softmax.Exact", s)
	}
	err := l.object(prefix+"config", c)
	for k, layer := range s.Layers {
		l.add(fmt.Sprint(prefix, "mean", k), layer.Mean)
		l.add(spreadName(prefix, s.Config, k), layer.Spread)
	}
	return err
}

func (a contents) network(prefix string) (bnn.Model, error) {
	var c config
	if err := a.read(prefix+"config", &c); err != nil {
		return nil, err
	}
	switch s := c.Softmax; {
	case s.Kind == "probit" && s.Lambda != nil && s.Rho != nil:
		c.Config.Softmax = softmax.Probit{Lambda: *s.Lambda, Rho: *s.Rho}
	case s.Kind == "exact" && s.Fast != nil:
		c.Config.Softmax = softmax.Exact{Fast: *s.Fast}
	default:
		return nil, fmt.Errorf("entry %sconfig: softmax of kind %q: "+
			"need probit with lambda and rho, or exact with fast", prefix, s.Kind)
	}
	if err := c.Config.Validate(); err != nil {
		return nil, fmt.Errorf("entry %sconfig: %w", prefix, err)
	}
	s := bnn.State{Config: c.Config}
	for k := range c.Layers[1:] {
		layer := bnn.LayerState{Mean: new(mat.Dense), Spread: new(mat.Dense)}
		err := a.read(fmt.Sprint(prefix, "mean", k), layer.Mean)
		if err = cmp.Or(err, a.read(spreadName(prefix, c.Config, k), layer.Spread)); err != nil {
			return nil, err
		}
		s.Layers = append(s.Layers, layer)
	}
	return bnn.Restore(s)
}

// spreadName returns that of the roots or variances of a layer.
func spreadName(prefix string, cfg bnn.Config, k int) string {
	if cfg.Covariance[k] == bnn.Diagonal {
		return fmt.Sprint(prefix, "variance", k)
	}
	return fmt.Sprint(prefix, "root", k)
}

// layer adds the state of an output layer.
func (l *list) layer(prefix string, c readout.Config, s readout.State) {
	matrix := func(name string, cols int, x []float64) {
		l.add(prefix+name, mat.NewDense(len(x)/cols, cols, x))
	}
	matrix("count", c.Classes, convert[float64](s.Count))
	matrix("sum", c.Inputs, s.Sum)
	matrix("scatter", c.Inputs*(c.Inputs+1)/2, s.Scatter)
	if kept := len(s.KeptClass); kept > 0 {
		matrix("kept_class", kept, convert[float64](s.KeptClass))
		matrix("kept", c.Inputs, s.Kept)
	}
}

func (a contents) layer(prefix string) (bnn.Model, error) {
	var c readout.Config
	if err := a.read(prefix+"readout", &c); err != nil {
		return nil, err
	}
	var s readout.State
	var err error
	matrix := func(name string) []float64 {
		var m mat.Dense
		err = cmp.Or(err, a.read(prefix+name, &m))
		return m.RawMatrix().Data
	}
	s.Count, s.Sum, s.Scatter = convert[int](matrix("count")), matrix("sum"), matrix("scatter")
	if a.has(prefix + "kept_class") {
		s.KeptClass, s.Kept = convert[int](matrix("kept_class")), matrix("kept")
	}
	if err != nil {
		return nil, err
	}
	return readout.Restore(c, s)
}

func convert[T, S int | float64](numbers []S) (all []T) {
	for _, n := range numbers {
		all = append(all, T(n))
	}
	return all
}
