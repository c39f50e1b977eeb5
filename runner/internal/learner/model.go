package learner

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/classifier"
	"closedform/core/mixture"
	"closedform/core/readout"
	"closedform/core/softmax"
	"closedform/internal/field"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/slope"
)

// Model is the closed-form network of a manifest. Missing values are those of [bnn.Default].
type Model struct {
	// Layers are inputs, hidden widths, classes; default from the data.
	Layers []int `toml:"layers" range:"1 100,000,000"`

	Architecture

	// Readout is an output layer in place of a network, which ignores the other keys of networks; default none.
	Readout readout.Kind `toml:"output,omitempty" json:",omitempty"`

	Bias   bool           `toml:"bias"`                   // gives each layer a trailing input 1; default true
	Alpha  float64        `toml:"alpha"`                  // slope α of units max(αz, βz), 0 ≤ α ≤ 1; default 0
	Beta   float64        `toml:"beta"`                   // slope β of these units, β ≥ α, β > 0; default 1
	Output bnn.OutputRule `toml:"rule"`                   // update of the logits by a label; default "adf"
	Hidden bnn.HiddenRule `toml:"hidden"`                 // update of hidden layers; default "smooth-mean"
	Lambda slope.Lambda   `toml:"lambda"`                 // slope λ of the probit; default "slope"
	Rho    float64        `toml:"rho" range:"0 0.999999"` // correlation ρ of the probit; default 0.5

	// These lists have an entry for each layer of weights, or one for all.

	// Covariance is the form of the covariances of the weights, layer by layer; default by size.
	Covariance []bnn.Covariance `toml:"covariance"`
	// Replications are how often an example counts for covariances; default 1, if diagonal √inputs/2.
	Replications []float64 `toml:"replications,omitempty"`
	// PriorVar is the prior variance of a weight, layer by layer; default see below.
	PriorVar []float64 `toml:"prior_var,omitempty"`

	// PriorFactor are factors of the default of prior_var; default 1.
	PriorFactor  []float64 `toml:"prior_factor,omitempty" range:"1e-300 1e300"`
	PriorMeanVar float64   `toml:"prior_mean_var"` // variance of prior means times inputs; default 2
	// PriorDraw is how prior means are drawn; default "orthogonal".
	PriorDraw bnn.PriorDraw `toml:"prior_draw"`

	// PriorMean are the prior means of one layer of weights, neurons × inputs (and bias); default random.
	PriorMean [][]float64 `toml:"prior_mean,omitempty"`

	bnn.PaperRule

	// ProcessNoise is, by layer, the share of the gap to the prior variance that an example closes; default 0.
	ProcessNoise []float64 `toml:"process_noise,omitempty" json:",omitempty"`

	// Followers keeps the members of the default bank that have process noise; default true.
	Followers bool `toml:"followers"`
	// FixedShare is the share of the default bank's weights that an example distributes equally; default 0.0002.
	FixedShare float64 `toml:"fixed_share" range:"0 1"`

	// RandomFeatures makes hidden weights certain, so that only the output layer learns; default false.
	RandomFeatures bool `toml:"random_features"`
}

// DefaultModel is the model of a manifest without keys.
func DefaultModel() Model {
	d := bnn.Default(1, 2)
	return Model{
		Bias: d.Bias, Alpha: d.Unit.Alpha, Beta: d.Unit.Beta, Output: d.Output, Hidden: d.Hidden,
		Lambda: slope.Lambda{Word: "slope"}, Rho: 0.5, Followers: true, FixedShare: mixture.FixedShare,
		PriorMeanVar: d.PriorMeanVar, PriorDraw: d.PriorDraw, PaperRule: d.Paper,
	}
}

func (m *Model) config(layers []int) (bnn.Config, error) {
	c := bnn.Default(layers...)
	c.Bias, c.Unit.Alpha, c.Unit.Beta, c.Output, c.Hidden = m.Bias, m.Alpha, m.Beta, m.Output, m.Hidden
	c.PriorMeanVar, c.PriorDraw, c.Paper = m.PriorMeanVar, m.PriorDraw, m.PaperRule
	weights, kinds, factor := len(layers)-1, c.Covariance, []float64(nil)
	err := cmp.Or(forLayers("covariance", m.Covariance, weights, &kinds),
		forLayers("prior_factor", m.PriorFactor, weights, &factor))
	c.SetCovariance(kinds...)
	for l, by := range factor {
		c.PriorVar[l] *= by
	}
	if c.Softmax = (softmax.Exact{Fast: true}); m.Output != bnn.ADFExact && m.Output != bnn.ADFExactMarginal {
		c.Softmax = softmax.Probit{Lambda: m.Lambda.Value(layers[weights], m.Rho), Rho: m.Rho}
	}
	return c, cmp.Or(err, forLayers("prior_var", m.PriorVar, weights, &c.PriorVar),
		forLayers("replications", m.Replications, weights, &c.Replications),
		forLayers("process_noise", m.ProcessNoise, weights, &c.ProcessNoise))
}

// forLayers sets dst to a list with an entry for each layer, which may repeat its only entry, unless empty.
func forLayers[T any](key string, list []T, layers int, dst *[]T) error {
	switch len(list) {
	case 0:
	case 1:
		*dst = slices.Repeat(list, layers)
	case layers:
		*dst = list
	default:
		return field.Refuse(true, key, list, fmt.Sprintf("1 entry, or %d, one for each layer of weights", layers))
	}
	return nil
}

// For returns the model with layers for these inputs and classes, or an error if they do not fit the model.
func (m Model) For(inputs, classes int) (Model, error) {
	if n := len(m.Layers); n > 0 && (m.Layers[0] != inputs || m.Layers[n-1] != classes) {
		return m, field.Refuse(true, "layers", m.Layers,
			fmt.Sprintf("[%d, …, %d], as the data have", inputs, classes))
	} else if n == 0 {
		m.Layers, m.HiddenLayers = slices.Concat([]int{inputs}, m.HiddenLayers, []int{classes}), nil
	}
	return m, field.Resolve(&m)
}

// Validate reports invalid values. For calls Validate again once the data determine inputs and classes.
func (m *Model) Validate() error {
	layers, key, value, layer := m.Layers, "layers", m.Layers, m.Readout != ""
	if len(layers) == 0 { // assume the smallest numbers of inputs and classes
		layers = slices.Concat([]int{1}, m.HiddenLayers, []int{2})
	}
	if len(m.HiddenLayers) > 0 {
		key, value = "hidden_layers", m.HiddenLayers
	}
	checked, fits := *m, true
	if m.Lambda.Word != "" { // the λ of a word takes long to compute: check another λ
		checked.Lambda, fits = slope.Lambda{Number: 1}, m.Rho <= slope.MostRho
	}
	const alone = "without output, which has features and no network"
	err := errors.Join(
		m.Features.Validate(),
		field.Refuse(layer && m.Members > 1, "members", m.Members, alone),
		field.Refuse(layer && len(layers) > 2, key, value, alone),
		field.Refuse(!fits, "rho", m.Rho, fmt.Sprintf("0 to %v with a word for lambda", slope.MostRho)),
		field.Refuse(m.ProcessNoise != nil && (layer || m.hasBank()), "process_noise", m.ProcessNoise,
			"members = 1 or more, without output: some members of the default mixture have noise of their own"),
		field.Refuse(!m.Followers && !m.hasBank(), "followers", false, "in the default mixture"),
		field.Refuse(m.FixedShare != mixture.FixedShare && !m.hasBank(), "fixed_share", m.FixedShare,
			"in the default mixture"),
		field.Refuse(m.RandomFeatures && m.Hidden != bnn.Frozen, "random_features", true, `with hidden = "frozen"`),
		field.Refuse(len(m.PriorVar) > 0 && len(m.PriorFactor) > 0, "prior_factor", m.PriorFactor,
			"without prior_var"),
		field.Refuse(len(m.Layers) > 0 && len(m.HiddenLayers) > 0, key, value,
			"without layers, which has them already"),
		field.Refuse(len(layers) < 2, key, value, "inputs, hidden layers, and classes"),
	)
	if err != nil {
		return err
	}
	cfg, err := checked.config(layers)
	if err = errors.Join(err, cfg.Validate()); err != nil {
		return err
	}
	numbers := 0.0
	for l := range layers[1:] {
		rows, cols := cfg.SpreadDims(l)
		numbers += float64(rows) * float64(cols) * float64(cmp.Or(m.Members, 3))
	}
	if inputs := float64(layers[0]); m.Readout == readout.Ridge {
		numbers = inputs * (inputs + 1) / 2
	} else if m.Readout == readout.Gaussian {
		numbers = inputs * (inputs + 1) / 2 * float64(layers[len(layers)-1])
	}
	rows, cols := cfg.WeightDims(0)
	fits = m.PriorMean == nil || len(layers) == 2 && len(m.PriorMean) == rows
	for _, row := range m.PriorMean {
		fits = fits && len(row) == cols
	}
	return errors.Join(checkSize(key, numbers), field.Refuse(!fits, "prior_mean", m.PriorMean, fmt.Sprintf(
		"with one layer of weights, %d rows, one for each neuron, of %d numbers, one for each input", rows, cols)))
}

func checkSize(key string, numbers float64) error {
	if numbers > manifest.MaxWeights {
		const problem = "the method keeps %.3g numbers; allowed: at most %d"
		return field.Errorf(key, problem, numbers, manifest.MaxWeights)
	}
	return nil
}

// Mixture returns the networks of the model with their prior weights; Layers are set.
func (m Model) Mixture(src rand.Source) (*bnn.Ensemble, error) {
	cfg, err := m.config(m.Layers)
	if err != nil {
		return nil, err
	}
	e, err := bnn.NewEnsemble(cfg, max(1, m.Members), src)
	if err != nil {
		return nil, err
	}
	e.Serial()
	for _, n := range e.Members() {
		if err := m.setWeights(n); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// setWeights removes the variance of random features, and sets the given prior means.
func (m *Model) setWeights(n *bnn.Network) error {
	for l := range len(m.Layers) - 1 {
		certain := m.RandomFeatures && l < len(m.Layers)-2
		if !certain && len(m.PriorMean) == 0 {
			continue
		}
		mean, cov := n.Weights(l)
		for j := range cov {
			if certain {
				cov[j] = mat.NewDiagDense(cov[j].SymmetricDim(), nil)
			} else {
				mean.SetRow(j, m.PriorMean[j])
			}
		}
		if err := n.SetWeights(l, mean, cov); err != nil {
			return err
		}
	}
	return nil
}

// hasBank reports whether the model is the default bank: no members, no keys of the paper or of one network.
func (m *Model) hasBank() bool {
	paper := m.Output == bnn.Joint || m.Output == bnn.Total || m.Hidden == bnn.Frozen
	return m.Members == 0 && !paper && !m.RandomFeatures && len(m.PriorMean) == 0
}

func (m Model) learner(s Shape, src rand.Source) ([]Learner, error) {
	m, err := m.For(s.Inputs, s.Classes)
	if err != nil {
		return nil, err
	}
	n := new(Network)
	cfg, err := m.config(m.Layers)
	switch {
	case err != nil:
	case m.Readout != "":
		n.Model, err = readout.New(readout.Config{
			Kind: m.Readout, Inputs: s.Inputs, Classes: s.Classes,
			Sequential: s.Sequential && m.Readout == readout.Ridge,
		})
	case m.hasBank():
		var b *mixture.Mixture
		b, err = classifier.NewMixture(cfg, s.Images, src)
		if err == nil && !m.Followers {
			b, err = mixture.New(slices.DeleteFunc(b.Members(), mixture.Follows)...)
		}
		if err == nil {
			b.SetFixedShare(m.FixedShare)
			b.Serial() // the cells of an experiment use all processors already
			n.Model = b
		}
	default:
		n.Model, err = m.Mixture(src)
	}
	return []Learner{n}, err
}
