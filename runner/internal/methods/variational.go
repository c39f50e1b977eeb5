package methods

import "closedform/baselines/learners/variational"

func init() {
	k := batch(variational.Config{}, false, func(c *variational.Config, layers []int) {
		c.Inputs, c.Classes = layers[0], layers[1]
	}, variational.Fit)
	k.numbers = func(_ any, layers []int, weights float64) float64 {
		return weights * float64(layers[0]+1)
	}
	kinds["variational"] = k
}
