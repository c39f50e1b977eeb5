package bnn

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
)

// Ensemble is a bank of networks with equal weights that stay. Its P is not calibrated. If a member fails to
// learn an example all stay as they were. An ensemble of one predicts as the network, to the bit.
type Ensemble struct{ *Bank }

// NewEnsemble returns an ensemble of networks of one configuration with their prior weights. The first member
// draws its prior means from src, as [New] does, and each other one from a stream of its own, whose name is
// the next number of src. An error names the field of cfg.
func NewEnsemble(cfg Config, members int, src rand.Source) (*Ensemble, error) {
	networks, err := newMembers(src, slices.Repeat([]Config{cfg}, max(0, members)))
	if err != nil {
		return nil, err
	}
	return Combine(networks...)
}

// Combine returns the ensemble of the networks, which belong to it from now on. They may have learned
// the same examples in different orders. The error is that of [NewBank], but there is no limit of members.
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

// DefaultMembers returns the networks of the default bank, variants of a configuration such as that of
// [Default]. Three have the prior variances of cfg times 1 in hidden layers and 3 in the output layer, times
// 0.1 and 10, and times 0.1 and 0.3; without hidden layers there are none of these. Two have no hidden
// layers, and prior variances times 1 and 0.001, relative to the default without hidden layers if those of
// cfg are the default. The prior means are drawn as for [NewEnsemble]. An error names the field of cfg.
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

// linear returns the configuration without the hidden layers, if there are any. The ratio of
// the prior variance of output weights to their default stays.
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
