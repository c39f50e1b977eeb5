package methods

import "closedform/baselines/learners/bayesbackprop"

func init() {
	kinds["backprop"] = batch(bayesbackprop.Config{}, true, func(c *bayesbackprop.Config, layers []int) { c.Layers = layers }, bayesbackprop.Fit)
}
