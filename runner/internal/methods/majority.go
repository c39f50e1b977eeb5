package methods

import "closedform/baselines/learners/majority"

func init() {
	kinds["majority"] = online(majority.Config{}, false, func(c *majority.Config, layers []int) { c.Classes = layers[1] }, majority.New)
}
