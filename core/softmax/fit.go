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
		rms := func(log float64) float64 { return Probit{kernel.Exp(log), rho}.rms(n) }
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
	return p.rms(n), x.largest(p.Lambda, x.search(p.Lambda))
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

// rms returns the root of the mean of Σ_j e_j² over the box. Softmax and probit are integrals over a level t
// of a density f(t, z_j) times distribution functions F(t, z_τ) of the other classes. With a logit z uniform
// on [−half, half], E[a_j b_j] = ∫∫ E[f_a(t,z) f_b(t',z)] E[F_a(t,z) F_b(t',z)]^{n−1} dt dt' for two of them.
func (p Probit) rms(n int) float64 {
	narrowest := min(1, math.Sqrt(1-p.Rho)/p.Lambda)
	if p.Rho >= smallNoise {
		narrowest = min(narrowest, math.Sqrt(p.Rho)/p.Lambda)
	}
	z := make([]float64, int(16+8*half/narrowest))
	weight := make([]float64, len(z))
	quad.Legendre{}.FixedLocations(z, weight, -half, half)
	for i := range weight {
		weight[i] /= 2 * half
	}
	exact, probit := softmaxLevels(z), p.levels(n, z)
	square := product(exact, exact, weight, n) - 2*product(exact, probit, weight, n) +
		product(probit, probit, weight, n)
	return math.Sqrt(max(0, float64(n)*square))
}

// level has, for all z, the density at a node t times the weight of the node, and the distribution function.
type level struct{ f, cdf []float64 }

func newLevel(z []float64, values func(z float64) (f, cdf float64)) level {
	l := level{make([]float64, len(z)), make([]float64, len(z))}
	for i, x := range z {
		l.f[i], l.cdf[i] = values(x)
	}
	return l
}

func product(a, b []level, weight []float64, n int) (sum float64) {
	f, cdf := make([]float64, len(weight)), make([]float64, len(weight))
	for _, a := range a {
		floats.MulTo(f, weight, a.f)
		floats.MulTo(cdf, weight, a.cdf)
		for _, b := range b {
			sum += kernel.Dot(f, b.f) * math.Pow(kernel.Dot(cdf, b.cdf), float64(n-1))
		}
	}
	return sum
}

// softmaxLevels returns the levels of z plus Gumbel noise, see [Exact], at the nodes lo + spread sinh(k du),
// as the right tail is exponential.
func softmaxLevels(z []float64) (levels []level) {
	const spread, du = 6.0, 0.3 / 6
	lo := -half + gumbelLow
	x := (half + gumbelHigh - lo) / spread
	up, down, grow := 1.0, 1.0, kernel.Exp(du) // exp(±k du)
	for range int(math.Ceil(kernel.Log(x+kernel.Hypot(1, x))/du)) + 1 {
		t, dt := lo+0.5*spread*(up-down), 0.5*spread*du*(up+down)
		up, down = up*grow, down*(1/grow)
		levels = append(levels, newLevel(z, func(z float64) (f, cdf float64) {
			e := kernel.Exp(z - t)
			cdf = kernel.Exp(-e)
			return dt * e * cdf, cdf
		}))
	}
	return levels
}

// levels returns levels of λz + √ρ ε_0 for the winner, λz + √(1−ρ) ε for others, near each logit if ρ ≈ 0.
func (p Probit) levels(n int, z []float64) (levels []level) {
	common, single := math.Sqrt(p.Rho), math.Sqrt(1-p.Rho)
	if p.Rho < smallNoise {
		var x, w [9]float64
		quad.Hermite{}.FixedLocations(x[:], w[:], math.Inf(-1), math.Inf(1))
		for _, winner := range z {
			for k := range x {
				levels = append(levels, newLevel(z, func(z float64) (f, cdf float64) {
					if z == winner {
						f = w[k] / math.Sqrt(math.Pi)
					}
					return f, gauss.CDF((p.Lambda*(winner-z) + math.Sqrt2*common*x[k]) / single)
				}))
			}
		}
		return levels
	}
	lo := -p.Lambda*half - reach*max(common, single)
	hi := p.Lambda*half + reach*common
	dt := step(n) * min(common, single)
	for k := range int((hi-lo)/dt) + 2 {
		t := lo + float64(k)*dt
		levels = append(levels, newLevel(z, func(z float64) (f, cdf float64) {
			return dt * gauss.PDF((t-p.Lambda*z)/common) / common, gauss.CDF((t - p.Lambda*z) / single)
		}))
	}
	return levels
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
}

func newExtremes(n int, rho float64) *extremes {
	s := &extremes{n: n, sd: math.Sqrt(1 - rho)}
	h := step(n) * min(1, s.sd/math.Sqrt(rho))
	for i, last := 0, int(reach/h)+1; i <= 2*last; i++ {
		x := h * float64(i-last)
		s.t, s.weight = append(s.t, math.Sqrt(rho)*x), append(s.weight, h*gauss.PDF(x))
	}
	return s
}

func (s *extremes) error(lambda float64, c contrast) float64 {
	top := max(0, c.x, c.y)
	if top-min(0, c.x, c.y) > 2*half {
		return 0
	}
	k, l := float64(c.k), float64(s.n-1-c.k)
	var probit float64
	for i, t := range s.t {
		x, y := gauss.LogCDF((t-lambda*c.x)/s.sd), gauss.LogCDF((t-lambda*c.y)/s.sd)
		probit += s.weight[i] * kernel.Exp(k*x+l*y)
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
