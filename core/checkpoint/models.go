package checkpoint

import (
	"fmt"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/mixture"
	"closedform/core/readout"
	"closedform/core/softmax"
)

func (f *file) save(prefix string, m bnn.Model) {
	switch m := m.(type) {
	case *bnn.Network:
		s := m.State()
		f.network(prefix, &s)
	case *bnn.Ensemble:
		networks := m.Members()
		if len(networks) == 1 {
			f.save(prefix, networks[0])
			return
		}
		f.mixture(prefix, &mixed{Members: len(networks)})
		for k, n := range networks {
			f.save(member(prefix, k), n)
		}
	case *mixture.Mixture:
		s := m.State()
		f.mixture(prefix, &mixed{len(m.Members()), &s})
		for k, part := range m.Members() {
			f.save(member(prefix, k), part)
		}
	case features.Model:
		f.features(prefix, m.Map)
		f.save(prefix+"model_", m.Model)
	case *features.Model:
		f.save(prefix, *m)
	case *readout.Layer:
		c, s := m.Config(), m.State()
		f.layer(prefix, &c, &s)
	default:
		f.fail(fmt.Errorf("a %T cannot be stored; allowed: models of core, and features and mixtures of these", m))
	}
}

func (f *file) load(prefix string) (m bnn.Model) {
	var restore func() (bnn.Model, error)
	switch {
	case f.find(prefix+"features") != nil:
		var read features.Map
		f.features(prefix, &read)
		model := f.load(prefix + "model_")
		restore = func() (bnn.Model, error) {
			if inputs, _ := model.Shape(); inputs != read.Size {
				return nil, fmt.Errorf("features: %d, and a model of %d inputs", read.Size, inputs)
			}
			m, err := features.New(read.Kind, read.Inputs, read.Size, read.Seed)
			return features.Model{Map: m, Model: model}, err
		}
	case f.find(prefix+"readout") != nil:
		var c readout.Config
		var s readout.State
		f.layer(prefix, &c, &s)
		restore = func() (bnn.Model, error) { return readout.Restore(c, s) }
	case f.find(prefix+"mixture") != nil:
		var e mixed
		var members []bnn.Model
		f.mixture(prefix, &e)
		for k := 0; k < e.Members && f.err == nil; k++ {
			members = append(members, f.load(member(prefix, k)))
		}
		restore = func() (bnn.Model, error) { return e.restore(members) }
	default:
		var s bnn.State
		f.network(prefix, &s)
		restore = func() (bnn.Model, error) { return bnn.Restore(s) }
	}
	if f.err == nil {
		m, f.err = restore()
	}
	return m
}

// features adds or reads the entry of a map. Loading draws its weights, which limits their number.
func (f *file) features(prefix string, m *features.Map) {
	f.object(prefix+"features", m)
	f.from = m
	if m.Kind != features.Relu {
		return
	}
	if f.weights += float64(m.Inputs) * float64(m.Size); f.weights > features.MostWeights {
		f.fail(fmt.Errorf("the maps to features have %.3g weights; allowed: %.3g in all", f.weights,
			float64(features.MostWeights)))
	}
}

// mixed is the entry mixture.
type mixed struct {
	Members int            `json:"members"`
	State   *mixture.State `json:"state,omitempty"` // nil for an ensemble
}

func (e *mixed) restore(members []bnn.Model) (bnn.Model, error) {
	if e.State != nil {
		return mixture.Restore(*e.State, members...)
	}
	networks := make([]*bnn.Network, len(members))
	for k, m := range members {
		var ok bool
		if networks[k], ok = m.(*bnn.Network); !ok {
			return nil, fmt.Errorf("member %d of an ensemble is no network", k)
		}
	}
	return bnn.Combine(networks...)
}

// mixture adds or reads the entry of a mixture, and the entries of its kept examples.
func (f *file) mixture(prefix string, e *mixed) {
	var kept [][]mixture.Kept
	if f.saving && e.State != nil {
		kept, e.State.Order.Kept = e.State.Order.Kept, nil
	}
	if f.object(prefix+"mixture", e); e.State != nil {
		f.sample(prefix, &e.State.Order, kept)
	}
}

func member(prefix string, k int) string { return fmt.Sprintf("%smember%d_", prefix, k) }

func (f *file) sample(prefix string, order *mixture.Order, kept [][]mixture.Kept) {
	var classes []int
	var x, logP []float64
	for class, examples := range kept {
		for _, e := range examples {
			classes, x, logP = append(classes, class), append(x, e.X...), append(logP, e.LogP...)
		}
	}
	n := max(1, len(classes))
	f.classes(prefix+"sample_class", &classes)
	f.numbers(prefix+"sample", len(x)/n, &x)
	f.numbers(prefix+"sample_log_p", len(logP)/n, &logP)
	if f.saving {
		return
	}
	n, order.Kept = len(classes), make([][]mixture.Kept, len(order.Counts))
	for i, class := range classes {
		if class < 0 || class >= len(order.Kept) || len(x)%n != 0 || len(logP)%n != 0 {
			f.fail(fmt.Errorf("entry %ssample: %d inputs and %d log probabilities of %d examples, "+
				"one of class %d of %d", prefix, len(x), len(logP), n, class, len(order.Kept)))
			return
		}
		row := func(all []float64) []float64 { return slices.Clone(all[i*len(all)/n : (i+1)*len(all)/n]) }
		order.Kept[class] = append(order.Kept[class], mixture.Kept{X: row(x), LogP: row(logP)})
	}
}

type config struct {
	bnn.Config
	Softmax approximation `json:"softmax"`
	Learned int           `json:"learned"`
}

type approximation struct {
	Kind   string    `json:"kind"`
	Lambda float64   `json:"lambda,omitempty"`
	Rho    float64   `json:"rho,omitempty"`
	Corr   []float64 `json:"corr,omitempty"`
	Fast   bool      `json:"fast,omitempty"`
}

func newApproximation(s softmax.Approximation) (approximation, error) {
	switch s := s.(type) {
	case softmax.Probit:
		return approximation{Kind: "probit", Lambda: s.Lambda, Rho: s.Rho}, nil
	case softmax.ProbitCorr:
		corr := mat.DenseCopyOf(s.Corr).RawMatrix().Data
		return approximation{Kind: "probit-corr", Lambda: s.Lambda, Corr: corr}, nil
	case softmax.Exact:
		return approximation{Kind: "exact", Fast: s.Fast}, nil
	}
	return approximation{}, fmt.Errorf("a network whose softmax is a %T cannot be stored; "+
		"allowed: softmax.Probit, softmax.ProbitCorr, softmax.Exact", s)
}

func (a approximation) softmax() (softmax.Approximation, error) {
	d := int(math.Sqrt(float64(len(a.Corr))))
	switch {
	case a.Kind == "probit":
		return softmax.Probit{Lambda: a.Lambda, Rho: a.Rho}, nil
	case a.Kind == "probit-corr" && d > 0 && len(a.Corr) == d*d:
		return softmax.ProbitCorr{Lambda: a.Lambda, Corr: mat.NewSymDense(d, a.Corr)}, nil
	case a.Kind == "exact":
		return softmax.Exact{Fast: a.Fast}, nil
	}
	return nil, fmt.Errorf("softmax of kind %q with %d correlations; need probit, "+
		"probit-corr with a square matrix, or exact", a.Kind, len(a.Corr))
}

func (f *file) network(prefix string, s *bnn.State) {
	c, err := config{Config: s.Config, Learned: s.Learned}, error(nil)
	if f.saving {
		c.Softmax, err = newApproximation(s.Config.Softmax)
		f.fail(err)
	}
	if f.object(prefix+"config", &c); f.err != nil {
		return
	}
	if !f.saving {
		s.Config, s.Learned = c.Config, c.Learned
		if s.Config.Softmax, err = c.Softmax.softmax(); err == nil {
			err = s.Config.Validate()
		}
		if err != nil {
			f.fail(fmt.Errorf("entry %sconfig: %w", prefix, err))
			return
		}
		s.Layers = make([]bnn.LayerState, len(s.Config.Layers)-1)
	}
	for l := range s.Layers {
		spread := "root"
		if s.Config.Covariance[l] == bnn.Diagonal {
			spread = "variance"
		}
		_, in := s.Config.WeightDims(l)
		f.matrix(fmt.Sprint(prefix, "mean", l), in, &s.Layers[l].Mean)
		f.matrix(fmt.Sprint(prefix, spread, l), in, &s.Layers[l].Spread)
	}
}

type layerState struct {
	readout.Config
	Limited int     `json:"limited,omitempty"`
	Share   float64 `json:"share,omitempty"` // Share and Next are fields of a readout.Sequence
	Next    int     `json:"next,omitempty"`
}

func (f *file) layer(prefix string, c *readout.Config, s *readout.State) {
	q := s.Sequence
	if q == nil {
		q = new(readout.Sequence)
	}
	state := layerState{*c, s.Limited, q.Share, q.Next}
	f.object(prefix+"readout", &state)
	*c, s.Limited, q.Share, q.Next = state.Config, state.Limited, state.Share, state.Next
	if c.Sequential {
		s.Sequence = q
	}
	d, n := c.Inputs, c.Classes
	f.numbers(prefix+"count", n, &s.Count)
	f.numbers(prefix+"sum", d, &s.Sum)
	planes(f, prefix+"scatter", &s.Scatter)
	f.classes(prefix+"kept_class", &s.KeptClass)
	f.numbers(prefix+"kept_count", 1, &s.KeptCount)
	f.kept(prefix, d, s)
	planes(f, prefix+"p", &q.P)
	f.numbers(prefix+"pending", d+1, &q.Pending)
	f.numbers(prefix+"w", d+1, &q.W)
	f.numbers(prefix+"evidence", 1, &q.Evidence)
	f.classes(prefix+"output_class", &q.Class)
	f.numbers(prefix+"output", n, &q.Output)
	f.classes(prefix+"fitted_class", &q.SampleClass)
	f.numbers(prefix+"fitted", n, &q.Sample)
	f.numbers(prefix+"fitted_count", n, &q.SampleCount)
}

// kept adds or reads the kept inputs of a layer of d inputs: their sources instead, if the inputs are the
// features of these by the map in front of the layer.
func (f *file) kept(prefix string, d int, s *readout.State) {
	if f.saving && len(s.Kept) > 0 && slices.Equal(f.ofSources(d, s), s.Kept) {
		s.Kept = nil
	} else if f.saving {
		s.Source = nil
	}
	f.numbers(prefix+"source", len(s.Source)/max(1, len(s.KeptClass)), &s.Source)
	matrix(f, prefix+"kept", "<i2", d, &s.Kept)
	if !f.saving && len(s.Source) > 0 {
		s.Kept = f.ofSources(d, s)
	}
}

// ofSources returns the features of the sources in units of 2⁻⁹, or nil if the map does not fit them. The map is
// made only for a layer whose matrices are in the file.
func (f *file) ofSources(d int, s *readout.State) (kept []int16) {
	m := f.from
	if m == nil || m.Size != d || len(s.Source) != len(s.KeptClass)*m.Inputs || len(s.Scatter) < d*(d+1)/2 {
		return nil
	}
	m, err := features.New(m.Kind, m.Inputs, m.Size, m.Seed)
	x := make([]float64, d)
	for row := range slices.Chunk(s.Source, max(1, f.from.Inputs)) {
		if err != nil || m.Standard(x, row) != nil {
			return nil
		}
		kept = append(kept, readout.Units(x)...)
	}
	return kept
}
