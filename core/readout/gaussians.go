package readout

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

const log2Pi = 1.8378770664093454836

// gaussians are a Gaussian for each class c, by regularised discriminant analysis (Friedman 1989):
//
//	K_c = (S_c + ν(S̄ + εI))/(n_c + ν),   S̄ = Σ S_c/N,   π_c ∝ q_c N(x; m_c, K_c)^τ
//
// with the mean m_c and the scatter S_c of n_c of N examples, the probabilities π_c and the shares q_c of the
// classes, and a temperature 1/τ ≥ 1 (Guo et al. 2017). ε is 1e-3 of the mean variance in S̄ plus the
// rounding variance.
type gaussians struct {
	*moments
	nu     float64            // strength ν of the shrinkage
	root   []*linalg.Cholesky // Cholesky factor L of K_c; nil for a class without examples
	white  [][]float64        // L⁻¹m_k of all classes k, for the L of each class
	logDet []float64          // log det K_c
	shares []float64          // log q_c, from the share of each class
	tau    float64            // inverse temperature τ
}

// newGaussians returns Gaussians with given roots of K_c, or nil if a root is nil.
func newGaussians(m *moments, nu float64, root func(c int) *linalg.Cholesky) *gaussians {
	k := len(m.n)
	var latest *linalg.Cholesky
	var white []float64
	g := &gaussians{
		moments: m, nu: nu, tau: 1,
		root: make([]*linalg.Cholesky, k), white: make([][]float64, k), logDet: make([]float64, k),
	}
	for c, n := range m.n {
		if n == 0 {
			continue
		}
		l := root(c)
		if l == nil {
			return nil
		}
		if l != latest {
			white, latest = slices.Concat(m.mean...), l
			l.Solve(white)
		}
		g.root[c], g.logDet[c], g.white[c] = l, l.LogDet(), white
	}
	return g
}

// epsilon returns ε, given pooled = N S̄.
func (m *moments) epsilon(pooled linalg.Triangle) float64 {
	return 1e-3*pooled.Trace()/m.total/float64(len(m.center)) + floor
}

// sharedGaussians returns Gaussians with one covariance, the limit of K_c for large ν, and without shares.
func sharedGaussians(m *moments) *gaussians {
	k := m.scatter()
	epsilon := m.epsilon(k)
	floats.Scale(1/m.total, k)
	k.AddDiagonal(epsilon)
	root := k.Cholesky()
	return newGaussians(m, 1e15, func(int) *linalg.Cholesky { return root })
}

// fitGaussians returns Gaussians whose ν and τ minimise the log loss of a sample of their examples, each left
// out, and that loss. With byDensity ν minimises −Σ log N(x; m_c, K_c) instead, of the sample in its classes.
func fitGaussians(m *moments, s sample, byDensity bool) (*gaussians, float64) {
	d, shares := len(m.center), s.shares()
	pooled, each, k := m.scatter(), make([]linalg.Triangle, len(m.n)), linalg.NewTriangle(d)
	for c, n := range m.n {
		if n > 0 {
			each[c] = m.only(c).scatter()
		}
	}
	epsilon := m.epsilon(pooled)
	return descend(float64(d), 4, func(nu float64) (*gaussians, float64) {
		g := newGaussians(m, nu, func(c int) *linalg.Cholesky {
			n := m.n[c] + nu
			floats.ScaleTo(k, 1/n, each[c])
			kernel.AddScaled(k, nu/n/m.total, pooled)
			k.AddDiagonal(nu / n * epsilon)
			return k.Cholesky()
		})
		if g == nil { // singular to rounding: ν is too small
			return nil, math.Inf(1)
		}
		g.shares = shares
		densities := g.densities(s.examples, true)
		loss := g.temper(densities, s)
		if byDensity {
			loss = 0
			for i, e := range s.examples {
				if m.n[e.class] > 1 {
					loss -= float64(s.weight[i] * densities[i][e.class])
				}
			}
		}
		return g, loss
	})
}

// mostSeparate is the largest number of classes with a covariance of their own on the outputs of a regression:
// k classes have k³/2 numbers, whose factors take k⁴/6 operations.
const mostSeparate = 30

// sampleGaussians is fitGaussians with the moments of the sample, of one number for each class. Many classes
// have one covariance.
func sampleGaussians(s sample) (*gaussians, float64) {
	t := totals{inputs: len(s.n), pooled: len(s.n) > mostSeparate}
	for range s.n {
		t.addClass()
	}
	for _, e := range s.examples {
		t.add(e.x, e.class, e.count)
	}
	m := t.moments()
	if !t.pooled {
		return fitGaussians(m, s, false)
	}
	g := sharedGaussians(m)
	g.shares = s.shares()
	return g, g.temper(g.densities(s.examples, true), s)
}

// densities returns for each x the log densities of all classes, −∞ for a class without examples. With left
// each x was learned, and is left out of all means and scatters, but not of N in S̄ nor of ε.
func (g *gaussians) densities(examples []example, left bool) [][]float64 {
	out := matrix(len(examples), len(g.n))
	linalg.Blocks(len(examples), func(first, last int) {
		g.setDensities(out[first:last], make([]float64, (last-first)*len(g.center)), examples[first:last], left)
	})
	return out
}

// setDensities is densities with given memory: z has as many numbers as all x.
func (g *gaussians) setDensities(out [][]float64, z []float64, examples []example, left bool) {
	var solved *linalg.Cholesky
	d := len(g.center)
	for c, root := range g.root {
		if root != nil && root != solved {
			for i, e := range examples {
				copy(z[i*d:], e.x)
			}
			root.Solve(z)
			solved = root
		}
		for i, e := range examples {
			if out[i][c] = math.Inf(-1); root != nil {
				out[i][c] = g.density(c, z[i*d:][:d], e.class, left)
			}
		}
	}
}

// density returns the log density of class c at x, given z = L⁻¹x with the root L of K_c. With left x is an
// example of class k. Let r = x − m_k and q = n_k/(n_k − 1). Without the example S_k loses q rrᵀ and S̄ loses
// q rrᵀ/N, so that K_c becomes a(K_c − t rrᵀ), whose inverse and determinant are by Sherman and Morrison
// (1950). For c = k, a = (n_k + ν)/(n_k + ν − 1), t = q(1 + ν/N)/(n_k + ν), and the deviation from the mean
// becomes qr. For c ≠ k, a = 1 and t = qν/N/(n_c + ν).
func (g *gaussians) density(c int, z []float64, k int, left bool) float64 {
	var uu, ur, rr float64 // products of the whitened deviations u = x − m_c and r = x − m_k
	d := len(z)
	for j, m := range g.white[c][c*d:][:d] {
		u := z[j] - m
		uu += float64(u * u)
	}
	a, keep := 1.0, 1.0
	if left {
		q, n := g.n[k]/max(1, g.n[k]-1), g.n[c]+g.nu
		t := q * g.nu / g.total / n
		if c == k {
			a, t, rr = n/(n-1), q*(1+g.nu/g.total)/n, uu
			uu, ur = q*q*rr, q*rr
		} else {
			for j, m := range g.white[c][k*d:][:d] {
				u, r := z[j]-g.white[c][c*d+j], z[j]-m
				ur += float64(u * r)
				rr += float64(r * r)
			}
		}
		keep = max(1-float64(t*rr), 1e-12)
		uu = (uu + float64(float64(t*ur)*ur)/keep) / a
	}
	return -0.5 * (uu + g.logDet[c] + kernel.Log(keep) + float64(float64(d)*(log2Pi+kernel.Log(a))))
}

// softmax sets p to the π_c for log densities s, 0 for a class without examples.
func (g *gaussians) softmax(p, s []float64) {
	for c, q := range g.shares {
		if p[c] = math.Inf(-1); s[c] > p[c] {
			p[c] = q + float64(g.tau*s[c])
		}
	}
	top, sum := slices.Max(p), 0.0
	for c := range p {
		p[c] = kernel.Exp(p[c] - top)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
}

// temper sets τ in [0, 1] to minimise the log loss of a sample with given log densities, and returns that
// loss. The loss is convex in τ: Newton's method from 1, with bisection. The only example of a class does not
// count.
func (g *gaussians) temper(densities [][]float64, s sample) (loss float64) {
	p, given := make([]float64, len(g.n)), make([]float64, len(s.examples)) // given: p of the true classes
	low, high := 0.0, 1.0
	g.tau = 1
	for done := false; !done; {
		var slope, curvature float64
		for i, e := range s.examples {
			if g.n[e.class] <= 1 {
				continue
			}
			g.softmax(p, densities[i])
			var mean, square float64 // moments of the log density of c minus that of the true class
			for c, p := range p {
				if p > 0 {
					distance := densities[i][c] - densities[i][e.class]
					mean += float64(p * distance)
					square += float64(p * float64(distance*distance))
				}
			}
			slope += float64(s.weight[i] * mean)
			curvature += float64(s.weight[i] * (square - float64(mean*mean)))
			given[i] = p[e.class]
		}
		if slope > 0 {
			high = g.tau
		} else {
			low = g.tau
		}
		if low == 1 {
			break
		}
		next := g.tau - slope/curvature
		if !(next > low && next < high) {
			next = (low + high) / 2 // Newton's method has left the interval
		}
		done = math.Abs(next-g.tau) < float64(1e-5*next)+1e-12
		g.tau = next
	}
	for i, e := range s.examples {
		if g.n[e.class] > 1 {
			loss -= float64(s.weight[i] * kernel.Log(max(given[i], math.SmallestNonzeroFloat64)))
		}
	}
	return loss
}

// descend returns the fit of the parameter x with the smallest loss, and that loss. It goes from the start by
// powers of the factor, up or else down, while each step improves on the one before or none had a finite
// loss.
func descend[T any](start, factor float64, fit func(x float64) (T, float64)) (best T, lowest float64) {
	best, lowest = fit(start)
	for _, f := range []float64{factor, 1 / factor} {
		first := lowest
		for x := start * f; x > 1e-9 && x < 1e9; x *= f {
			next, loss := fit(x)
			if loss < lowest {
				best, lowest = next, loss
			} else if !math.IsInf(lowest, 1) {
				break
			}
		}
		if lowest < first {
			break
		}
	}
	return best, lowest
}
