package methods

import "closedform/baselines/learners/neighbours"

func init() {
	kinds["neighbours"] = batch(neighbours.Config{}, false, func(c *neighbours.Config, layers []int) { c.Classes = layers[1] }, neighbours.Fit)
}
