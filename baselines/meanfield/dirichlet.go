package meanfield

import (
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

// dirichlet is the Dirichlet distribution of concentrations α_k = α_0 p_k:
//
//	E y_k      = p_k
//	Cov(y)     = (diag(p) − p pᵀ)/(α_0 + 1)
//	E[y_i y_j] = p_i p_j α_0/(α_0 + 1)     (i ≠ j)
//
// α_0 = 0 and α_0 = ∞ stand for the limits.
type dirichlet struct {
	p             []float64
	concentration float64 // α_0
}

// newDirichlet takes log α_k over as p. Infinite α_k share all the mass.
func newDirichlet(logAlpha []float64) dirichlet {
	total := math.Exp(logSum(logAlpha, -1))
	normalise(logAlpha)
	return dirichlet{logAlpha, total}
}

func (d dirichlet) moments(dst *softmax.Moments) {
	copy(dst.P, d.p)
	together := 1 / (1 + 1/d.concentration)
	setPairs(dst.E, func(i, j int) float64 { return d.p[i] * d.p[j] * together })
}

func (d dirichlet) cov(dst *mat.SymDense) {
	for i, p := range d.p {
		dst.SetSym(i, i, p*(1-p)/(d.concentration+1))
		for j := i + 1; j < len(d.p); j++ {
			dst.SetSym(i, j, -p*d.p[j]/(d.concentration+1))
		}
	}
}
