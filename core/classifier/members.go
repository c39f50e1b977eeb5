package classifier

import (
	"fmt"
	"math"
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

// NewMixture returns the default mixture for a network configuration such as [bnn.Default]: networks
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

// variants returns the configurations of the networks of the default mixture. They multiply the numbers of
// hidden units of cfg, and the prior variances in hidden and output layers, by factors. Networks without hidden
// layers come last, and alone if cfg has none. Those with process noise follow a stream that changes.
func variants(cfg bnn.Config) (configs []bnn.Config) {
	last := len(cfg.PriorVar) - 1
	for _, v := range []struct{ units, hidden, output, hiddenNoise, noise float64 }{
		{1, 0.1, 0.3, 0, 0},
		{1, 0.1, 10, 0, 0},
		{0.6, 1, 10, 0, 1e-3},
		{1.4, 1, 3, 1e-5, 1e-5},
		{0, 0, 1, 0, 0},
		{0, 0, 0.001, 0, 0},
		{0, 0, 100, 0, 1e-3},
	} {
		var hidden []int
		for _, units := range cfg.Layers[1 : last+1] {
			if v.units > 0 {
				hidden = append(hidden, max(1, int(math.Round(v.units*float64(units)))))
			}
		}
		if last == 0 && v.units > 0 {
			continue
		}
		c := resized(cfg, hidden)
		top := len(hidden)
		floats.Scale(v.hidden, c.PriorVar[:top])
		c.PriorVar[top] *= v.output
		if v.noise > 0 {
			c.ProcessNoise = append(slices.Repeat([]float64{v.hiddenNoise}, top), v.noise)
		}
		if top == 0 && v.output != 1 && c.Covariance[0] == bnn.Full {
			c.Covariance[0] = bnn.Shared // predicts as well, and is quicker
		}
		configs = append(configs, c)
	}
	return configs
}

// resized returns the configuration with other hidden layers. The ratios of its prior variances to the
// defaults, from the output layer back, are those of cfg.
func resized(cfg bnn.Config, hidden []int) bnn.Config {
	c, last, top := cfg, len(cfg.PriorVar)-1, len(hidden)
	c.Layers = slices.Concat(cfg.Layers[:1], hidden, cfg.Layers[last+1:])
	c.Covariance, c.PriorVar = slices.Clone(cfg.Covariance), slices.Clone(cfg.PriorVar)
	if slices.Equal(c.Layers, cfg.Layers) {
		return c
	}
	if top != last {
		c.Covariance = bnn.Default(c.Layers...).Covariance
	}
	c.SetCovariance(c.Covariance...)
	usual := cfg
	usual.SetCovariance(cfg.Covariance...)
	for l := range c.PriorVar {
		from := last - top + l
		c.PriorVar[l] *= cfg.PriorVar[from] / usual.PriorVar[from]
	}
	return c
}
