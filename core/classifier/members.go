package classifier

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/mixture"
	"closedform/core/random"
	"closedform/core/readout"
)

const (
	reluSize     = 512  // number of features of kind Relu
	convSize     = 1024 // number of features of kind Conv
	smallestSide = 12   // smallest edge, in pixels, of images with features of kind Conv
)

// NewMixture returns the untuned default mixture for a network configuration such as [bnn.Default]: networks
// with different prior variances, and a ridge regression on random features, which are convolutions if the
// inputs are square grey images of at least 12×12. See results/CHOICES.md. The first network draws its prior
// means from src, as [bnn.New] does; each other one from a stream named by the next number of src. An error
// names the invalid field of cfg.
func NewMixture(cfg bnn.Config, images bool, src rand.Source) (*mixture.Mixture, error) {
	if err := cfg.Validate(); err != nil {
		return nil, fmt.Errorf("bnn: %w", err)
	}
	var members []bnn.Model
	var name uint64
	for k, c := range variants(cfg) {
		s := src
		if k > 0 {
			s = random.Source("member", name, k)
		}
		n, err := bnn.New(c, s)
		if err != nil {
			return nil, err
		}
		if members = append(members, n); k == 0 {
			name = src.Uint64()
		}
	}
	inputs, classes := members[0].Shape()
	kind, size := features.Relu, reluSize
	if images && inputs >= smallestSide*smallestSide {
		kind, size = features.Conv, convSize
	}
	m, err := features.New(kind, inputs, size, src.Uint64())
	if err != nil {
		return nil, err
	}
	layer, err := readout.New(readout.Config{
		Kind: readout.Ridge, Inputs: size, Classes: classes, Sequential: true,
	})
	if err != nil {
		return nil, err
	}
	return mixture.New(append(members, features.Model{Map: m, Model: layer})...)
}

// variants returns the configurations of the networks of the default mixture. The first three have the layers
// of cfg, and are left out if it has no hidden ones; the last three have no hidden layers. Their prior
// variances are those of cfg, or without hidden layers of [linear], times two factors for hidden and output
// layers. Half of them have process noise, and follow a stream that changes.
func variants(cfg bnn.Config) (configs []bnn.Config) {
	for _, v := range []struct{ hidden, output, hiddenNoise, noise float64 }{
		{0.1, 0.3, 0, 0}, {1, 10, 0, 1e-3}, {1, 1, 1e-4, 1e-4},
	} {
		if last := len(cfg.PriorVar) - 1; last > 0 {
			c := cfg
			c.PriorVar = slices.Clone(cfg.PriorVar)
			floats.Scale(v.hidden, c.PriorVar[:last])
			c.PriorVar[last] *= v.output
			if v.noise > 0 {
				c.ProcessNoise = append(slices.Repeat([]float64{v.hiddenNoise}, last), v.noise)
			}
			configs = append(configs, c)
		}
	}
	for _, v := range []struct{ output, noise float64 }{{1, 0}, {0.001, 0}, {100, 1e-3}} {
		c := linear(cfg)
		c.PriorVar[0] *= v.output
		if v.noise > 0 {
			c.ProcessNoise = []float64{v.noise}
			if c.Covariance = slices.Clone(c.Covariance); c.Covariance[0] == bnn.Full {
				c.Covariance[0] = bnn.Shared // follows as fast on two classes, and is cheaper
			}
		}
		configs = append(configs, c)
	}
	return configs
}

// linear returns the configuration without hidden layers. The ratio of its prior variance to the default is
// that of the output layer of cfg.
func linear(cfg bnn.Config) bnn.Config {
	last := len(cfg.PriorVar) - 1
	c := cfg
	if c.PriorVar = slices.Clone(cfg.PriorVar); last == 0 {
		return c
	}
	c.SetCovariance(c.Covariance...)
	ratio := cfg.PriorVar[last] / c.PriorVar[last]
	d := bnn.Default(cfg.Layers[0], cfg.Layers[last+1])
	c.Layers = d.Layers
	c.SetCovariance(d.Covariance...)
	c.PriorVar[0] *= ratio
	return c
}
