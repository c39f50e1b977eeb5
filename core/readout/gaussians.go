package readout

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

const log2Pi = 1.8378770664093454836

// gaussians are a Gaussian for each class c with the mean m_c and the covariance
//
//	K_c = (S_c + ν(S̄ + εI))/(n_c + ν),   S̄ = Σ S_c/N,
//
// with the scatter S_c of its n_c examples. ε is 1e-3 of the mean variance in S̄ and the variance of the
// rounding.
type gaussians struct {
	root   []*linalg.Cholesky // L of K_c; one for all if these are equal; nil without examples
	white  [][]float64        // L⁻¹m_c
	logDet []float64
	nu     float64   // ν
	shares []float64 // q of softmax
	tau    float64   // τ of softmax

	kept []float64 // the log density of each kept example in its class, left out of the fit
}

// set sets the Gaussian of a class.
func (g *gaussians) set(c int, root *linalg.Cholesky, logDet float64, mean []float64) {
	g.root[c], g.logDet[c], g.white[c] = root, logDet, slices.Clone(mean)
	root.Solve(g.white[c])
}

func newGaussians(classes int) *gaussians {
	return &gaussians{
		root: make([]*linalg.Cholesky, classes), white: make([][]float64, classes),
		logDet: make([]float64, classes),
	}
}

// within returns S̄ and ε.
func (m *moments) within() (pooled []float64, ridge float64) {
	d := len(m.center)
	pooled = scatter(m.squares, m.n, m.mean)
	return pooled, 1e-3*trace(pooled, d)/m.total/float64(d) + floor
}

// shared returns Gaussians with the means, of n examples each, and the covariance S̄ + εI about them.
func (m *moments) shared(n []float64, mean [][]float64) *gaussians {
	about := *m
	about.n, about.mean = n, mean
	pooled, ridge := about.within()
	root := factorize(len(m.center), 1/m.total, pooled, 0, pooled, ridge)
	g, logDet := newGaussians(len(n)), root.LogDet()
	g.nu = 1e15 // for keptDensities: S_c does not count
	for c := range n {
		if n[c] > 0 {
			g.set(c, root, logDet, mean[c])
		}
	}
	return g
}

// densities sets the first numbers of each dst to the log densities of an input, −∞ for a class without
// examples; z is scratch space, at least as large as x.
func (g *gaussians) densities(dst [][]float64, z []float64, x [][]float64) {
	var solved *linalg.Cholesky
	for c, root := range g.root {
		if root == nil {
			for i := range x {
				dst[i][c] = math.Inf(-1)
			}
			continue
		}
		d := len(g.white[c])
		if root != solved {
			for i, x := range x {
				copy(z[i*d:], x)
			}
			root.Solve(z[:len(x)*d])
			solved = root
		}
		for i := range x {
			z, distance := z[i*d:(i+1)*d], 0.0
			for k, m := range g.white[c] {
				distance += float64((z[k] - m) * (z[k] - m))
			}
			dst[i][c] = -0.5 * (distance + g.logDet[c] + float64(log2Pi*float64(d)))
		}
	}
}

// softmax sets p to π_c ∝ q_c exp(τ s_c) of log densities s, 0 for a class without examples.
func (g *gaussians) softmax(p, s []float64) {
	top := math.Inf(-1)
	for c, q := range g.shares {
		p[c] = math.Inf(-1)
		if !math.IsInf(s[c], -1) {
			p[c] = q + float64(g.tau*s[c])
		}
		top = max(top, p[c])
	}
	sum := 0.0
	for c := range p {
		p[c] = kernel.Exp(p[c] - top)
		sum += p[c]
	}
	for c := range p {
		p[c] /= sum
	}
}

// fitGaussians fits the Gaussians, ν and τ ≤ 1, to the log loss of the kept examples, each left out, but ν
// for densities to their log densities in their classes.
func fitGaussians(m *moments, kept []labelled, densities bool) (g *gaussians, loss float64) {
	d := len(m.center)
	pooled, ridge := m.within()
	each := make([][]float64, len(m.n))
	for c, n := range m.n {
		if n > 0 {
			each[c] = scatter(m.squares[c:c+1], m.n[c:c+1], m.mean[c:c+1])
		}
	}
	return descend(float64(d), 4, func(nu float64) (*gaussians, float64) {
		g := newGaussians(len(m.n))
		g.nu, g.shares = nu, m.shares
		scores := make([][]float64, len(m.n)) // of each class those of the kept examples
		for c, n := range m.n {
			if scores[c] = slices.Repeat([]float64{math.Inf(-1)}, len(kept)); n == 0 {
				continue
			}
			root := factorize(d, 1/(n+nu), each[c], nu/(n+nu)/m.total, pooled, nu/(n+nu)*ridge)
			if root == nil { // singular to rounding: ν is too small
				return g, math.Inf(1)
			}
			g.set(c, root, root.LogDet(), m.mean[c])
			g.leftOut(scores[c], c, m, kept)
		}
		unlikely := 0.0
		for i, e := range kept {
			density := scores[e.class][i]
			g.kept = append(g.kept, density-float64(0.5*log2Pi*float64(d)))
			if m.n[e.class] > 1 {
				unlikely -= float64(e.weight * density)
			}
		}
		loss := g.temper(scores, m.n, kept)
		if densities {
			loss = unlikely
		}
		return g, loss
	})
}

// keptDensities returns the log density of each example, left out, in its class, for Gaussians that share
// their covariance.
func (g *gaussians) keptDensities(m *moments, kept []labelled) []float64 {
	densities := make([]float64, len(kept))
	g.leftOut(densities, ofExample, m, kept)
	floats.AddConst(-0.5*log2Pi*float64(len(m.center)), densities)
	return densities
}

const ofExample = -1 // the class of each example

// leftOut sets dst to the log densities of class c, but for a constant, of the kept examples, each left out
// of all means and scatters, but not of N in S̄ nor of ε.
//
// An example of the class k has the deviation r from m_k; q = n_k/(n_k − 1). Without it the scatter S_k is
// less by q rrᵀ, and S̄ by q rrᵀ/N, so that K_c becomes a(K_c − t rrᵀ). With c = k,
// a = (n_k + ν)/(n_k + ν − 1), t = q(1 + ν/N)/(n_k + ν), and the deviation is qr; else a = 1,
// t = qν/N/(n_c + ν).
func (g *gaussians) leftOut(dst []float64, c int, m *moments, kept []labelled) {
	d, nu, root := float64(len(m.center)), g.nu, g.root[max(0, c)]
	if c == ofExample {
		root = g.root[kept[0].class]
	}
	white := make([][]float64, len(m.n)) // L⁻¹ of the means of the classes of the examples
	for _, e := range kept {
		if k := e.class; white[k] == nil {
			white[k] = slices.Clone(m.mean[k])
			root.Solve(white[k])
		}
	}
	input := func(i int, z []float64) { copy(z, kept[i].x) }
	blocks(root, len(m.center), len(kept), input, func(i int, z []float64) {
		c, k := c, kept[i].class
		if c == ofExample {
			c = k
		}
		var uu, ur, rr float64 // products of the deviations from m_c and from m_k
		for j, x := range z {
			u, r := x-g.white[c][j], x-white[k][j]
			uu += float64(u * u)
			ur += float64(u * r)
			rr += float64(r * r)
		}
		q := m.n[k] / max(1, m.n[k]-1)
		a, t := 1.0, q*nu/m.total/(m.n[c]+nu)
		if c == k {
			a, t = (m.n[c]+nu)/(m.n[c]+nu-1), q*(1+nu/m.total)/(m.n[c]+nu)
			uu, ur = q*q*rr, q*rr
		}
		keep := max(1-float64(t*rr), 1e-12)
		distance := (uu + float64(float64(t*ur)*ur)/keep) / a
		dst[i] = -0.5 * (distance + g.logDet[c] + kernel.Log(keep) + float64(d*kernel.Log(a)))
	})
}

// temper sets τ to the one in [0, 1] with the smallest log loss, which is convex in τ, by Newton's method. It
// returns that loss. The only example of a class does not count.
func (g *gaussians) temper(scores [][]float64, n []float64, kept []labelled) (loss float64) {
	s, p := make([]float64, len(n)), make([]float64, len(n))
	each := func(do func(e labelled)) {
		for i, e := range kept {
			if n[e.class] > 1 {
				for c := range s {
					s[c] = scores[c][i]
				}
				g.softmax(p, s)
				do(e)
			}
		}
	}
	low, high := 0.0, 1.0
	for next := high; low < 1 && math.Abs(next-g.tau) > 1e-6*g.tau+1e-12; {
		g.tau = next
		var slope, curvature float64
		each(func(e labelled) {
			var mean, square float64 // of s − s_y
			for c, p := range p {
				if p > 0 {
					distance := s[c] - s[e.class]
					mean += float64(p * distance)
					square += float64(p * float64(distance*distance))
				}
			}
			slope += float64(e.weight * mean)
			curvature += float64(e.weight * (square - float64(mean*mean)))
		})
		if slope > 0 {
			high = g.tau
		} else {
			low = g.tau
		}
		if next = g.tau - slope/curvature; !(next > low && next < high) {
			next = (low + high) / 2 // where Newton's method leaves the interval
		}
	}
	each(func(e labelled) {
		loss -= float64(e.weight * kernel.Log(max(p[e.class], math.SmallestNonzeroFloat64)))
	})
	return loss
}
