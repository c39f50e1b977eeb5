package kalman

import (
	"cmp"

	"closedform/baselines/learners/mlp"
	"closedform/internal/field"
)

// Covariance says which covariances of the weights are kept.
type Covariance string

const (
	// Full keeps those of all pairs of weights: for W weights and n classes a
	// step costs about 6nW² operations, and the memory is that of W² numbers.
	Full Covariance = "full"

	// Diagonal keeps variances only, the fully decoupled filter of Puskorius and
	// Feldkamp (IJCNN 1991): the step is that of Full, and what it leaves off the
	// diagonal is dropped. For N neurons it costs about 10W + n²N operations.
	Diagonal Covariance = "diagonal"

	// LowRank keeps a diagonal and Rank columns of the inverse of the covariance, as
	// "LO-FI" of Chang et al. (CoLLAs 2023). It costs about (3 Rank + 14) Rank W operations.
	LowRank Covariance = "low-rank"

	// Bong keeps variances only, as the Bayesian online natural gradient of Jones, Chang
	// and Murphy (NeurIPS 2024) for a linearised network. It costs about 10W operations.
	Bong Covariance = "bong"
)

// Config describes a filter. The zero value of every field but Layers is its documented default.
type Config struct {
	Layers     []int      `toml:"-"`              // as for mlp.CheckLayers; every layer has a bias
	Covariance Covariance `toml:"covariance"`     // Full if empty
	Rank       int        `toml:"rank,omitempty"` // of LowRank; zero stands for 10

	// PriorVar is the prior variance of every weight times the number of inputs
	// of its layer, the bias among them; zero stands for 1.
	PriorVar float64 `toml:"prior_var"`

	// PriorMeanVar scales the prior means of hidden layers, which are drawn from N(0,
	// PriorMeanVar/inputs); zero stands for 2 (He et al. 2015). Those of the output layer are zero.
	PriorMeanVar float64 `toml:"prior_mean_var"`

	// ProcessNoise is the variance that every weight gains before each step, as
	// a share of its prior variance, at most 1, with covariance Full only. It costs a
	// Cholesky factorisation, of order W³ operations, at each step.
	ProcessNoise float64 `toml:"process_noise"`
}

// WithDefaults returns the configuration with its defaults filled in.
func (c Config) WithDefaults() Config {
	c.Covariance = cmp.Or(c.Covariance, Full)
	c.PriorVar = cmp.Or(c.PriorVar, 1)
	c.PriorMeanVar = cmp.Or(c.PriorMeanVar, 2)
	if c.Covariance == LowRank {
		c.Rank = cmp.Or(c.Rank, 10)
	}
	return c
}

// Numbers returns how many numbers the covariance has. It needs Layers.
func (c Config) Numbers() float64 {
	weights := float64(mlp.New(c.Layers, true).Weights())
	switch c.Covariance {
	case Full:
		return weights * weights
	case LowRank:
		return weights * float64(1+c.WithDefaults().Rank)
	}
	return weights
}

// Validate returns an error of package field if a value is not allowed. It doesn't look at Layers.
func (c Config) Validate() error {
	c = c.WithDefaults()
	if err := field.OneOf("covariance", c.Covariance, Full, Diagonal, LowRank, Bong); err != nil {
		return err
	}
	if c.Rank != 0 && c.Covariance != LowRank {
		return field.Errorf("rank", `%d is not allowed; allowed: with covariance = "low-rank" only`, c.Rank)
	}
	if c.ProcessNoise != 0 && c.Covariance != Full {
		return field.Errorf("process_noise", `%g is not allowed; allowed: with covariance = "full" only`, c.ProcessNoise)
	}
	return cmp.Or(
		field.Within("rank", c.Rank, 0, 200),
		mlp.CheckVariance("prior_var", c.PriorVar),
		mlp.CheckVariance("prior_mean_var", c.PriorMeanVar),
		field.Within("process_noise", c.ProcessNoise, 0, 1),
	)
}
