package mvn

import (
	"math"
	"slices"

	"closedform/core/gauss"
)

// problem is P(X ≤ x) for n variables with correlations r, row by row.
type problem struct {
	n    int
	x, r []float64
}

func newProblem(n int) *problem {
	return &problem{n, make([]float64, n), make([]float64, n*n)}
}

func (p *problem) row(i int) []float64 { return p.r[i*p.n : (i+1)*p.n] }

// cdf returns the probability and a bound of its absolute error.
func (p *problem) cdf() (value, abserr float64) {
	if p.n > 3 {
		if slices.Min(p.x) < -far {
			return 0, 0
		}
		group, rest := p.split()
		if rest != nil {
			v, e := p.sub(group).cdf()
			w, f := p.sub(rest).cdf()
			return v * w, e + f + floor
		}
		p = p.sub(group)
	}
	switch x, r := p.x, p.r; p.n {
	case 0:
		return 1, floor
	case 1:
		return gauss.CDF(x[0]), floor
	case 2:
		return bivariate(x[0], x[1], r[1], full), floor
	case 3:
		value, abserr = trivariate(x[0], x[1], x[2], r[1], r[2], r[5], full)
		return value, abserr + floor
	}
	if a, e, ok := p.loadings(); ok {
		return p.oneFactor(a), e + floor
	}
	if order, e, ok := p.chain(); ok {
		if v, ok := p.markov(order); ok {
			return v, e + floor
		}
	}
	for _, path := range []struct{ dim, depth, tol float64 }{{4, 20, floor}, {7, 10, 1e-7}, {12, 8.5, 1e-6}} {
		if float64(p.n) <= path.dim {
			if v, e := p.byPath(path.depth, 2e6); e < path.tol {
				return v, e + floor
			}
		}
	}
	return p.lattice(1e-6, 1e7)
}

// split returns the variables that are correlated with the first of those that have a limit,
// directly or through others, and the rest of those that have one.
func (p *problem) split() (group, rest []int) {
	const negligible = 1e-14 // correlation
	done := make([]bool, p.n)
	for i, x := range p.x {
		if done[i] = x >= far; !done[i] && group == nil {
			group, done[i] = []int{i}, true
		}
	}
	for k := 0; k < len(group); k++ {
		for j, r := range p.row(group[k]) {
			if !done[j] && math.Abs(r) > negligible {
				group, done[j] = append(group, j), true
			}
		}
	}
	for j, d := range done {
		if !d {
			rest = append(rest, j)
		}
	}
	return group, rest
}

// sub returns the problem of the variables in keep.
func (p *problem) sub(keep []int) *problem {
	q := newProblem(len(keep))
	for a, i := range keep {
		q.x[a] = p.x[i]
		for b, j := range keep {
			q.r[a*q.n+b] = p.r[i*p.n+j]
		}
	}
	return q
}

// given returns the problem of the others given X_i = t,
//
//	x'_j = (x_j − ρ_ij t)/√(1−ρ_ij²),
//	ρ'_jk = (ρ_jk − ρ_ij ρ_ik)/√((1−ρ_ij²)(1−ρ_ik²)).
//
// possible says whether variables with |ρ_ij| = 1, which t determines, meet their limits.
func (p *problem) given(i int, t float64) (q *problem, possible bool) {
	keep := make([]int, 0, p.n-1)
	rho, root := p.row(i), make([]float64, p.n)
	for j, r := range rho {
		// The fused multiply–add keeps the digits where the difference cancels.
		switch v := math.FMA(-r, r, 1); {
		case j == i:
		case v > rounding(p.n):
			keep = append(keep, j)
			root[j] = math.Sqrt(v)
		case r > 0 && t > p.x[j] || r < 0 && t < -p.x[j]:
			return nil, false
		}
	}
	q = p.sub(keep)
	for a, j := range keep {
		q.x[a] = math.FMA(-rho[j], t, q.x[a]) / root[j]
		row := q.row(a)
		for b, k := range keep {
			if b != a {
				row[b] = max(-1, min(1, math.FMA(-rho[j], rho[k], row[b])/(root[j]*root[k])))
			}
		}
	}
	return q, true
}

// plackettBound bounds the change of P when one correlation moves from r to s: ∂P/∂ρ is at most
// φ₂(0, 0; ρ) = 1/(2π√(1−ρ²)) (Plackett 1954).
func plackettBound(r, s float64) float64 {
	return math.Abs(math.Asin(r)-math.Asin(s)) / (2 * math.Pi)
}
