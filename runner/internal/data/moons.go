package data

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"
)

// moons has two equally probable classes, interleaving half circles of radius 1:
//
//	x = m_k(θ) + σ (ε₁, ε₂),  θ ~ U[0, π],  ε_i ~ N(0, 1),
//	m₀(θ) = (cos θ, sin θ),  m₁(θ) = (1 − cos θ, ½ − sin θ).
//
// The density of class 0 is, with x = r (cos ψ, sin ψ),
//
//	f₀(x) = 1/(2π²σ²) ∫₀^π exp(−|x − m₀(θ)|²/(2σ²)) dθ
//	      = 1/(2π²σ²) exp(−(r−1)²/(2σ²)) ∫₀^π exp(−r (1 − cos(θ−ψ))/σ²) dθ,
//
// and that of class 1 is f₁(x) = f₀((1, ½) − x). The integral is a
// Gauss–Legendre quadrature over the part that matters, in logarithms: the logit
// log f₁ − log f₀ has a relative error of some 1e-12, or an absolute one where
// it is small.
//
//	Bayes error = ½ ∫ min(f₀, f₁) dx
//
// is a quadrature to a relative error of 1e-9 that takes tenths of a second (see
// moonsError). At σ = 0.1 it is 0.064 %.
func moons(g Generator) *Task {
	return &Task{
		Classes: 2,
		Region: Region{
			Low:  [2]float64{-1 - 3*g.Noise, -0.5 - 3*g.Noise},
			High: [2]float64{2 + 3*g.Noise, 1 + 3*g.Noise},
		},
		draw: func(x []float64, rnd *rand.Rand) int {
			class := rnd.IntN(2)
			sin, cos := math.Sincos(math.Pi * rnd.Float64())
			if class == 1 {
				sin, cos = 0.5-sin, 1-cos
			}
			x[0] = cos + g.Noise*rnd.NormFloat64()
			x[1] = sin + g.Noise*rnd.NormFloat64()
			return class
		},
		probabilities: func(dst, x []float64) bool {
			a, b := moonAt(x[0], x[1]), moonAt(1-x[0], 0.5-x[1])
			// a.r² − b.r² without squares, which could overflow.
			squares := 2*x[0] + x[1] - 1.25
			two(dst, (squares/2-a.r+b.r)/(g.Noise*g.Noise)+b.logIntegral(g.Noise)-a.logIntegral(g.Noise))
			return true
		},
		bayesError: func() float64 { return moonsError(g) },
	}
}

// moonPoint is a point seen from the centre of a moon that is its upper half.
type moonPoint struct{ r, angle float64 } // angle from −π to π

func moonAt(x, y float64) moonPoint { return moonPoint{math.Hypot(x, y), math.Atan2(y, x)} }

// logIntegral returns log ∫₀^π exp(−r (1 − cos(θ−ψ))/σ²) dθ. As a function of
// the angle δ = |θ − ψ|, or 2π − |θ − ψ| where this is less than π, the integral
// is over two intervals in [0, π]: of 0 to ψ and 0 to π − ψ if the point is on
// the side of the moon, of |ψ| to π and π − |ψ| to π if it is on the other.
func (p moonPoint) logIntegral(sigma float64) float64 {
	kappa := p.r / (sigma * sigma)
	psi := math.Abs(p.angle)
	if p.angle >= 0 {
		return math.Log(arc(0, psi, kappa) + arc(0, math.Pi-psi, kappa))
	}
	// Relative to the nearer tip, which may be hundreds of orders of magnitude
	// above the other.
	near, far := min(psi, math.Pi-psi), max(psi, math.Pi-psi)
	ratio := math.Exp(kappa * (math.Cos(far) - math.Cos(near)))
	return kappa*(math.Cos(near)-1) + math.Log(arc(near, math.Pi, kappa)+ratio*arc(far, math.Pi, kappa))
}

// legendre is the Gauss–Legendre rule on [0, 1].
var legendre = func() (rule struct{ x, w [32]float64 }) {
	quad.Legendre{}.FixedLocations(rule.x[:], rule.w[:], 0, 1)
	return rule
}()

// arc returns ∫_a^b exp(κ (cos δ − cos a)) dδ for 0 ≤ a ≤ b ≤ π and κ ≥ 0.
func arc(a, b, kappa float64) float64 {
	// The integrand falls; beyond 40 e-foldings it does not matter. There
	// sin((δ+a)/2) sin((δ−a)/2) is c = 20/κ, that is cos δ = cos a − 2c. Of the
	// two forms of δ − a below the second does not cancel, for a small c.
	if c := 20 / kappa; 2*c < 1+math.Cos(a) {
		sin := math.Sin(a / 2)
		b = min(b, 2*math.Asin(math.Sqrt(sin*sin+c)))
	}
	var sum float64
	for i, u := range legendre.x {
		d := (b - a) * u
		sum += legendre.w[i] * math.Exp(-2*kappa*math.Sin(a+d/2)*math.Sin(d/2))
	}
	return (b - a) * sum
}
