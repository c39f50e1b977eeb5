package methods

import "closedform/baselines/learners/dropout"

func init() {
	kinds["dropout"] = batch(dropout.Config{}, true, func(c *dropout.Config, layers []int) { c.Layers = layers }, dropout.Fit)
}
