package classifier

import (
	"math/rand/v2"

	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/readout"
)

const (
	reluSize  = 512  // features of any inputs
	convSize  = 1024 // features of images
	leastSide = 12   // pixels of an image with convolutions
)

// NewBank returns the untuned default bank for a network configuration such as [bnn.Default]: the networks of
// [bnn.DefaultMembers], and a ridge regression on random features, which are convolutions if the inputs are
// square grey images of at least 12×12. See results/CHOICES.md. An error names the invalid field of cfg.
func NewBank(cfg bnn.Config, images bool, src rand.Source) (*bnn.Bank, error) {
	networks, err := bnn.DefaultMembers(cfg, src)
	if err != nil {
		return nil, err
	}
	var members []bnn.Model
	for _, n := range networks {
		members = append(members, n)
	}
	inputs, classes := networks[0].Shape()
	kind, size := features.Relu, reluSize
	if images && inputs >= leastSide*leastSide {
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
	return bnn.NewBank(append(members, features.Model{Map: m, Model: layer})...)
}
