package softmax

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

	"closedform/core/gauss"
	"closedform/internal/kernel"
)

// Criteria are the ways of choosing λ, see [FitLambda].
var Criteria = []string{"slope", "lsq", "minimax"}

// MostRho is the largest ρ for which [FitLambda] takes only seconds.
const MostRho = 0.99

// FitLambda returns the λ of a probit with correlation ρ whose probabilities are closest to the softmax of n
// logits without variance, over the box [−3, 3]ⁿ, where the odds of two classes are at most e⁶. The criterion
// slope matches the slope of the softmax at the origin, whatever the box; lsq minimises the root mean square
// error; minimax minimises the largest error. Far from ρ = ½ the largest error is at the origin and does not
// depend on λ: several λ are best, and FitLambda returns one of them. It panics for any other criterion.
func FitLambda(criterion string, n int, rho float64) float64 {
	slope := SlopeLambda(n, rho)
	start := kernel.Log(min(slope, 2)) // the slope explodes for small ρ and many classes
	switch criterion {
	case "slope":
		return slope
	case "lsq":
		var box boxRule
		rms := func(log float64) float64 { return box.rms(Probit{kernel.Exp(log), rho}, n) }
		return kernel.Exp(minimum(rms, start))
	case "minimax":
		return newExtremes(n, rho).minimax(start)
	}
	panic("softmax: no criterion " + criterion)
}

// BoxErrors returns the root of the mean of Σ_j e_j² over the box of [FitLambda], and the largest |e_j|
// found, where e_j is the error of the probability of class j.
func (p Probit) BoxErrors(n int) (rms, largest float64) {
	x := newExtremes(n, p.Rho)
	return new(boxRule).rms(p, n), x.largest(p.Lambda, x.search(p.Lambda))
}

const half = 3

// minimum returns a local minimum of f near x. The step doubles as f falls, halves if it rises both ways.
func minimum(f func(float64) float64, x float64) float64 {
	const (
		tolerance = 1e-13 // of f
		patience  = 20    // steps without a fall by as much
	)
	type point struct{ x, f float64 }
	value := func(x float64) point { return point{x, f(x)} }
	for range 2 { // once more from the result
		near, far := value(x), value(x+0.1)
		for old, still := math.Inf(1), 0; ; still++ {
			if far.f < near.f {
				near, far = far, near
			}
			if near.f < old-tolerance {
				old, still = near.f, 0
			}
			if still == patience {
				break
			}
			next := value(near.x - (far.x - near.x))
			if next.f < near.f {
				if further := value(near.x - 2*(far.x-near.x)); further.f < next.f {
					next = further
				}
				far = next
				continue
			}
			if next.f < far.f {
				far = next
			}
			far = value(near.x + 0.5*(far.x-near.x))
		}
		x = near.x
	}
	return x
}

// boxRule has the nodes of a logit in the box, and what belongs to the softmax alone.
type boxRule struct {
	z, weight []float64
	exact     *levels
	square    float64 // E s_j²
}

// rms returns the root of the mean of Σ_j e_j² over the box. Softmax and probit are integrals over a level t
// of a density f(t, z_j) times distribution functions F(t, z_τ) of the other classes. With a logit z uniform
// on [−half, half], E[a_j b_j] = ∫∫ E[f_a(t,z) f_b(t',z)] E[F_a(t,z) F_b(t',z)]^{n−1} dt dt' for two of them.
func (r *boxRule) rms(p Probit, n int) float64 {
	narrowest := min(1, math.Sqrt(1-p.Rho)/p.Lambda)
	if p.Rho >= smallNoise {
		narrowest = min(narrowest, math.Sqrt(p.Rho)/p.Lambda)
	}
	if size := int(16 + 8*half/narrowest); size != len(r.z) {
		r.z, r.weight = make([]float64, size), make([]float64, size)
		quad.Legendre{}.FixedLocations(r.z, r.weight, -half, half)
		for i := range r.weight {
			r.weight[i] /= 2 * half
		}
		r.exact = softmaxLevels(r.z)
		r.square = product(r.exact, r.exact, r.weight, n)
	}
	probit := p.levels(n, r.z)
	square := r.square - 2*product(r.exact, probit, r.weight, n) + product(probit, probit, r.weight, n)
	return math.Sqrt(max(0, float64(n)*square))
}

// levels has a row for each node t: for all z, the density at t times the weight of the node, and the
// distribution function.
type levels struct{ f, cdf []float64 }

func (l *levels) add(z []float64, values func(z float64) (f, cdf float64)) {
	for _, x := range z {
		f, cdf := values(x)
		l.f, l.cdf = append(l.f, f), append(l.cdf, cdf)
	}
}

func product(a, b *levels, weight []float64, n int) (sum float64) {
	size := len(weight)
	f, cdf := make([]float64, size), make([]float64, size)
	one, other := make([]float64, len(b.f)/size), make([]float64, len(b.f)/size)
	for i := 0; i < len(a.f); i += size {
		floats.MulTo(f, weight, a.f[i:i+size])
		floats.MulTo(cdf, weight, a.cdf[i:i+size])
		kernel.Rows(one, b.f, f)
		kernel.Rows(other, b.cdf, cdf)
		for k, square := range other {
			power := 1.0
			for m := n - 1; m > 0; m, square = m/2, square*square {
				if m%2 == 1 {
					power *= square
				}
			}
			sum += one[k] * power
		}
	}
	return sum
}

// softmaxLevels returns the levels of z plus Gumbel noise, see [Exact], at the nodes lo + spread sinh(k du),
// as the right tail is exponential.
func softmaxLevels(z []float64) *levels {
	out := new(levels)
	const spread, du = 6.0, 0.3 / 6
	lo := -half + gumbelLow
	x := (half + gumbelHigh - lo) / spread
	up, down, grow := 1.0, 1.0, kernel.Exp(du) // exp(±k du)
	for range int(math.Ceil(kernel.Log(x+kernel.Hypot(1, x))/du)) + 1 {
		t, dt := lo+0.5*spread*(up-down), 0.5*spread*du*(up+down)
		up, down = up*grow, down*(1/grow)
		out.add(z, func(z float64) (f, cdf float64) {
			e := kernel.Exp(z - t)
			cdf = kernel.Exp(-e)
			return dt * e * cdf, cdf
		})
	}
	return out
}

// levels returns levels of λz + √ρ ε_0 for the winner, λz + √(1−ρ) ε for others, near each logit if ρ ≈ 0.
func (p Probit) levels(n int, z []float64) *levels {
	out := new(levels)
	common, single := math.Sqrt(p.Rho), math.Sqrt(1-p.Rho)
	if p.Rho < smallNoise {
		var x, w [9]float64
		quad.Hermite{}.FixedLocations(x[:], w[:], math.Inf(-1), math.Inf(1))
		for _, winner := range z {
			for k := range x {
				out.add(z, func(z float64) (f, cdf float64) {
					if z == winner {
						f = w[k] / math.Sqrt(math.Pi)
					}
					return f, gauss.CDF((p.Lambda*(winner-z) + math.Sqrt2*common*x[k]) / single)
				})
			}
		}
		return out
	}
	lo := -p.Lambda*half - reach*max(common, single)
	hi := p.Lambda*half + reach*common
	dt := step(n) * min(common, single)
	for k := range int((hi-lo)/dt) + 2 {
		t := lo + float64(k)*dt
		out.add(z, func(z float64) (f, cdf float64) {
			return dt * gauss.PDF((t-p.Lambda*z)/common) / common, gauss.CDF((t - p.Lambda*z) / single)
		})
	}
	return out
}

const smallNoise = 0.02 // ρ below which nodes are around each logit

// contrast is a point of the box: k classes are above class j by x, all others by y. Maximising |e_j| over
// all n logits has found nothing larger (TestLargestInBox).
type contrast struct {
	k    int
	x, y float64
}

func (c contrast) near(o contrast) bool { return c.k == o.k && kernel.Hypot(c.x-o.x, c.y-o.y) < 0.01 }

// extremes finds the contrasts with the largest probit error. Its nodes t are of the common noise √ρ ε_0.
type extremes struct {
	n         int
	sd        float64 // √(1−ρ)
	t, weight []float64
	log       map[float64][]float64 // log Φ((t − λx)/sd) at all t, for the λx of the last search
}

func newExtremes(n int, rho float64) *extremes {
	s := &extremes{n: n, sd: math.Sqrt(1 - rho), log: map[float64][]float64{}}
	h := step(n) * min(1, s.sd/math.Sqrt(rho))
	for i, last := 0, int(reach/h)+1; i <= 2*last; i++ {
		x := h * float64(i-last)
		s.t, s.weight = append(s.t, math.Sqrt(rho)*x), append(s.weight, h*gauss.PDF(x))
	}
	return s
}

// logCDF keeps what it returns, as a search looks at the same x with many y and k.
func (s *extremes) logCDF(shift float64) []float64 {
	if s.log[shift] == nil {
		log := make([]float64, len(s.t))
		for i, t := range s.t {
			log[i] = gauss.LogCDF((t - shift) / s.sd)
		}
		s.log[shift] = log
	}
	return s.log[shift]
}

func (s *extremes) error(lambda float64, c contrast) float64 {
	top := max(0, c.x, c.y)
	if top-min(0, c.x, c.y) > 2*half {
		return 0
	}
	k, l := float64(c.k), float64(s.n-1-c.k)
	x, y, p, probit := s.logCDF(lambda*c.x), s.logCDF(lambda*c.y), make([]float64, len(s.t)), 0.
	for i := range p {
		p[i] = k*x[i] + l*y[i]
	}
	kernel.ExpAll(p, p)
	for i, w := range s.weight {
		probit += w * p[i]
	}
	return kernel.Exp(-top)/(kernel.Exp(-top)+k*kernel.Exp(c.x-top)+l*kernel.Exp(c.y-top)) - probit
}

func (s *extremes) largest(lambda float64, contrasts []contrast) (worst float64) {
	for _, c := range contrasts {
		worst = max(worst, math.Abs(s.error(lambda, c)))
	}
	return worst
}

// minimax minimises the largest error by exchange, from log λ: fit λ to contrasts, add the worst, repeat.
func (s *extremes) minimax(log float64) float64 {
	set := s.search(kernel.Exp(log))
	for range 20 {
		log = minimum(func(log float64) float64 { return s.largest(kernel.Exp(log), set) }, log)
		worst := s.search(kernel.Exp(log))
		if s.largest(kernel.Exp(log), worst) <= s.largest(kernel.Exp(log), set)*(1+1e-9) {
			break
		}
		set = append(set, worst...)
	}
	return kernel.Exp(log)
}

// search climbs from a coarse grid, and returns the local maxima of |e_j| that are nearly the largest.
func (s *extremes) search(lambda float64) (out []contrast) {
	const share = 0.9 // of the largest
	clear(s.log)
	for k := 0; k <= (s.n-1)/2; k += 1 + k/16 {
		for x := -5.0; x <= 5; x += 2.5 {
			for y := -5.0; y <= 5; y += 2.5 {
				c := s.climb(lambda, contrast{k, x, y})
				if !slices.ContainsFunc(out, c.near) {
					out = append(out, c)
				}
			}
		}
	}
	enough := share * s.largest(lambda, out)
	return slices.DeleteFunc(out, func(c contrast) bool { return math.Abs(s.error(lambda, c)) < enough })
}

func (s *extremes) climb(lambda float64, c contrast) contrast {
	best := math.Abs(s.error(lambda, c))
	for step := 1.0; step > 1e-6; {
		from := c
		for _, d := range [][2]float64{{1, 0}, {0, 1}, {1, 1}, {-1, 0}, {0, -1}, {-1, -1}} {
			next := contrast{c.k, c.x + step*d[0], c.y + step*d[1]}
			if e := math.Abs(s.error(lambda, next)); e > best {
				c, best = next, e
			}
		}
		if c == from {
			step /= 2
		}
	}
	return c
}
