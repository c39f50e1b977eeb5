package study

import (
	"math"

	"closedform/core/gauss"
	"closedform/core/softmax"
)

// mcProbitFunction evaluates the probit function with equal correlations given
// the common part ε₀ ~ N(0, 1) of its noise,
//
//	Y_j = Π_{τ≠j} Φ(a_jτ),   a_jτ = (√ρ ε₀ + λ(z_j−z_τ))/√(1−ρ),
//
// and its derivatives; over ε₀ and z their means are p_j and E_ji. It shares
// nothing with the integrals that it checks but Φ and φ.
type mcProbitFunction struct {
	slope, common float64   // λ/√(1−ρ) and √ρ/√(1−ρ)
	pdf, cdf      []float64 // φ and Φ of a_jτ for one j
}

func newMCProbitFunction(p softmax.Probit, n int) *mcProbitFunction {
	own := math.Sqrt(1 - p.Rho)
	return &mcProbitFunction{p.Lambda / own, math.Sqrt(p.Rho) / own, make([]float64, n), make([]float64, n)}
}

// values sets y to Y, and slopes, if not nil, to ∂Y_j/∂(z_j−z_i) by rows j, the
// diagonal left out.
func (f *mcProbitFunction) values(y, slopes, z []float64, noise float64) {
	shift := f.common * noise
	for j, zj := range z {
		product := 1.0
		for i, zi := range z {
			if i == j {
				f.cdf[i] = 1
				continue
			}
			f.pdf[i], f.cdf[i] = gauss.PDFCDF(shift + f.slope*(zj-zi))
			product *= f.cdf[i]
		}
		y[j] = product
		if slopes == nil {
			continue
		}
		// Products of the other factors from the front, then from the back.
		row := slopes[:len(z)-1]
		slopes = slopes[len(z)-1:]
		before, k := f.slope, 0
		for i := range z {
			if i != j {
				row[k] = before * f.pdf[i]
				before *= f.cdf[i]
				k++
			}
		}
		after := 1.0
		for i := len(z) - 1; i >= 0; i-- {
			if i != j {
				k--
				row[k] *= after
				after *= f.cdf[i]
			}
		}
	}
}
