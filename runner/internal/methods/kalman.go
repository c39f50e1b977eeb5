package methods

import "closedform/baselines/learners/kalman"

func init() {
	k := online(kalman.Config{}, true, func(c *kalman.Config, layers []int) { c.Layers = layers }, kalman.New)
	k.numbers = func(config any, _ []int, weights float64) float64 {
		switch c := config.(*kalman.Config); c.Covariance {
		case kalman.Full:
			return weights * weights
		case kalman.LowRank:
			return weights * float64(1+c.WithDefaults().Rank)
		}
		return weights
	}
	kinds["kalman"] = k
}
