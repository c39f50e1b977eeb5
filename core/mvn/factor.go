package mvn

import (
	"math"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// recognised is the largest error for which a matrix is taken for one of a
// simpler structure that is not quite its own.
const recognised = 1e-10

// loading is that of a variable X = aT + sZ on a factor T. Next to a = ±1 the
// square of s = √(1−a²) has digits that a has not.
type loading struct{ a, s float64 }

// loadings returns those with ρ_ij = a_i a_j (i ≠ j) to rounding, and a bound of
// what the difference contributes to the probability, if there are such with
// |a_i| ≤ 1: the variables have one common factor then.
func (p *problem) loadings() (f []loading, abserr float64, ok bool) {
	n := p.n
	// The largest correlation and the best third variable fix the first loading:
	// a_i² = ρ_ij ρ_ik / ρ_jk.
	i, j, largest := 0, 1, 0.0
	for k := range n {
		for l := range k {
			if r := math.Abs(p.r[k*n+l]); r > largest {
				i, j, largest = k, l, r
			}
		}
	}
	k, best := -1, 0.0
	for l := range n {
		if l != i && l != j {
			if r := math.Abs(p.r[i*n+l] * p.r[j*n+l]); r > best {
				k, best = l, r
			}
		}
	}
	if k < 0 {
		return nil, 0, false
	}
	square := p.r[i*n+j] * p.r[i*n+k] / p.r[j*n+k]
	if !(square > 0 && square < 1+1e-12) {
		return nil, 0, false
	}
	f = make([]loading, n)
	// 1 − a_i², and 1 − a_l² from a_l = ρ_il/a_i.
	first := max(0, math.FMA(-p.r[i*n+j], p.r[i*n+k], p.r[j*n+k])/p.r[j*n+k])
	square = 1 - first
	f[i] = loading{math.Sqrt(square), math.Sqrt(first)}
	for l, r := range p.row(i) {
		if l != i {
			rest := max(0, min(1, (math.FMA(-r, r, 1)-first)/square))
			f[l] = loading{max(-1, min(1, r/f[i].a)), math.Sqrt(rest)}
		}
	}
	for k := range n {
		for l := range k {
			// 1 − |a_k a_l|
			u, v, s := f[k].s*f[k].s, f[l].s*f[l].s, f[k].a*f[l].a
			abserr += productBound(p.r[k*n+l], s, (u+v-u*v)/(1+math.Abs(s)))
		}
	}
	return f, abserr, abserr < recognised
}

// oneFactor returns P(X ≤ x) for X_k = a_k T + s_k Z_k with independent standard
// normal T and Z_k,
//
//	P = ∫ φ(t) Π_k Φ((x_k − a_k t)/s_k) dt.
//
// A variable with s_k = 0 bounds t instead. The integrand is log-concave: each side
// of its mode is integrated adaptively as far as it is above 1e-17 of its maximum.
// The relative error is some 1e-14, in the tails too.
func oneFactor(x []float64, loadings []loading) float64 {
	f := factor{lo: math.Inf(-1), hi: math.Inf(1)}
	for k, l := range loadings {
		switch {
		case l.s > 0:
			f.x, f.load = append(f.x, x[k]/l.s), append(f.load, l.a/l.s)
		case l.a > 0:
			f.hi = min(f.hi, x[k])
		default:
			f.lo = max(f.lo, -x[k])
		}
	}
	if !(f.lo < f.hi) {
		return 0
	}
	f.findMode()
	peak := f.log(f.mode)
	if peak < underflow {
		return 0
	}
	f.scale = make([]float64, len(f.x))
	for k := range f.x {
		f.scale[k] = 1 / gauss.CDF(f.x[k]-f.load[k]*f.mode)
	}
	var c cuts
	for k, x := range f.x {
		c.addLinear(x, -f.load[k], 1)
	}
	left, right := f.reach(-1, peak), f.reach(1, peak)
	below, above := f.mode-left, right-f.mode
	sum := c.integrate(f.at, left, f.mode, 1e-13*below) + c.integrate(f.at, f.mode, right, 1e-13*above)
	return kernel.Exp(peak) * sum
}

// factor is the integrand of [oneFactor]: φ(t) Π_k Φ(x_k − load_k t) on [lo, hi].
type factor struct {
	x, load []float64
	lo, hi  float64
	mode    float64
	scale   []float64 // 1/Φ at the mode
}

// log returns the logarithm of the integrand.
func (f *factor) log(t float64) float64 {
	sum := -0.5*t*t - 0.5*kernel.Log(2*math.Pi)
	for k, x := range f.x {
		sum += gauss.LogCDF(x - f.load[k]*t)
	}
	return sum
}

// at returns the integrand relative to its maximum.
func (f *factor) at(t float64) float64 {
	y := kernel.Exp(0.5 * (f.mode - t) * (f.mode + t))
	for k, x := range f.x {
		y *= gauss.CDF(x-f.load[k]*t) * f.scale[k]
	}
	return y
}

// findMode finds where the derivative of the logarithm vanishes, by bisection
// with Newton's steps inside the bracket. Beyond ±far there is nothing.
func (f *factor) findMode() {
	lo, hi := max(f.lo, -far), min(f.hi, far)
	t := max(lo, min(hi, 0))
	for range 100 {
		d, dd := -t, -1.0
		for k, x := range f.x {
			b := x - f.load[k]*t
			h := gauss.InverseMills(b)
			d -= f.load[k] * h
			dd -= f.load[k] * f.load[k] * h * (b + h)
		}
		if d > 0 {
			lo = t
		} else {
			hi = t
		}
		// Near enough is where the logarithm is within 1e-4 of its maximum.
		if math.Abs(d)*min(math.Abs(d/dd), hi-lo) < 1e-4 {
			break
		}
		if t -= d / dd; !(lo < t && t < hi) {
			t = 0.5 * (lo + hi)
		}
	}
	f.mode = t
}

// reach returns the end of the integral on one side of the mode (sign ±1): the
// logarithm falls at least like −(t−mode)²/2.
func (f *factor) reach(sign, peak float64) float64 {
	const drop = 40
	d := math.Sqrt(2 * drop)
	for f.log(f.mode+sign*0.5*d) < peak-drop {
		d *= 0.5
	}
	return max(f.lo, min(f.hi, f.mode+sign*d))
}
