package data

import (
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/integrate/quad"

	"closedform/core/gauss"
	"closedform/core/random"
	"closedform/internal/kernel"
)

// rings has K equally probable classes, circles round the origin of the radii
// R_k = (k+1)/K:
//
//	x = ρ (cos θ, sin θ),  ρ = R_k + σε,  ε ~ N(0, 1),  θ ~ U[0, 2π), class k.
//
// ρ may be negative, so r = |x| has a folded normal density, and
//
//	P(class k | x) ∝ φ((r−R_k)/σ) + φ((r+R_k)/σ) ∝ exp(−R_k²/(2σ²)) cosh(r R_k/σ²).
//
// The ratio of two of these grows with r in favour of the larger ring, so class k−1
// gives way to class k at one radius l_k. These radii increase with k (as a test
// shows), so class k is the most probable one from l_k to u_k = l_{k+1}, where
// l_0 = 0 and u_{K−1} = ∞, and
//
//	Bayes error = (1/K) Σ_k P(|R_k + σε| ∉ [l_k, u_k]),
//
// to a relative error of 1e-12. At K = 3 and σ = 0.05 it is 5.7e-4.
func rings(g Generator) *Task {
	return &Task{
		Classes: g.Rings,
		Region:  square(1 + 3*g.Noise),
		draw: func(x []float64, rnd *rand.Rand) int {
			class := rnd.IntN(g.Rings)
			sin, cos := math.Sincos(2 * math.Pi * rnd.Float64())
			r := g.radius(class) + g.Noise*random.Normal(rnd)
			x[0], x[1] = r*cos, r*sin
			return class
		},
		probabilities: func(dst, x []float64) bool {
			r := kernel.Hypot(x[0], x[1])
			for k := range dst {
				dst[k] = g.logRing(k, r)
			}
			normalize(dst)
			return true
		},
		BayesError: func() float64 {
			var sum float64
			for k := range g.Rings {
				low, high := 0., math.Inf(1)
				if k > 0 {
					low = g.ringBoundary(k-1, k)
				}
				if k+1 < g.Rings {
					high = g.ringBoundary(k, k+1)
				}
				a := g.radius(k)
				within := gauss.CDF((low-a)/g.Noise) - gauss.CDF((-low-a)/g.Noise) // P(|R_k + σε| < low)
				sum += within + gauss.CDF((a-high)/g.Noise) + gauss.CDF((-high-a)/g.Noise)
			}
			return sum / float64(g.Rings)
		},
	}
}

func (g Generator) radius(k int) float64 { return float64(k+1) / float64(g.Rings) }

// logRing returns log[2 exp(−R_k²/(2σ²)) cosh(r R_k/σ²)], the log density of class k at
// the radius r up to a term without k.
func (g Generator) logRing(k int, r float64) float64 {
	a, precision := g.radius(k), 1/(g.Noise*g.Noise)
	return (r-a/2)*a*precision + math.Log1p(kernel.Exp(-2*r*a*precision))
}

// ringBoundary returns the radius at which class j < k gives way to class k. It is above
// the middle of R_j and R_k, where without the fold it would be, by σ² log 2/(R_k − R_j)
// at most, as log cosh s is between s − log 2 and s.
func (g Generator) ringBoundary(j, k int) float64 {
	low := (g.radius(j) + g.radius(k)) / 2
	high := low + g.Noise*g.Noise*math.Ln2/(g.radius(k)-g.radius(j))
	return bisect(low, high, func(r float64) bool { return g.logRing(k, r) < g.logRing(j, r) })
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
// 1/A each at the origin. The best rule is the nearest arm at any radius, and
//
//	Bayes error = 2 Σ_{m≥0} Φ(−(2πm + π/A)/σ) − Φ(−(2π(m+1) − π/A)/σ),
//
// to a relative error of 1e-12; at A = 3 and σ = 0.12, 2.6e-18.
func spirals(g Generator) *Task {
	return &Task{
		Classes: g.Arms,
		Region:  square(1),
		draw: func(x []float64, rnd *rand.Rand) int {
			class := rnd.IntN(g.Arms)
			r := 1 - rnd.Float64()
			sin, cos := math.Sincos(winding*r + g.arm(class) + g.Noise*random.Normal(rnd))
			x[0], x[1] = r*cos, r*sin
			return class
		},
		probabilities: func(dst, x []float64) bool {
			r := kernel.Hypot(x[0], x[1])
			turned := math.Atan2(x[1], x[0]) - winding*r
			for k := range dst {
				dst[k] = 0
				if r > 0 {
					dst[k] = logWrappedNormal(math.Remainder(turned-g.arm(k), 2*math.Pi), g.Noise)
				}
			}
			normalize(dst)
			return true
		},
		BayesError: func() float64 {
			var sum float64
			half := math.Pi / float64(g.Arms)
			for m := 0.; ; m++ {
				term := gauss.CDF(-(2*math.Pi*m+half)/g.Noise) - gauss.CDF(-(2*math.Pi*(m+1)-half)/g.Noise)
				if term == 0 {
					return 2 * sum
				}
				sum += term
			}
		},
	}
}

// arm returns the polar angle at which arm k leaves the origin.
func (g Generator) arm(k int) float64 { return 2 * math.Pi * float64(k) / float64(g.Arms) }

// logWrappedNormal returns log Σ_m exp(−(δ+2πm)²/(2σ²)) for |δ| ≤ π.
func logWrappedNormal(delta, sigma float64) float64 {
	// Relative to the term m = 0, which is the largest.
	sum := 1.
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
