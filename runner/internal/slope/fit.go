package slope

import (
	"math"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/integrate/quad"

	"closedform/core/gauss"
	"closedform/core/softmax"
	"closedform/internal/kernel"
)

// MostRho is the largest ρ for which a fit takes only seconds.
const MostRho = 0.99

const (
	half       = 3    // half of the width of the box
	reach      = 7.7  // the quantile at which a normal distribution is cut: Φ(−7.7) = 7e-15
	smallNoise = 0.02 // ρ below which each logit has nodes of its own
	mostNodes  = 1000 // largest number of nodes of a logit; with more a fit takes minutes
)

func fit(criterion string, n int, rho float64) float64 {
	slope := softmax.SlopeLambda(n, rho)
	start := kernel.Log(min(slope, 2)) // SlopeLambda explodes for small ρ and many classes
	switch criterion {
	case "slope":
		return slope
	case "lsq":
		rms := func(log float64) float64 { return boxRMS(softmax.Probit{Lambda: kernel.Exp(log), Rho: rho}, n) }
		return kernel.Exp(minimum(rms, start))
	case "minimax":
		return newExtremes(n, rho).minimax(start)
	}
	panic("slope: no criterion " + criterion)
}

// BoxErrors returns the root of the mean of Σ_j e_j² over the box of [Lambda.Value], and the largest |e_j|
// found, where e_j is the error of the probability of class j out of n. rms is NaN for λ so large that the
// integral would take minutes, beyond 40 for ρ = 0.
func BoxErrors(p softmax.Probit, n int) (rms, largest float64) {
	x := newExtremes(n, p.Rho)
	return boxRMS(p, n), x.largest(p.Lambda, x.search(p.Lambda))
}

// minimum returns a local minimum of f near x. The step doubles as f falls, halves if it rises both ways.
func minimum(f func(float64) float64, x float64) float64 {
	const (
		tolerance = 1e-13 // smallest decrease of f that counts
		patience  = 20    // steps without a decrease of f that counts before the search ends
	)
	type point struct{ x, f float64 }
	value := func(x float64) point { return point{x, f(x)} }
	for range 2 { // the second round starts from the result of the first
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

// step returns the distance of nodes for the product of n normal distribution functions, in units of their
// scale: the largest of n normal variables has a narrower distribution, by about √log n.
func step(n int) float64 { return 0.5 / (1 + 0.38*kernel.Log(0.5*float64(n))) }

// boxRMS returns the root of the mean of Σ_j e_j² over the box, or NaN for λ so large that it takes minutes.
// Softmax and probit are integrals over a level t of a density f(t, z_j) times distribution functions F(t,
// z_τ) of the other classes. With a logit z uniform on [−half, half], E[a_j b_j] = ∫∫ E[f_a(t,z) f_b(t',z)]
// E[F_a(t,z) F_b(t',z)]^{n−1} dt dt' for two of them.
func boxRMS(p softmax.Probit, n int) float64 {
	narrowest := min(1, math.Sqrt(1-p.Rho)/p.Lambda)
	if p.Rho >= smallNoise {
		narrowest = min(narrowest, math.Sqrt(p.Rho)/p.Lambda)
	}
	nodes := 16 + 8*half/narrowest
	if nodes > mostNodes {
		return math.NaN()
	}
	z, weight := make([]float64, int(nodes)), make([]float64, int(nodes))
	quad.Legendre{}.FixedLocations(z, weight, -half, half)
	for i := range weight {
		weight[i] /= 2 * half
	}
	exact, probit := softmaxLevels(z), probitLevels(p, n, z)
	square := product(exact, exact, weight, n) - 2*product(exact, probit, weight, n) +
		product(probit, probit, weight, n)
	return math.Sqrt(max(0, float64(n)*square))
}

// levels has a row for each node t: for all logits z, f(t, z) times the weight of the node, and F(t, z).
type levels struct{ f, cdf []float64 }

func (l *levels) add(z []float64, values func(z float64) (f, cdf float64)) {
	for _, x := range z {
		f, cdf := values(x)
		l.f, l.cdf = append(l.f, f), append(l.cdf, cdf)
	}
}

// product returns E[a_j b_j], where weight has the weights of the logits.
func product(a, b *levels, weight []float64, n int) (sum float64) {
	size := len(weight)
	f, cdf := make([]float64, size), make([]float64, size)
	densities, cdfs := make([]float64, len(b.f)/size), make([]float64, len(b.f)/size)
	for i := 0; i < len(a.f); i += size {
		floats.MulTo(f, weight, a.f[i:i+size])
		floats.MulTo(cdf, weight, a.cdf[i:i+size])
		kernel.Rows(densities, b.f, f)
		kernel.Rows(cdfs, b.cdf, cdf)
		for k, square := range cdfs {
			power := 1.0
			for m := n - 1; m > 0; m, square = m/2, square*square {
				if m%2 == 1 {
					power *= square
				}
			}
			sum += densities[k] * power
		}
	}
	return sum
}

// softmaxLevels returns the levels of z plus Gumbel noise, see [softmax.Exact], at the nodes lo + spread
// sinh(k du), as the right tail is exponential.
func softmaxLevels(z []float64) *levels {
	out := new(levels)
	const (
		spread, du = 6.0, 0.3 / 6
		low, high  = -3.75, 32 // where the Gumbel distribution is cut: F = 4e-19, 1 − F = 1e-14
	)
	lo := -half + low
	x := (half + high - lo) / spread
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

// probitLevels returns the levels of λz + √ρ ε_0 for the winner and of λz + √(1−ρ) ε for the others, with
// normal ε. For small ρ the nodes are around each logit.
func probitLevels(p softmax.Probit, n int, z []float64) *levels {
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
