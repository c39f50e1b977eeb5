package classifier

import (
	"fmt"
	"slices"
	"testing"

	"closedform/core/bnn"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

// The networks of the default mixture have the prior variances and the process noise that CHOICES.md says.
func TestVariants(t *testing.T) {
	cfg := bnn.Default(4, 50, 3)
	hidden, output, last := cfg.PriorVar[0], cfg.PriorVar[1], bnn.Default(4, 3).PriorVar[0]
	for k, c := range variants(cfg) {
		units, want := []int{50, 50, 30, 70, 0, 0, 0}[k], [][]float64{ // prior variances, process noise
			{hidden / 10, 0.3 * output},
			{hidden / 10, 10 * output},
			{hidden, 10 * output * 51 / 31, 0, 1e-3},
			{hidden, 3 * output * 51 / 71, 1e-5, 1e-5},
			{last},
			{last / 1000},
			{100 * last, 1e-3},
		}[k]
		check.NearAll(t, fmt.Sprint("network ", k), slices.Concat(c.PriorVar, c.ProcessNoise), want, 1e-12)
		check.True(t, units == 0 && len(c.Layers) == 2 || c.Layers[1] == units, "layers %v", c.Layers)
	}
	cfg.SetCovariance(bnn.Diagonal)
	cfg.PriorVar = []float64{1, 2 * cfg.PriorVar[1]}
	check.Near(t, "prior variance of a wider prior", variants(cfg)[4].PriorVar[0], 2*last, 1e-12)
	check.Equal(t, "networks without hidden layers", len(variants(bnn.Default(4, 3))), 3)
	cfg.PriorVar = nil
	check.Refuses(t, "no prior variances", check.Err(NewMixture(cfg, false, random.Source("none"))), "PriorVar")
}
