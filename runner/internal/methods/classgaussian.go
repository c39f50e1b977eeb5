package methods

import "closedform/baselines/classgaussian"

func init() {
	k := online(classgaussian.Config{}, false, func(c *classgaussian.Config, layers []int) {
		c.Inputs, c.Classes = layers[0], layers[1]
	}, classgaussian.New)
	k.numbers = func(config any, layers []int, _ float64) float64 {
		numbers := float64(layers[0] * layers[0])
		if config.(*classgaussian.Config).Covariance == classgaussian.Own {
			numbers *= float64(layers[1])
		}
		return numbers
	}
	kinds["class-gaussian"] = k
}
