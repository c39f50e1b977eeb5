package bnn

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
)

// Ensemble is a bank of networks with fixed equal weights and uncalibrated P. If a member cannot learn an
// example, none does. An ensemble of one predicts as its network does, to the bit.
type Ensemble struct{ *Bank }

// NewEnsemble returns an ensemble of networks with one configuration and their prior weights. The first
// member draws its prior means from src, as [New] does; each other one from a stream named by the next number
// of src. An error names the invalid field of cfg.
func NewEnsemble(cfg Config, members int, src rand.Source) (*Ensemble, error) {
	networks, err := newMembers(src, slices.Repeat([]Config{cfg}, max(0, members)))
	if err != nil {
		return nil, err
	}
	return Combine(networks...)
}

// Combine returns the ensemble of the networks, which belong to it from now on. They may have learned the
// same examples in different orders. Errors are those of [NewBank], without its limit of members.
func Combine(members ...*Network) (*Ensemble, error) {
	models := make([]Model, len(members))
	for k, n := range members {
		models[k] = n
	}
	b, err := newBank(models)
	if err != nil {
		return nil, err
	}
	b.equal = true
	return &Ensemble{b}, nil
}

// DefaultMembers returns the networks of the default bank, variants of cfg. Three multiply its prior
// variances in hidden and output layers by 1 and 3, 0.1 and 10, 0.1 and 0.3; they are left out if cfg has no
// hidden layers. Two have no hidden layers and multiply by 1 and 0.001, relative to the default without
// hidden layers if cfg has default variances. Prior means and errors are as for [NewEnsemble].
func DefaultMembers(cfg Config, src rand.Source) ([]*Network, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("bnn: %w", err)
	}
	var configs []Config
	for _, member := range []struct {
		linear         bool
		hidden, output float64
	}{{false, 1, 3}, {false, 0.1, 10}, {false, 0.1, 0.3}, {true, 1, 1}, {true, 1, 0.001}} {
		c := cfg.clone()
		if member.linear {
			c = c.linear()
		} else if len(c.PriorVar) == 1 {
			continue
		}
		last := len(c.PriorVar) - 1
		floats.Scale(member.hidden, c.PriorVar[:last])
		c.PriorVar[last] *= member.output
		configs = append(configs, c)
	}
	return newMembers(src, configs)
}

// linear returns the configuration without hidden layers; the output prior variance over its default stays.
func (c Config) linear() Config {
	last := len(c.PriorVar) - 1
	if last == 0 {
		return c
	}
	given := c.PriorVar[last]
	c.SetCovariance(c.Covariance...)
	ratio := given / c.PriorVar[last]
	d := Default(c.Layers[0], c.classes())
	c.Layers = d.Layers
	c.SetCovariance(d.Covariance...)
	c.PriorVar[0] *= ratio
	return c
}

func newMembers(src rand.Source, configs []Config) ([]*Network, error) {
	var name uint64
	networks := make([]*Network, len(configs))
	for k, cfg := range configs {
		if k > 0 {
			src = random.Source("member", name, k)
		}
		n, err := New(cfg, src)
		if err != nil {
			return nil, err
		}
		if k == 0 && len(configs) > 1 {
			name = src.Uint64()
		}
		networks[k] = n
	}
	return networks, nil
}
