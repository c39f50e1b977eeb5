package methods

import "closedform/baselines/learners/classgaussian"

func init() {
	k := online(classgaussian.Config{}, false, func(c *classgaussian.Config, layers []int) {
		c.Inputs, c.Classes = layers[0], layers[1]
	}, classgaussian.New)
	k.numbers = func(_ any, layers []int, _ float64) float64 {
		return float64(layers[0] * layers[0])
	}
	kinds["class-gaussian"] = k
}
