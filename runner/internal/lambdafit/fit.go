package lambdafit

import (
	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// LeastSquares returns the probit with correlation ρ whose λ minimises
// [Box.RMS]. It panics if the box or ρ is not valid.
func (b Box) LeastSquares(rho float64) softmax.Probit { return b.fit(b.RMS, b.start(rho), false) }

// LeastSquaresRho returns the probit whose λ and ρ minimise [Box.RMS]; ρ = ½ for
// two classes, where it has no meaning.
func (b Box) LeastSquaresRho() softmax.Probit {
	return b.fit(b.RMS, b.LeastSquares(0.5), b.Classes > 2)
}

// Minimax returns the probit with correlation ρ whose λ minimises [Box.Max], one of
// several where for ρ far from ½ the error at the origin is the largest, which no λ
// mends. It panics if the box or ρ is not valid.
func (b Box) Minimax(rho float64) softmax.Probit { return b.exchange(b.start(rho), false) }

// MinimaxRho returns the probit whose λ and ρ minimise [Box.Max]; ρ = ½ for two
// classes, where it has no meaning.
func (b Box) MinimaxRho() softmax.Probit { return b.exchange(b.Minimax(0.5), b.Classes > 2) }

// start returns the probit with the slope-matched λ, which is near the fitted ones, but
// explodes for small ρ and many classes: at most 2.
func (b Box) start(rho float64) softmax.Probit {
	return softmax.Probit{Lambda: min(softmax.SlopeLambda(b.Classes, rho), 2), Rho: rho}
}

// fit returns the probit near start that minimises the loss, ρ fixed unless free.
func (b Box) fit(loss func(softmax.Probit) float64, start softmax.Probit, free bool) softmax.Probit {
	// In log λ and logit ρ there are no bounds.
	at := func(v []float64) softmax.Probit {
		p := softmax.Probit{Lambda: kernel.Exp(v[0]), Rho: start.Rho}
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
func (b Box) exchange(p softmax.Probit, free bool) softmax.Probit {
	const (
		rounds    = 20
		tolerance = 1e-6
	)
	b.check(p)
	set := b.worst(p)
	for range rounds {
		p = b.fit(func(p softmax.Probit) float64 { return newFinder(b, p).largest(set) }, p, free)
		f, worst := newFinder(b, p), b.worst(p)
		if f.largest(worst) <= f.largest(set)*(1+tolerance) {
			break
		}
		set = append(set, worst...)
	}
	return p
}
