// Package lambdafit fits the slope λ of the probit approximation to the softmax over a box
// of logits: by least squares or minimax.
package lambdafit

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// Box is the cube of logits [−Half, Half]^Classes over which the error of the
// probit function itself (not yet of its moments) is measured:
//
//	e_j(z) = softmax_j(z) − Φ_{n−1}(λ(z_j − z_τ), τ ≠ j; 0, Σ_0).
//
// See [Box.Fit] for the λ that makes it small. A Box is a value, safe for concurrent use.
type Box struct {
	Classes int     // n ≥ 2
	Half    float64 // > 0
}

// RMS returns the root of the mean of Σ_j e_j² over the box, z uniform. Both functions are integrals over a
// level t of a density f(t, z_j) times a distribution function F(t, z_τ) for each
// other class, so the mean of a product of two of them, a and b, is a double integral
//
//	E[a_j b_j] = ∫∫ E[f_a(t,z) f_b(t',z)] E[F_a(t,z) F_b(t',z)]^{n−1} dt dt',
//
// with one logit z uniform on [−Half, Half].
func (b Box) RMS(p softmax.Probit) float64 {
	narrowest := min(1, math.Sqrt(1-p.Rho)/p.Lambda)
	if p.Rho >= smallNoise {
		narrowest = min(narrowest, math.Sqrt(p.Rho)/p.Lambda)
	}
	z := make([]float64, int(16+8*b.Half/narrowest))
	weight := make([]float64, len(z))
	quad.Legendre{}.FixedLocations(z, weight, -b.Half, b.Half)
	for i := range weight {
		weight[i] /= 2 * b.Half
	}
	exact, probit := b.softmaxLevels(z), b.probitLevels(p, z)
	square := exact.product(exact, weight, b.Classes) -
		2*exact.product(probit, weight, b.Classes) +
		probit.product(probit, weight, b.Classes)
	return math.Sqrt(max(0, float64(b.Classes)*square))
}

// levels are the densities, times the weights of the nodes t, and distribution
// functions of one class: node × logit.
type levels struct{ f, cdf *mat.Dense }

func newLevels(nodes, logits int) levels {
	return levels{mat.NewDense(nodes, logits, nil), mat.NewDense(nodes, logits, nil)}
}

// product returns E[a_j b_j] for n classes, where weight has the weights of the logits.
func (a levels) product(b levels, weight []float64, n int) float64 {
	nodes, _ := a.f.Dims()
	others, _ := b.f.Dims()
	f, cdf := make([]float64, len(weight)), make([]float64, len(weight))
	var sum float64
	for k := range nodes {
		floats.MulTo(f, weight, a.f.RawRowView(k))
		floats.MulTo(cdf, weight, a.cdf.RawRowView(k))
		for l := range others {
			sum += kernel.Dot(f, b.f.RawRowView(l)) * math.Pow(kernel.Dot(cdf, b.cdf.RawRowView(l)), float64(n-1))
		}
	}
	return sum
}

// softmaxLevels returns those of the softmax: z plus Gumbel noise, see [softmax.Exact]. The
// nodes are lo + spread sinh(k du), as the right tail of the noise is exponential.
func (b Box) softmaxLevels(z []float64) levels {
	const low, high = -3.75, 32 // quantiles of the noise: 4e-19, and 1 − 1e-14
	step, spread := 0.3, 6.0
	du := step / spread
	lo := -b.Half + low
	x := (b.Half + high - lo) / spread
	l := newLevels(int(math.Ceil(kernel.Log(x+kernel.Hypot(1, x))/du))+1, len(z))
	nodes, _ := l.f.Dims()
	up, down, grow := 1.0, 1.0, kernel.Exp(du) // exp(±k du)
	shrink := 1 / grow
	for k := range nodes {
		t, dt := lo+0.5*spread*(up-down), 0.5*spread*du*(up+down)
		up *= grow
		down *= shrink
		for i, x := range z {
			e := kernel.Exp(x - t)
			c := kernel.Exp(-e)
			l.f.Set(k, i, dt*e*c)
			l.cdf.Set(k, i, c)
		}
	}
	return l
}

// reach is the quantile at which a normal distribution is cut: Φ(−7.7) = 7e-15.
const reach = 7.7

// step returns the distance of the nodes, in units of the smallest scale, for the product
// of the normal distribution functions of all classes.
func (b Box) step() float64 { return 0.5 / (1 + 0.38*kernel.Log(0.5*float64(b.Classes))) }

// smallNoise is the ρ below which the common noise of the probit is integrated
// round each logit, since no common nodes would be near enough.
const smallNoise = 0.02

// probitLevels returns those of the probit: λz + √ρ ε_0 for the winner, λz + √(1−ρ) ε for the others.
func (b Box) probitLevels(p softmax.Probit, z []float64) levels {
	common, own := math.Sqrt(p.Rho), math.Sqrt(1-p.Rho)
	if p.Rho < smallNoise {
		const points = 9
		x, w := make([]float64, points), make([]float64, points)
		quad.Hermite{}.FixedLocations(x, w, math.Inf(-1), math.Inf(1))
		l := newLevels(points*len(z), len(z))
		for i, winner := range z {
			for k := range points {
				l.f.Set(i*points+k, i, w[k]/math.Sqrt(math.Pi))
				for j, other := range z {
					l.cdf.Set(i*points+k, j, gauss.CDF((p.Lambda*(winner-other)+math.Sqrt2*common*x[k])/own))
				}
			}
		}
		return l
	}
	lo := -p.Lambda*b.Half - reach*max(common, own)
	hi := p.Lambda*b.Half + reach*common
	dt := b.step() * min(common, own)
	l := newLevels(int((hi-lo)/dt)+2, len(z))
	nodes, _ := l.f.Dims()
	for k := range nodes {
		t := lo + float64(k)*dt
		for i, x := range z {
			l.f.Set(k, i, dt*gauss.PDF((t-p.Lambda*x)/common)/common)
			l.cdf.Set(k, i, gauss.CDF((t-p.Lambda*x)/own))
		}
	}
	return l
}
