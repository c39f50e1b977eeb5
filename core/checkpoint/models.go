package checkpoint

import (
	"cmp"
	"fmt"
	"math"
	"slices"

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
	case *features.Model:
		return l.model(prefix, *m)
	case *readout.Layer:
		return l.layer(prefix, m.Config(), m.State())
	}
	return fmt.Errorf("a %T cannot be stored; allowed: the models of core, and features.Model and banks of these", m)
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

// numbers is the name of a matrix of so many columns, where its numbers are kept.
type numbers struct {
	name   string
	cols   int
	floats *[]float64
	ints   *[]int // in place of floats
}

// numbers adds matrices, but for empty ones.
func (l *list) numbers(prefix string, all []numbers) {
	for _, n := range all {
		if n.ints != nil {
			n.floats = new(convert[float64](*n.ints))
		}
		if x := *n.floats; len(x) > 0 {
			l.add(prefix+n.name, mat.NewDense(len(x)/n.cols, n.cols, x))
		}
	}
}

// numbers reads matrices; those that are missing are empty.
func (a contents) numbers(prefix string, all []numbers) error {
	for _, n := range all {
		var m mat.Dense
		if !a.has(prefix + n.name) {
			continue
		}
		if err := a.read(prefix+n.name, &m); err != nil {
			return err
		}
		if x := m.RawMatrix().Data; n.ints != nil {
			*n.ints = convert[int](x)
		} else {
			*n.floats = x
		}
	}
	return nil
}

func convert[T, S int | float64](numbers []S) (all []T) {
	for _, n := range numbers {
		all = append(all, T(n))
	}
	return all
}

// mixture is an ensemble, or a bank with its state but the examples that it keeps, as it stands in the file.
type mixture struct {
	Members int            `json:"members"`
	Bank    *bnn.BankState `json:"bank,omitempty"`
}

// sample is the examples that a bank keeps.
type sample struct {
	class   []int
	x, logP []float64
}

func (s *sample) numbers(inputs, members int) []numbers {
	return []numbers{
		{"sample_class", 1, nil, &s.class}, {"sample", inputs, &s.x, nil}, {"sample_log_p", members, &s.logP, nil},
	}
}

func memberPrefix(prefix string, k int) string { return fmt.Sprintf("%smember%d_", prefix, k) }

func (l *list) mixture(prefix string, members []bnn.Model, bank *bnn.BankState) error {
	var s sample
	if bank != nil {
		for class, kept := range bank.Order.Kept {
			for _, e := range kept {
				s.class, s.x, s.logP = append(s.class, class), append(s.x, e.X...), append(s.logP, e.LogP...)
			}
		}
		bank.Order.Kept = nil
	}
	err := l.object(prefix+"mixture", mixture{len(members), bank})
	inputs, _ := members[0].Shape()
	l.numbers(prefix, s.numbers(inputs, len(members)))
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
	var networks []*bnn.Network
	for k := range mix.Members {
		m, err := a.model(memberPrefix(prefix, k))
		if err != nil {
			return nil, err
		}
		members = append(members, m)
		if n, ok := m.(*bnn.Network); ok {
			networks = append(networks, n)
		}
	}
	switch {
	case mix.Bank != nil && len(members) > 0:
		if err := a.sample(prefix, &mix.Bank.Order, members); err != nil {
			return nil, err
		}
		return bnn.RestoreBank(*mix.Bank, members...)
	case len(networks) < len(members):
		return nil, fmt.Errorf("entry %smixture: a member of an ensemble is no network", prefix)
	}
	return bnn.Combine(networks...)
}

// sample reads the examples that a bank keeps.
func (a contents) sample(prefix string, order *bnn.Order, members []bnn.Model) error {
	var s sample
	inputs, _ := members[0].Shape()
	if err := a.numbers(prefix, s.numbers(inputs, len(members))); err != nil {
		return err
	}
	order.Kept = make([][]bnn.Kept, len(order.Counts))
	x := slices.Collect(slices.Chunk(s.x, inputs))
	logP := slices.Collect(slices.Chunk(s.logP, len(members)))
	for i, class := range s.class {
		if class < 0 || class >= len(order.Kept) || len(x) != len(s.class) || len(logP) != len(s.class) {
			return fmt.Errorf("entry %ssample: %d inputs and %d log probabilities of %d examples, one of class %d of %d",
				prefix, len(x), len(logP), len(s.class), class, len(order.Kept))
		}
		order.Kept[class] = append(order.Kept[class], bnn.Kept{X: x[i], LogP: logP[i]})
	}
	return nil
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

// approximation is the softmax of a configuration; a kind has λ and ρ, λ and correlations by rows, or fast.
type approximation struct {
	Kind   string    `json:"kind"`
	Lambda *float64  `json:"lambda,omitempty"`
	Rho    *float64  `json:"rho,omitempty"`
	Corr   []float64 `json:"corr,omitempty"`
	Fast   *bool     `json:"fast,omitempty"`
}

func (l *list) network(prefix string, s bnn.State) error {
	c := config{Config: s.Config}
	switch s := s.Config.Softmax.(type) {
	case softmax.Probit:
		c.Softmax = approximation{Kind: "probit", Lambda: &s.Lambda, Rho: &s.Rho}
	case softmax.ProbitCorr:
		corr := mat.DenseCopyOf(s.Corr).RawMatrix().Data
		c.Softmax = approximation{Kind: "probit-corr", Lambda: &s.Lambda, Corr: corr}
	case softmax.Exact:
		c.Softmax = approximation{Kind: "exact", Fast: &s.Fast}
	default:
		return fmt.Errorf("a network whose softmax is a %T cannot be stored; "+
			"allowed: softmax.Probit, softmax.ProbitCorr, softmax.Exact", s)
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
	d := int(math.Sqrt(float64(len(c.Softmax.Corr)))) // of the correlations
	switch s := c.Softmax; {
	case s.Kind == "probit" && s.Lambda != nil && s.Rho != nil:
		c.Config.Softmax = softmax.Probit{Lambda: *s.Lambda, Rho: *s.Rho}
	case s.Kind == "probit-corr" && s.Lambda != nil && d > 0 && len(s.Corr) == d*d:
		c.Config.Softmax = softmax.ProbitCorr{Lambda: *s.Lambda, Corr: mat.NewSymDense(d, s.Corr)}
	case s.Kind == "exact" && s.Fast != nil:
		c.Config.Softmax = softmax.Exact{Fast: *s.Fast}
	default:
		return nil, fmt.Errorf("entry %sconfig: softmax of kind %q: need probit with lambda and rho, "+
			"probit-corr with lambda and the correlations, or exact with fast", prefix, s.Kind)
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

// layerState is an output layer but its matrices, as it stands in the file.
type layerState struct {
	readout.Config
	Limited int     `json:"limited,omitempty"`
	Share   float64 `json:"share,omitempty"` // of the recursion
	Next    int     `json:"next,omitempty"`
}

// layerNumbers lists the matrices of a layer; that of the recursion are empty without one.
func layerNumbers(c readout.Config, s *readout.State, q *readout.Sequence) []numbers {
	d, n := c.Inputs, c.Classes
	return []numbers{
		{"count", n, nil, &s.Count},
		{"sum", d, &s.Sum, nil},
		{"scatter", d * (d + 1) / 2, &s.Scatter, nil},
		{"kept_class", 1, nil, &s.KeptClass},
		{"kept_count", 1, nil, &s.KeptCount},
		{"kept", d, &s.Kept, nil},
		{"p", (d + 1) * (d + 2) / 2, &q.P, nil},
		{"pending", d + 1, &q.Pending, nil},
		{"w", d + 1, &q.W, nil},
		{"evidence", max(1, len(q.Evidence)), &q.Evidence, nil},
		{"output_class", 1, nil, &q.Class},
		{"output", n, &q.Output, nil},
		{"fitted_class", 1, nil, &q.SampleClass},
		{"fitted", n, &q.Sample, nil},
		{"fitted_count", n, nil, &q.SampleCount},
	}
}

func (l *list) layer(prefix string, c readout.Config, s readout.State) error {
	q := s.Sequence
	if q == nil {
		q = new(readout.Sequence)
	}
	err := l.object(prefix+"readout", layerState{c, s.Limited, q.Share, q.Next})
	l.numbers(prefix, layerNumbers(c, &s, q))
	return err
}

func (a contents) layer(prefix string) (bnn.Model, error) {
	var c layerState
	if err := a.read(prefix+"readout", &c); err != nil {
		return nil, err
	}
	q := readout.Sequence{Share: c.Share, Next: c.Next}
	s := readout.State{Limited: c.Limited}
	if err := a.numbers(prefix, layerNumbers(c.Config, &s, &q)); err != nil {
		return nil, err
	}
	if c.Sequential {
		s.Sequence = &q
	}
	return readout.Restore(c.Config, s)
}
