package softmax

import (
	"fmt"
	"math"

	"closedform/core/gauss"
	"closedform/core/kernel"
)

// SlopeLambda returns the λ at which the probit approximation with correlation
// ρ has the slope of the softmax of n classes at the origin, ∂s_j/∂(z_j−z_i) =
// 1/n²:
//
//	λ_n = 1 / (n² φ(0) P_{n−2})
//
// where P_k is the probability that k normal variables with the pairwise correlation
// ρ/(1+ρ), as Σ_0 leaves given one of its variables, are all negative:
//
//	P_k = ∫ φ(x) Φ(√ρ x)^k dx.
//
// It is +Inf where P_{n−2} underflows, beyond n = 1000 at ρ = 0. It panics unless
// n ≥ 2 and 0 ≤ ρ < 1.
func SlopeLambda(n int, rho float64) float64 {
	if n < 2 || !(rho >= 0 && rho < 1) {
		panic(fmt.Sprintf("softmax: slope-matched λ for n = %d, ρ = %g; need n ≥ 2 and 0 ≤ ρ < 1", n, rho))
	}
	// The trapezoidal rule: Φ(√ρx)ⁿ rises over a length of order 1/√log n.
	const h, cut = 1.0 / 16, 9.0
	root := math.Sqrt(rho)
	var orthant float64
	for x := -cut; x <= cut; x += h {
		orthant += h * gauss.PDF(x) * kernel.Exp(float64(n-2)*gauss.LogCDF(root*x))
	}
	return 1 / (float64(n) * float64(n) * gauss.PDF(0) * orthant)
}

// LeastSquares returns the probit with correlation ρ whose λ minimises
// [Box.RMS]. It panics if the box or ρ is not valid.
func (b Box) LeastSquares(rho float64) Probit { return b.fit(b.RMS, Probit{b.start(rho), rho}, false) }

// LeastSquaresRho returns the probit whose λ and ρ minimise [Box.RMS]; ρ = ½ for
// two classes, where it has no meaning.
func (b Box) LeastSquaresRho() Probit { return b.fit(b.RMS, b.LeastSquares(0.5), b.Classes > 2) }

// Minimax returns the probit with correlation ρ whose λ minimises [Box.Max], one of
// several where for ρ far from ½ the error at the origin is the largest, which no λ
// mends. It panics if the box or ρ is not valid.
func (b Box) Minimax(rho float64) Probit { return b.exchange(Probit{b.start(rho), rho}, false) }

// MinimaxRho returns the probit whose λ and ρ minimise [Box.Max]; ρ = ½ for two
// classes, where it has no meaning.
func (b Box) MinimaxRho() Probit { return b.exchange(b.Minimax(0.5), b.Classes > 2) }

// start returns a λ near the fitted ones: the slope-matched one, which explodes
// for small ρ and many classes, within limits.
func (b Box) start(rho float64) float64 {
	return min(SlopeLambda(b.Classes, rho), 2)
}

// fit returns the probit near start that minimises the loss, ρ fixed unless free.
func (b Box) fit(loss func(Probit) float64, start Probit, free bool) Probit {
	// In log λ and logit ρ there are no bounds.
	at := func(v []float64) Probit {
		p := Probit{kernel.Exp(v[0]), start.Rho}
		if free {
			p.Rho = 1 / (1 + kernel.Exp(-v[1]))
		}
		return p
	}
	v := []float64{kernel.Log(start.Lambda)}
	if free {
		v = append(v, kernel.Log(start.Rho/(1-start.Rho)))
	}
	return at(simplex(func(v []float64) float64 { return loss(at(v)) }, v, 0.1))
}

// exchange returns the probit that minimises the largest error, by exchange: fit
// to a finite set of contrasts, add those that are worst for the result, repeat.
func (b Box) exchange(p Probit, free bool) Probit {
	const (
		rounds    = 20
		tolerance = 1e-6
	)
	b.check(p)
	set := b.worst(p)
	for range rounds {
		p = b.fit(func(p Probit) float64 { return newFinder(b, p).largest(set) }, p, free)
		f, worst := newFinder(b, p), b.worst(p)
		if f.largest(worst) <= f.largest(set)*(1+tolerance) {
			break
		}
		set = append(set, worst...)
	}
	return p
}
