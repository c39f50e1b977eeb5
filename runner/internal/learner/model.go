package learner

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/field"
	"closedform/core/softmax"
	"closedform/runner/internal/config"
)

// Model is the closed-form network of a manifest: the keys of [bnn.Config], and
// what the manifest says in place of some.
type Model struct {
	bnn.Config
	HiddenLayers []int `toml:"hidden_layers,omitempty"` // widths, in place of layers where the data decide on inputs and classes

	Lambda Lambda  `toml:"lambda"` // of the probit that stands for the softmax
	Rho    float64 `toml:"rho"`    // its correlation, 0 ≤ ρ < 1

	PriorMean [][]float64 `toml:"prior_mean,omitempty"` // neurons × inputs (one more with a bias), for one layer of weights; else drawn

	// Ensemble is the number of networks whose mean is the prediction; zero stands for one.
	Ensemble int `toml:"ensemble,omitempty" json:",omitempty"`

	// RandomFeatures takes the variances of all hidden weights away, so that the output
	// layer alone learns, on f(μx). The hidden rule frozen keeps only their means.
	RandomFeatures bool `toml:"random_features"`
}

// DefaultModel is the model of a manifest without keys.
func DefaultModel() Model {
	return Model{Config: bnn.Config{}.WithDefaults(), Lambda: Lambda{Word: "slope"}, Rho: 0.5}
}

// Validate reports what is not allowed. Where the data decide on inputs and
// classes, it is called again by [Model.For].
func (m *Model) Validate() error {
	if err := cmp.Or(field.Fraction("rho", m.Rho), CheckEnsemble(m.Ensemble)); err != nil {
		return err
	}
	hidden := len(m.HiddenLayers) > 0 || len(m.Layers) > 2
	if hidden && m.PriorDraw == bnn.Independent && m.PriorMeanVar == 0 {
		return field.Errorf("prior_mean_var", `hidden neurons of the same means stay alike; allowed: above 0, or prior_draw = "orthogonal"`)
	}
	if m.RandomFeatures && m.Hidden != bnn.Frozen {
		return field.Errorf("random_features", `the hidden rule would move the features; allowed: only with hidden = "frozen"`)
	}
	layers := m.Layers
	if len(layers) == 0 { // the fewest inputs and classes that there can be
		layers = slices.Concat([]int{1}, m.HiddenLayers, []int{2})
	} else if len(m.HiddenLayers) > 0 {
		return field.Errorf("hidden_layers", "layers has them already; allowed: one of both")
	}
	cfg := m.Config
	cfg.Layers = layers
	stand := *m
	if m.Lambda.Word != "" {
		stand.Lambda = Lambda{Number: 1} // for what its word stands for, which takes long to find
	}
	cfg.Softmax = stand.softmax(2)
	if err := cfg.Validate(); err != nil {
		return err
	}
	return m.checkShapes(layers)
}

// checkShapes reports what does not fit the layers.
func (m *Model) checkShapes(layers []int) error {
	key := "layers"
	if len(m.HiddenLayers) > 0 {
		key = "hidden_layers"
	}
	if err := field.AllWithin(key, layers, 1, config.MaxWeights); err != nil {
		return err
	}
	cfg := m.Config
	cfg.Layers = layers
	cfg, numbers := cfg.WithDefaults(), 0.0
	for l := range layers[1:] {
		rows, cols := cfg.SpreadDims(l)
		numbers += float64(rows) * float64(cols)
	}
	if numbers *= float64(max(1, m.Ensemble)); numbers > config.MaxWeights {
		return field.Errorf(key, "the covariances of the weights have %.3g numbers; allowed: at most %d", numbers, config.MaxWeights)
	}
	if len(m.PriorMean) == 0 {
		return nil
	}
	if len(layers) != 2 {
		return field.Errorf("prior_mean", "layers = %v; allowed: only with one layer of weights", layers)
	}
	rows, cols := cfg.WeightDims(0)
	misfit := func(row []float64) bool { return len(row) != cols }
	if len(m.PriorMean) != rows || slices.ContainsFunc(m.PriorMean, misfit) {
		return field.Errorf("prior_mean", "%v is not allowed; allowed: %d rows, one for each neuron, of %d numbers, one for each input",
			m.PriorMean, rows, cols)
	}
	return nil
}

// softmax returns the approximation of the softmax of n classes.
func (m *Model) softmax(n int) softmax.Approximation {
	if m.Output == bnn.ADFExact {
		return softmax.Exact{Fast: true}
	}
	return softmax.Probit{Lambda: m.Lambda.Value(n, m.Rho), Rho: m.Rho}
}

// For returns the model with the layers for so many inputs and classes. It is an
// error if the model has other layers, or is not valid with these.
func (m Model) For(inputs, classes int) (Model, error) {
	if n := len(m.Layers); n > 0 && (m.Layers[0] != inputs || m.Layers[n-1] != classes) {
		return m, field.Errorf("layers", "the data have %d inputs and %d classes; allowed: [%[1]d, …, %[2]d]", inputs, classes)
	} else if n == 0 {
		m.Layers, m.HiddenLayers = slices.Concat([]int{inputs}, m.HiddenLayers, []int{classes}), nil
	}
	return m, m.Validate()
}

// Network returns one network with its prior weights; Layers are set.
func (m Model) Network(src rand.Source) (*bnn.Network, error) {
	cfg := m.Config
	cfg.Softmax = m.softmax(m.Layers[len(m.Layers)-1])
	n, err := bnn.New(cfg, src)
	if err != nil {
		return nil, err
	}
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
			return nil, err
		}
	}
	return n, nil
}

// Learner returns a learner with its prior weights.
func (m Model) Learner(src rand.Source) (*Tolerant, error) {
	e, err := m.Mixture(src)
	if err != nil {
		return nil, err
	}
	return NewTolerant(&Network{Ensemble: e}, m.Layers[len(m.Layers)-1]), nil
}

// Variant is a model with a name. In a manifest it begins as a copy of [model].
type Variant struct {
	Name string `toml:"name" allowed:"a text"`
	Model
	Of string `toml:"-"` // of a model of [Sweep.Models]: the variant without what is swept
}

// Validate reports what is not allowed: that of the model, also where there are other
// embedded structs beside the variant.
func (v *Variant) Validate() error { return v.Model.Validate() }

// Sweep has the values that are swept, in place of those of every variant.
type Sweep struct {
	Seed   config.Ints `toml:"seed,omitempty"`
	Lambda []Lambda    `toml:"lambda,omitempty"`
	Rho    []float64   `toml:"rho,omitempty"`
}

// Models returns every variant, or if there is none the model by the name "model", at
// every swept λ and ρ, the last changing fastest, with names as "joint lambda=0.1 rho=0.5".
func (s Sweep) Models(model Model, variants []Variant) ([]Variant, error) {
	if len(variants) == 0 {
		variants = []Variant{{Name: "model", Model: model}}
	}
	var all []Variant
	for _, v := range variants {
		v.Of = v.Name
		for i := range max(1, len(s.Lambda)) {
			for j := range max(1, len(s.Rho)) {
				m := v
				if s.Lambda != nil {
					m.Lambda = s.Lambda[i]
					m.Name += " lambda=" + m.Lambda.String()
				}
				if s.Rho != nil {
					m.Rho = s.Rho[j]
					m.Name += " rho=" + spelled(m.Rho)
				}
				if err := m.Validate(); err != nil {
					if at, ok := errors.AsType[*field.Error](err); ok && at.Key == "rho" && s.Rho != nil {
						return nil, field.Errorf("sweep.rho", "%s", at.Problem)
					}
					return nil, m.in(err)
				}
				all = append(all, m)
			}
		}
	}
	return all, nil
}

// Fit returns the variants with the layers for so many inputs and classes.
func Fit(variants []Variant, inputs, classes int) ([]Variant, error) {
	out := slices.Clone(variants)
	for i := range out {
		var err error
		if out[i].Model, err = out[i].For(inputs, classes); err != nil {
			return nil, out[i].in(err)
		}
	}
	return out, nil
}

// in says in which table of the manifest the field of an error is.
func (v *Variant) in(err error) error {
	var at *field.Error
	switch {
	case !errors.As(err, &at):
		return fmt.Errorf("%s: %w", v.Name, err)
	case v.Of == "model":
		return field.Errorf("model."+at.Key, "%s", at.Problem)
	}
	return field.Errorf("variant."+v.Of+"."+at.Key, "%s", at.Problem)
}

// Networks says which networks learn: the tables [model], [sweep] and [[variant]].
type Networks struct {
	Model    Model     `toml:"model"`
	Sweep    Sweep     `toml:"sweep"`
	Variants []Variant `toml:"variant" inherit:"model"`

	Seeds  []int     // those of the manifest, once resolved
	Models []Variant // every variant at everything that is swept
}

// Resolve sets Seeds and Models.
func (n *Networks) Resolve(m *config.Manifest) (err error) {
	if n.Seeds, err = m.Seeds(n.Sweep.Seed); err != nil {
		return err
	}
	n.Models, err = n.Sweep.Models(n.Model, n.Variants)
	return m.Locate("", err)
}

// Fit gives the models the layers for so many inputs and classes.
func (n *Networks) Fit(m *config.Manifest, inputs, classes int) (err error) {
	n.Models, err = Fit(n.Models, inputs, classes)
	return m.Locate("", err)
}

// Names returns the names of the variants.
func Names(variants []Variant) []string {
	names := make([]string, len(variants))
	for i, v := range variants {
		names[i] = v.Name
	}
	return names
}
