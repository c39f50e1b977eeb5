package mvn

import (
	"fmt"
	"math"

	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
)

// problem is P(X ≤ x) for n variables with correlations r.
type problem struct {
	n int
	x []float64
	r []float64 // n×n, row by row
	// noise[i] is the rounding error of the variance of variable i, relative to
	// it: conditioning enlarges what is 32·d machine epsilons at the start.
	noise []float64
}

func newProblem(n int) *problem {
	buf := make([]float64, n*(n+2))
	return &problem{n: n, x: buf[:n:n], noise: buf[n : 2*n : 2*n], r: buf[2*n:]}
}

func (p *problem) row(i int) []float64 { return p.r[i*p.n : (i+1)*p.n] }

// read copies corr, or says why it is not a correlation matrix.
func (p *problem) read(corr mat.Symmetric) error {
	tol := rounding(p.n)
	for i := range p.n {
		if v := corr.At(i, i); !(math.Abs(v-1) <= tol) {
			return fmt.Errorf("mvn: variance %d is %g; need a correlation matrix, with 1 on its diagonal", i, v)
		}
		p.noise[i], p.r[i*p.n+i] = tol, 1
		for j := range i {
			r := corr.At(j, i)
			if !(math.Abs(r) <= 1+tol) {
				return fmt.Errorf("mvn: correlation of %d and %d is %g; need a number in [−1, 1]", j, i, r)
			}
			r = max(-1, min(1, r))
			p.r[i*p.n+j], p.r[j*p.n+i] = r, r
		}
	}
	if !p.semidefinite() {
		const format = "mvn: the %d×%[1]d matrix of correlations is indefinite; need a positive semi-definite one"
		return fmt.Errorf(format, p.n)
	}
	return nil
}

// semidefinite reports whether the matrix is positive semi-definite to rounding:
// when a Cholesky factorisation with the largest pivot first has no pivot left above
// the rounding error, what remains must be zero to it (Higham 2002, Sec. 10.3). For
// n = 3 the determinant tells, at most three times the smallest eigenvalue in size.
func (p *problem) semidefinite() bool {
	n, tol := p.n, rounding(p.n)
	if n == 3 {
		return determinant(p.r[1], p.r[2], p.r[5]) >= -3*tol
	}
	a := append([]float64(nil), p.r...)
	for done := make([]bool, n); ; {
		k := -1
		for i := range n {
			if !done[i] && a[i*n+i] > tol && (k < 0 || a[i*n+i] > a[k*n+k]) {
				k = i
			}
		}
		if k < 0 {
			for i := range n {
				for j := range n {
					if !done[i] && !done[j] && !(math.Abs(a[i*n+j]) <= tol) {
						return false
					}
				}
			}
			return true
		}
		done[k] = true
		for i := range n {
			if f := a[i*n+k] / a[k*n+k]; !done[i] && f != 0 {
				for j := range n {
					if !done[j] {
						a[i*n+j] = math.FMA(-f, a[k*n+j], a[i*n+j])
					}
				}
			}
		}
	}
}

// sub returns the problem of the variables in keep.
func (p *problem) sub(keep []int) *problem {
	q := newProblem(len(keep))
	for a, i := range keep {
		q.x[a], q.noise[a] = p.x[i], p.noise[i]
		for b, j := range keep {
			q.r[a*q.n+b] = p.r[i*p.n+j]
		}
	}
	return q
}

// cdf returns the probability and a bound of its absolute error.
func (p *problem) cdf() (value, abserr float64) {
	keep := make([]int, 0, p.n)
	var moved float64
	for i, x := range p.x {
		switch {
		case x < -far:
			return 0, 0
		case x >= far: // no limit
		default:
			j := p.repeats(i)
			if j < 0 {
				keep = append(keep, i)
				continue
			}
			// Rounding may have made them correlate differently with others.
			other := p.row(j)
			for k, r := range p.row(i) {
				moved += plackettBound(r, other[k])
			}
		}
	}
	p = p.sub(keep)
	value = 1
	groups, abserr := p.independent()
	abserr += moved
	for _, group := range groups {
		v, e := p.sub(group).connected()
		value *= v
		abserr += e
	}
	return value, abserr
}

// repeats returns a variable that is the same as X_i and has a smaller limit, or
// the same and a smaller index; or −1.
func (p *problem) repeats(i int) int {
	for j, r := range p.row(i) {
		if r == 1 && j != i && (p.x[j] < p.x[i] || p.x[j] == p.x[i] && j < i) {
			return j
		}
	}
	return -1
}

// independent returns the groups of variables that have no correlation with one
// another, and what the correlations below negligible may contribute.
func (p *problem) independent() (groups [][]int, abserr float64) {
	const negligible = 1e-14
	seen := make([]bool, p.n)
	for i := range p.n {
		if seen[i] {
			continue
		}
		group := []int{i}
		seen[i] = true
		for k := 0; k < len(group); k++ {
			for j, r := range p.row(group[k]) {
				if !seen[j] && math.Abs(r) > negligible {
					seen[j] = true
					group = append(group, j)
				}
			}
		}
		for _, k := range group {
			for j, r := range p.row(k) {
				if math.Abs(r) <= negligible && j > k {
					abserr += plackettBound(r, 0)
				}
			}
		}
		groups = append(groups, group)
	}
	return groups, abserr
}

// plackettBound returns a bound of the change of P when one correlation moves
// from r to s: ∂P/∂ρ is at most φ₂(0, 0; ρ) = 1/(2π√(1−ρ²)) (Plackett 1954),
// which integrates to (asin r − asin s)/2π.
func plackettBound(r, s float64) float64 {
	return productBound(r, s, 1-math.Abs(s))
}

// productBound is plackettBound for a product s of which gap = 1 − |s| is known
// with more digits than s has: near ±1 the rounding error of s matters.
func productBound(r, s, gap float64) float64 {
	theta, psi := angle(1-math.Abs(r)), angle(gap)
	if math.Signbit(r) != math.Signbit(s) {
		psi = math.Pi - psi
	}
	if theta == psi {
		return 0
	}
	return (math.Abs(theta-psi) + epsilon) / (2 * math.Pi)
}

// angle returns acos(1−u).
func angle(u float64) float64 { return 2 * math.Asin(math.Sqrt(0.5*u)) }

// connected solves a problem that does not fall apart.
func (p *problem) connected() (value, abserr float64) {
	if p.n <= 3 {
		v, e := p.few()
		return v, e + floor
	}
	if f, e, ok := p.loadings(); ok {
		return oneFactor(p.x, f), e + floor
	}
	if order, e, ok := p.chain(); ok {
		if v, ok := p.markov(order); ok {
			return v, e + floor
		}
	}
	if p.n == 4 {
		if v, e := p.byPath(20, math.MaxInt); e < floor {
			return v, e + floor
		}
		return p.quadrivariate()
	}
	// A path of up to 4e5 integrals is faster than the lattice rule, if there is one.
	q, largest := 10.0, usual.fine
	if p.n > 7 {
		q, largest = 8.5, usual.coarse
	}
	if p.n <= 12 {
		if v, e := p.byPath(q, 4e5); e < largest {
			return v, e + floor
		}
	}
	return p.lattice(usual)
}

// few returns P(X ≤ x) for at most three variables, and a bound of what had to be
// moved; see [trivariate].
func (p *problem) few() (value, moved float64) {
	switch x, r := p.x, p.r; p.n {
	case 0:
		return 1, 0
	case 1:
		return gauss.CDF(x[0]), 0
	case 2:
		return bivariate(x[0], x[1], r[1], full), 0
	default:
		return trivariate(x[0], x[1], x[2], r[1], r[2], r[5], full)
	}
}
