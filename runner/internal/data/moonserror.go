package data

import "math"

// moonsError returns the Bayes error ½ ∫ min(f₀, f₁) dx of the moons.
//
// The integrand is smooth but for a bend where the classes meet, a curve like an
// S on its side. Parallel lines that cut it at an angle everywhere, whatever the
// noise, run in the direction (−7, 24)/25. On each of them the bend is found by
// bisection and the integral is a Gauss–Legendre quadrature of panels that end
// there. As a function of the line it is smooth, so that a sum over lines is
// exact up to a term that is exponentially small in σ/step.
func moonsError(g Generator) float64 {
	// Every point is ¼ or more away from one of the moons, which are ½ apart, so
	// min(f₀, f₁) falls like exp(−(¼/σ)²/2). What is e⁻⁴⁰ smaller still than at
	// the nearest points does not matter.
	const nearest = 0.25
	if nearest*nearest/(2*g.Noise*g.Noise) > 690 {
		return 0 // below 1e-300
	}
	step, panel := g.Noise/10, 2*g.Noise
	reach := math.Sqrt(nearest*nearest + 81*g.Noise*g.Noise)
	end := 1.6 + reach // The moons are within 1.6 of the centre (½, ¼).
	var sum float64
	// One moon is the other after half a turn about the centre, which takes each
	// line to its mirror image: lines on one side will do.
	for u := step / 2; u < end; u += step {
		l := moonLine{u: u, sigma: g.Noise, reach: reach}
		middle := l.boundary(-end, end)
		for v := 0.; v < end+math.Abs(middle); v += panel {
			sum += l.integral(middle-v-panel, panel) + l.integral(middle+v, panel)
		}
	}
	return sum * step // both sides, times ½
}

// moonLine is a line in the direction (−7, 24)/25 at the distance u from the
// centre of the moons.
type moonLine struct{ u, sigma, reach float64 }

// at returns the point of the line v away from its foot, seen from each moon.
func (l moonLine) at(v float64) (a, b moonPoint) {
	const along, across = -0.28, 0.96
	x, y := 0.5+across*l.u+along*v, 0.25-along*l.u+across*v
	return moonAt(x, y), moonAt(1-x, 0.5-y)
}

// boundary returns where class 1, at low, turns into class 0, at high.
func (l moonLine) boundary(low, high float64) float64 {
	for {
		middle := low + (high-low)/2
		if middle <= low || middle >= high {
			return middle
		}
		if a, b := l.at(middle); a.logDensity(l.sigma) < b.logDensity(l.sigma) {
			low = middle
		} else {
			high = middle
		}
	}
}

// integral returns ∫ min(f₀, f₁) dv from v = low to low + length.
func (l moonLine) integral(low, length float64) float64 {
	var sum float64
	for i, u := range legendre.x {
		sum += legendre.w[i] * l.min(low+length*u)
	}
	return length * sum
}

// min returns min(f₀, f₁), or 0 where it does not matter.
func (l moonLine) min(v float64) float64 {
	a, b := l.at(v)
	if a.gap() > l.reach || b.gap() > l.reach {
		return 0
	}
	return math.Exp(min(a.logDensity(l.sigma), b.logDensity(l.sigma)))
}

// logDensity returns log f₀.
func (p moonPoint) logDensity(sigma float64) float64 {
	z := (p.r - 1) / sigma
	return -z*z/2 + p.logIntegral(sigma) - math.Log(2*math.Pi*math.Pi*sigma*sigma)
}

// gap returns the distance from the moon.
func (p moonPoint) gap() float64 {
	if p.angle >= 0 {
		return math.Abs(p.r - 1)
	}
	tip := min(-p.angle, math.Pi+p.angle) // the angle to the nearer tip
	return math.Hypot(p.r-math.Cos(tip), math.Sin(tip))
}
