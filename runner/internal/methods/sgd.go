package methods

import "closedform/baselines/learners/sgd"

func init() {
	kinds["sgd"] = online(sgd.Config{}, true, func(c *sgd.Config, layers []int) { c.Layers = layers }, sgd.New)
}
