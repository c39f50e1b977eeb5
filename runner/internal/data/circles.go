package data

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"

	"closedform/core/random"
	"closedform/internal/kernel"
)

// polar sets x to the point at a radius and an angle.
func polar(x []float64, r, angle float64) {
	sin, cos := math.Sincos(angle)
	x[0], x[1] = r*cos, r*sin
}

// rings has K equally probable classes, circles round the origin of the radii
// R_k = (k+1)/K:
//
//	x = ρ (cos θ, sin θ),  ρ = R_k + σε,  ε ~ N(0, 1),  θ ~ U[0, 2π), class k.
//
// ρ may be negative, so r = |x| has a folded normal density, and
//
//	P(class k | x) ∝ φ((r−R_k)/σ) + φ((r+R_k)/σ) ∝ exp(−R_k²/(2σ²)) cosh(r R_k/σ²).
func rings(g Generator) *Task {
	radius := func(k int) float64 { return float64(k+1) / float64(g.Rings) }
	return &Task{
		Classes: g.Rings,
		Region:  square(1 + 3*g.Noise),
		draw: func(x []float64, rnd *rand.Rand) int {
			class := rnd.IntN(g.Rings)
			angle := 2 * math.Pi * rnd.Float64()
			polar(x, radius(class)+g.Noise*random.Normal(rnd), angle)
			return class
		},
		probabilities: func(dst, x []float64) bool {
			r, precision := kernel.Hypot(x[0], x[1]), 1/(g.Noise*g.Noise)
			for k := range dst { // log[2 exp(−R_k²/(2σ²)) cosh(r R_k/σ²)]
				a := radius(k)
				dst[k] = (r-a/2)*a*precision + math.Log1p(kernel.Exp(-2*r*a*precision))
			}
			return normalize(dst)
		},
	}
}

const winding = 4 // radians by which an arm turns up to the unit circle

// spirals has A equally probable classes, the arms of a spiral (the task of the
// Stanford course CS231n):
//
//	x = r (cos θ, sin θ),  r ~ U(0, 1],  θ = 4r + 2πk/A + σε,  ε ~ N(0, 1), class k.
//
// At radius r and polar angle φ the angles to the arms are
// δ_k = φ − 4r − 2πk/A, and the class has the density of the wrapped normal:
//
//	P(class k | x) ∝ Σ_m exp(−(δ_k + 2πm)²/(2σ²)),
//
// 1/A each at the origin.
func spirals(g Generator) *Task {
	arm := func(k int) float64 { return 2 * math.Pi * float64(k) / float64(g.Arms) }
	return &Task{
		Classes: g.Arms,
		Region:  square(1),
		draw: func(x []float64, rnd *rand.Rand) int {
			class := rnd.IntN(g.Arms)
			r := 1 - rnd.Float64()
			polar(x, r, winding*r+arm(class)+g.Noise*random.Normal(rnd))
			return class
		},
		probabilities: func(dst, x []float64) bool {
			clear(dst)
			if r := kernel.Hypot(x[0], x[1]); r > 0 {
				turned := math.Atan2(x[1], x[0]) - winding*r
				for k := range dst {
					dst[k] = logWrappedNormal(math.Remainder(turned-arm(k), 2*math.Pi), g.Noise)
				}
			}
			return normalize(dst)
		},
	}
}

// logWrappedNormal returns log Σ_m exp(−(δ+2πm)²/(2σ²)) for |δ| ≤ π.
func logWrappedNormal(delta, sigma float64) float64 {
	sum := 1. // relative to the term m = 0, which is the largest
	for m := 1.; ; m++ {
		right := kernel.Exp(-2 * math.Pi * m * (math.Pi*m + delta) / (sigma * sigma))
		left := kernel.Exp(-2 * math.Pi * m * (math.Pi*m - delta) / (sigma * sigma))
		sum += right + left
		if right+left < 1e-17*sum {
			return kernel.Log(sum) - delta*delta/(2*sigma*sigma)
		}
	}
}

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
// and that of class 1 is f₁(x) = f₀((1, ½) − x). The integral is a Gauss–Legendre quadrature
// in logarithms: the error of log f₁ − log f₀ is about 1e-12, relative or, where it is small,
// absolute.
func moons(g Generator) *Task {
	return &Task{
		Classes: 2,
		Region: Region{
			Low:  [2]float64{-1 - 3*g.Noise, -0.5 - 3*g.Noise},
			High: [2]float64{2 + 3*g.Noise, 1 + 3*g.Noise},
		},
		draw: func(x []float64, rnd *rand.Rand) int {
			class := rnd.IntN(2)
			polar(x, 1, math.Pi*rnd.Float64())
			if class == 1 {
				x[0], x[1] = 1-x[0], 0.5-x[1]
			}
			addNoise(x, g.Noise, rnd)
			return class
		},
		probabilities: func(dst, x []float64) bool {
			r0, log0 := moonIntegral(x[0], x[1], g.Noise)
			r1, log1 := moonIntegral(1-x[0], 0.5-x[1], g.Noise)
			squares := 2*x[0] + x[1] - 1.25 // r₀² − r₁² without squares, which could overflow
			return two(dst, (squares/2-r0+r1)/(g.Noise*g.Noise)+log1-log0)
		},
	}
}

// moonIntegral returns r and log ∫₀^π exp(−r (1 − cos(θ−ψ))/σ²) dθ at a point seen from the centre of a moon
// that is its upper half. Over the angle |θ − ψ|, or 2π − |θ − ψ| where this is less than π, the integral is
// from 0 to ψ and from 0 to π − ψ if the point is on the side of the moon, else from |ψ| and from π − |ψ| to
// π.
func moonIntegral(x, y, sigma float64) (r, log float64) {
	r = kernel.Hypot(x, y)
	angle, kappa := math.Atan2(y, x), r/(sigma*sigma)
	psi := math.Abs(angle)
	if angle >= 0 {
		return r, kernel.Log(arc(0, psi, kappa) + arc(0, math.Pi-psi, kappa))
	}
	// Relative to the nearer tip, which may be hundreds of orders of magnitude above.
	near, far := min(psi, math.Pi-psi), max(psi, math.Pi-psi)
	ratio := kernel.Exp(kappa * (math.Cos(far) - math.Cos(near)))
	sum := arc(near, math.Pi, kappa) + ratio*arc(far, math.Pi, kappa)
	return r, kappa*(math.Cos(near)-1) + kernel.Log(sum)
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
