package tagi

import (
	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/internal/check"
)

func newModel(cfg Config) *Model {
	return check.Must(New(cfg, random.Source("model")))
}

// Weights returns copies of the means and variances of layer l, nodes × inputs.
func (m *Model) Weights(l int) (mean, variance *mat.Dense) {
	mean, cov := m.network.Weights(l)
	out, in := mean.Dims()
	variance = mat.NewDense(out, in, nil)
	variance.Apply(func(j, i int, _ float64) float64 { return cov[j].At(i, i) }, variance)
	return mean, variance
}
