package meanfield

import (
	"closedform/internal/kernel"
)

// dirichlet is the Dirichlet distribution of concentrations α_k = α_0 p_k:
//
//	E y_k  = p_k
//	Cov(y) = (diag(p) − p pᵀ)/(α_0 + 1)
//
// α_0 = 0 and α_0 = ∞ stand for the limits.
type dirichlet struct {
	p             []float64
	concentration float64 // α_0
}

// newDirichlet takes log α_k over as p. Infinite α_k share all the mass.
func newDirichlet(logAlpha []float64) dirichlet {
	total := kernel.Exp(logSum(logAlpha, -1))
	normalise(logAlpha)
	return dirichlet{logAlpha, total}
}

func (d dirichlet) moments() moments {
	return moments{p: d.p, cov: func(i, j int) float64 {
		if i == j {
			return d.p[i] * (1 - d.p[i]) / (d.concentration + 1)
		}
		return -d.p[i] * d.p[j] / (d.concentration + 1)
	}}
}
