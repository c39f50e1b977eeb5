package readout

import (
	"math"
	"slices"

	"closedform/internal/kernel"
	"closedform/internal/linalg"
)

const log2Pi = 1.8378770664093454836

// gaussians are a Gaussian for each class c with mean m_c and covariance K_c = (S_c + ν(S̄ + εI))/(n_c + ν),
// S̄ = Σ S_c/N, with the scatter S_c of its n_c examples. ε is 1e-3 of the mean variance in S̄ plus the
// rounding variance.
type gaussians struct {
	*moments
	nu     float64            // ν
	root   []*linalg.Cholesky // L of K_c; nil without examples
	white  [][]float64        // of each class L⁻¹m_k of all classes k
	logDet []float64
	tau    float64 // τ of softmax
}

func (m *moments) newGaussians(nu float64, root func(c int) *linalg.Cholesky) *gaussians {
	k := len(m.n)
	var latest *linalg.Cholesky
	var white []float64
	g := &gaussians{m, nu, make([]*linalg.Cholesky, k), make([][]float64, k), make([]float64, k), 1}
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

func (m *moments) within() (pooled triangle, ridge float64) {
	d := len(m.center)
	pooled = scatter(m.squares, m.n, m.mean)
	return pooled, 1e-3*pooled.trace(d)/m.total/float64(d) + floor
}

func (m *moments) shared() *gaussians {
	pooled, ridge := m.within()
	root := factorize(len(m.center), 1/m.total, pooled, 0, pooled, ridge)
	const most = 1e15 // ν with which S_c does not count
	return m.newGaussians(most, func(int) *linalg.Cholesky { return root })
}

// fitGaussians fits ν and τ ≤ 1 to the log loss of the kept examples, each left out; ν for densities is
// fitted to their log densities in their classes.
func fitGaussians(m *moments, kept []labelled, densities bool) (*gaussians, float64) {
	d := len(m.center)
	pooled, ridge := m.within()
	each := make([]triangle, len(m.n))
	for c, n := range m.n {
		if n > 0 {
			each[c] = scatter(m.squares[c:c+1], m.n[c:c+1], m.mean[c:c+1])
		}
	}
	return descend(float64(d), 4, func(nu float64) (*gaussians, float64) {
		g := m.newGaussians(nu, func(c int) *linalg.Cholesky {
			n := m.n[c] + nu
			return factorize(d, 1/n, each[c], nu/n/m.total, pooled, nu/n*ridge)
		})
		if g == nil { // singular to rounding: ν is too small
			return nil, math.Inf(1)
		}
		scores := g.densities(kept, true)
		loss := g.temper(scores, kept)
		if densities {
			loss = 0
			for i, e := range kept {
				if m.n[e.class] > 1 {
					loss -= float64(e.weight * scores[i][e.class])
				}
			}
		}
		return g, loss
	})
}

// densities returns the log densities of inputs in each class, −∞ for a class without examples. With left
// each input was learned, and is left out of all means and scatters, but not of N in S̄ nor of ε.
func (g *gaussians) densities(examples []labelled, left bool) [][]float64 {
	out, d := matrix(len(examples), len(g.n)), len(g.center)
	blocks(len(examples), func(first, last int) {
		var solved *linalg.Cholesky
		z := make([]float64, (last-first)*d)
		for c, root := range g.root {
			if root != nil && root != solved {
				for i, e := range examples[first:last] {
					copy(z[i*d:], e.x)
				}
				root.Solve(z)
				solved = root
			}
			for i := first; i < last; i++ {
				if out[i][c] = math.Inf(-1); root != nil {
					out[i][c] = g.density(c, z[(i-first)*d:][:d], examples[i].class, left)
				}
			}
		}
	})
	return out
}

// density returns the log density of class c at an x, given L⁻¹x. A left-out example of class k has the
// deviation r from m_k; q = n_k/(n_k − 1). Without it S_k loses q rrᵀ and S̄ q rrᵀ/N, so that K_c becomes
// a(K_c − t rrᵀ). With c = k, a = (n_k + ν)/(n_k + ν − 1), t = q(1 + ν/N)/(n_k + ν), and the deviation is qr;
// else a = 1, t = qν/N/(n_c + ν).
func (g *gaussians) density(c int, z []float64, k int, left bool) float64 {
	var uu, ur, rr float64 // products of the deviations from m_c and from m_k
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

// softmax sets p to π_c ∝ q_c exp(τ s_c) of log densities s, 0 for a class without examples.
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

// temper sets τ to the one in [0, 1] with the smallest log loss, which is convex in τ, by Newton's method
// from 1, and returns that loss. The only example of a class does not count.
func (g *gaussians) temper(scores [][]float64, kept []labelled) (loss float64) {
	p, given := make([]float64, len(g.n)), make([]float64, len(kept)) // given: of the examples' classes
	low, high := 0.0, 1.0
	g.tau = 1
	for done := false; !done; {
		var slope, curvature float64
		for i, e := range kept {
			if g.n[e.class] <= 1 {
				continue
			}
			g.softmax(p, scores[i])
			var mean, square float64 // of s − s_y
			for c, p := range p {
				if p > 0 {
					distance := scores[i][c] - scores[i][e.class]
					mean += float64(p * distance)
					square += float64(p * float64(distance*distance))
				}
			}
			slope += float64(e.weight * mean)
			curvature += float64(e.weight * (square - float64(mean*mean)))
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
			next = (low + high) / 2 // where Newton's method leaves the interval
		}
		done = math.Abs(next-g.tau) < float64(1e-5*next)+1e-12
		g.tau = next
	}
	for i, e := range kept {
		if g.n[e.class] > 1 {
			loss -= float64(e.weight * kernel.Log(max(given[i], math.SmallestNonzeroFloat64)))
		}
	}
	return loss
}
