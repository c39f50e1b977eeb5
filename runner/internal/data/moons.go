package data

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"

	"closedform/core/random"
	"closedform/internal/kernel"
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
// and that of class 1 is f₁(x) = f₀((1, ½) − x), by a Gauss–Legendre quadrature of the
// part that matters, in logarithms: the error of log f₁ − log f₀ is some 1e-12,
// relative or, where it is small, absolute. The Bayes error ½ ∫ min(f₀, f₁) dx, to a
// relative error of 1e-9, takes tenths of a second; at σ = 0.1 it is 0.064 %.
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
			x[0] = cos + g.Noise*random.Normal(rnd)
			x[1] = sin + g.Noise*random.Normal(rnd)
			return class
		},
		probabilities: func(dst, x []float64) bool {
			a, b := moonAt(x[0], x[1]), moonAt(1-x[0], 0.5-x[1])
			// a.r² − b.r² without squares, which could overflow.
			squares := 2*x[0] + x[1] - 1.25
			two(dst, (squares/2-a.r+b.r)/(g.Noise*g.Noise)+b.logIntegral(g.Noise)-a.logIntegral(g.Noise))
			return true
		},
		BayesError: func() float64 { return moonsError(g) },
	}
}

// moonPoint is a point seen from the centre of a moon that is its upper half.
type moonPoint struct{ r, angle float64 } // angle from −π to π

func moonAt(x, y float64) moonPoint { return moonPoint{kernel.Hypot(x, y), math.Atan2(y, x)} }

// logIntegral returns log ∫₀^π exp(−r (1 − cos(θ−ψ))/σ²) dθ. Over the angle |θ − ψ|, or
// 2π − |θ − ψ| where this is less than π, the integral is from 0 to ψ and from 0 to
// π − ψ if the point is on the side of the moon, else from |ψ| and from π − |ψ| to π.
func (p moonPoint) logIntegral(sigma float64) float64 {
	kappa := p.r / (sigma * sigma)
	psi := math.Abs(p.angle)
	if p.angle >= 0 {
		return kernel.Log(arc(0, psi, kappa) + arc(0, math.Pi-psi, kappa))
	}
	// Relative to the nearer tip, which may be hundreds of orders of magnitude above.
	near, far := min(psi, math.Pi-psi), max(psi, math.Pi-psi)
	ratio := kernel.Exp(kappa * (math.Cos(far) - math.Cos(near)))
	return kappa*(math.Cos(near)-1) + kernel.Log(arc(near, math.Pi, kappa)+ratio*arc(far, math.Pi, kappa))
}

// legendre is the Gauss–Legendre rule on [0, 1].
var legendre = func() (rule struct{ x, w [32]float64 }) {
	quad.Legendre{}.FixedLocations(rule.x[:], rule.w[:], 0, 1)
	return rule
}()

// arc returns ∫_a^b exp(κ (cos δ − cos a)) dδ for 0 ≤ a ≤ b ≤ π and κ ≥ 0.
func arc(a, b, kappa float64) float64 {
	// The integrand falls; beyond 40 e-foldings, sin((δ+a)/2) sin((δ−a)/2) = c = 20/κ or
	// cos δ = cos a − 2c, it does not matter.
	if c := 20 / kappa; 2*c < 1+math.Cos(a) {
		sin := math.Sin(a / 2)
		b = min(b, 2*math.Asin(math.Sqrt(sin*sin+c)))
	}
	var sum float64
	for i, u := range legendre.x {
		d := (b - a) * u
		sum += legendre.w[i] * kernel.Exp(-2*kappa*math.Sin(a+d/2)*math.Sin(d/2))
	}
	return (b - a) * sum
}

// moonsError returns the Bayes error ½ ∫ min(f₀, f₁) dx of the moons.
//
// The integrand is smooth but for a bend where the classes meet, a curve like an S on
// its side, which lines in the direction (−7, 24)/25 cut at an angle everywhere, whatever
// the noise. On each line the bend is found by bisection, and panels of a Gauss–Legendre
// quadrature end there. As a function of the line the integral is smooth: the error of
// a sum over lines is exponentially small in σ/step.
func moonsError(g Generator) float64 {
	// Every point is ¼ or more away from one of the moons, so min(f₀, f₁) falls like
	// exp(−(¼/σ)²/2). What is e⁻⁴⁰ smaller still does not matter.
	const nearest = 0.25
	if nearest*nearest/(2*g.Noise*g.Noise) > 690 {
		return 0 // below 1e-300
	}
	step, panel := g.Noise/10, 2*g.Noise
	reach := math.Sqrt(nearest*nearest + 81*g.Noise*g.Noise)
	end := 1.6 + reach // The moons are within 1.6 of the centre (½, ¼).
	var sum float64
	// Half a turn about the centre changes the moons over: lines on one side will do.
	for u := step / 2; u < end; u += step { // the distance of a line from the centre
		at := func(v float64) (a, b moonPoint) { // v away from the foot of the line
			const along, across = -0.28, 0.96
			x, y := 0.5+across*u+along*v, 0.25-along*u+across*v
			return moonAt(x, y), moonAt(1-x, 0.5-y)
		}
		integral := func(low float64) (sum float64) { // of min(f₀, f₁) over a panel
			for i, t := range legendre.x {
				if a, b := at(low + panel*t); !(a.gap() > reach || b.gap() > reach) {
					sum += legendre.w[i] * kernel.Exp(min(a.logDensity(g.Noise), b.logDensity(g.Noise)))
				}
			}
			return panel * sum
		}
		middle := bisect(-end, end, func(v float64) bool { // where class 1 turns into class 0
			a, b := at(v)
			return a.logDensity(g.Noise) < b.logDensity(g.Noise)
		})
		for v := 0.; v < end+math.Abs(middle); v += panel {
			sum += integral(middle-v-panel) + integral(middle+v)
		}
	}
	return sum * step // both sides, times ½
}

// logDensity returns log f₀.
func (p moonPoint) logDensity(sigma float64) float64 {
	z := (p.r - 1) / sigma
	return -z*z/2 + p.logIntegral(sigma) - kernel.Log(2*math.Pi*math.Pi*sigma*sigma)
}

// gap returns the distance from the moon.
func (p moonPoint) gap() float64 {
	if p.angle >= 0 {
		return math.Abs(p.r - 1)
	}
	tip := min(-p.angle, math.Pi+p.angle) // the angle to the nearer tip
	return kernel.Hypot(p.r-math.Cos(tip), math.Sin(tip))
}
