package mvn

import (
	"math"

	"closedform/core/gauss"
)

// conditional is what is left of a problem given the value t of one variable i:
// the others have correlations r' that do not depend on t, and limits that are
// linear in it,
//
//	x'_j = (x_j − ρ_ij t)/√(1−ρ_ij²),
//	r'_jk = (ρ_jk − ρ_ij ρ_ik)/√((1−ρ_ij²)(1−ρ_ik²)).
//
// A variable with |ρ_ij| = 1 is determined by t; it bounds t.
type conditional struct {
	*problem                   // its limits are those of the last call of at
	limit, rho, root []float64 // x_j, ρ_ij, √(1−ρ_ij²) of the variables left
	lo, hi           float64   // t for which the determined variables meet their limits
}

// given returns the conditional problem of the others given variable i.
func (p *problem) given(i int) *conditional {
	c := &conditional{lo: math.Inf(-1), hi: math.Inf(1)}
	keep := make([]int, 0, p.n-1)
	for j, rho := range p.row(i) {
		if j == i {
			continue
		}
		// The fused multiply–add keeps the digits where the difference cancels.
		v := math.FMA(-rho, rho, 1)
		switch {
		case v > p.noise[j]:
			keep = append(keep, j)
			c.limit, c.rho, c.root = append(c.limit, p.x[j]), append(c.rho, rho), append(c.root, math.Sqrt(v))
		case rho > 0:
			c.hi = min(c.hi, p.x[j])
		default:
			c.lo = max(c.lo, -p.x[j])
		}
	}
	c.problem = p.sub(keep)
	for a := range keep {
		c.noise[a] /= c.root[a] * c.root[a]
		row := c.row(a)
		for b := range keep {
			if b != a {
				row[b] = max(-1, min(1, math.FMA(-c.rho[a], c.rho[b], row[b])/(c.root[a]*c.root[b])))
			}
		}
	}
	return c
}

// at sets the limits to those given the value t, and returns c's problem.
func (c *conditional) at(t float64) *problem {
	for j := range c.x {
		c.x[j] = math.FMA(-c.rho[j], t, c.limit[j]) / c.root[j]
	}
	return c.problem
}

// quadrivariate returns P(X ≤ x) for four variables,
//
//	P = ∫_{−∞}^{x_i} φ(t) P(X_j ≤ x_j, j ≠ i | X_i = t) dt,
//
// where i is the variable least correlated with another, which makes the
// trivariate probability the smoothest function of t.
func (p *problem) quadrivariate() (value, abserr float64) {
	const reach = 8.3 // Φ(−8.3) = 5e-17
	i, smallest := 0, math.Inf(1)
	for k := range p.n {
		largest := 0.0
		for j, r := range p.row(k) {
			if j != k {
				largest = max(largest, math.Abs(r))
			}
		}
		if largest < smallest {
			i, smallest = k, largest
		}
	}
	c := p.given(i)
	lo, hi := max(c.lo, -reach), min(c.hi, p.x[i], reach)
	if !(lo < hi) {
		return 0, 0
	}
	f := func(t float64) float64 { return gauss.PDF(t) * c.at(t).small() }
	// In pieces, so that no narrow part is overlooked.
	const pieces = 4
	for k := range pieces {
		a := lo + (hi-lo)*float64(k)/pieces
		b := lo + (hi-lo)*float64(k+1)/pieces
		value += integrate(f, a, b, 1e-13)
	}
	return value, 5 * floor
}

// small returns P(X ≤ x) for at most three variables.
func (p *problem) small() float64 {
	x, r := p.x, p.r
	switch p.n {
	case 0:
		return 1
	case 1:
		return gauss.CDF(x[0])
	case 2:
		return bivariate(x[0], x[1], r[1])
	}
	return trivariate(x[0], x[1], x[2], r[1], r[2], r[5])
}
