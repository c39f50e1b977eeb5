package tagi

import (
	"cmp"
	"slices"

	"closedform/internal/field"
)

// Head says how labels are told to the outputs.
type Head string

const (
	// Tree has an output for each node of a binary tree of the classes: the paper, Sec. 4.
	Tree Head = "tree"

	// Remax has an output for each class, see [remax].
	Remax Head = "remax"
)

// Config describes a network. The zero value of every field but Layers is its documented default.
type Config struct {
	Layers []int   `toml:"-"`       // as for mlp.CheckLayers; every layer has a bias
	Head   Head    `toml:"head"`    // Tree if empty
	SigmaV float64 `toml:"sigma_v"` // deviation of the noise of the targets, ±1, or 0 and 1; zero stands for 1

	// PriorVar and PriorMeanVar are the prior variance of every weight and the
	// variance of what its prior mean is drawn from, both times the number of inputs
	// of its layer, the bias among them; zero stands for 1.
	PriorVar     float64 `toml:"prior_var"`
	PriorMeanVar float64 `toml:"prior_mean_var"`
}

// WithDefaults returns the configuration with its defaults filled in.
func (c Config) WithDefaults() Config {
	c.Layers, c.Head = slices.Clone(c.Layers), cmp.Or(c.Head, Tree)
	c.SigmaV = cmp.Or(c.SigmaV, 1)
	c.PriorVar, c.PriorMeanVar = cmp.Or(c.PriorVar, 1), cmp.Or(c.PriorMeanVar, 1)
	return c
}

// Validate returns an error of package field if a value is not allowed. It doesn't look at Layers.
func (c Config) Validate() error {
	c = c.WithDefaults()
	const most = 1e100 // squares of it do not overflow
	return cmp.Or(
		field.OneOf("head", c.Head, Tree, Remax),
		field.Within("sigma_v", c.SigmaV, 0, most),
		field.Within("prior_var", c.PriorVar, 0, most),
		field.Within("prior_mean_var", c.PriorMeanVar, 0, most),
	)
}

func (c *Config) classes() int { return c.Layers[len(c.Layers)-1] }
