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
	abserr           float64   // what taking |ρ_ij| for 1 and rounding r' may have changed
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
			c.abserr += plackettBound(rho, 1)
		default:
			c.lo = max(c.lo, -p.x[j])
			c.abserr += plackettBound(rho, -1)
		}
	}
	c.problem = p.sub(keep)
	for a := range keep {
		c.noise[a] /= c.root[a] * c.root[a]
		row := c.row(a)
		for b := range keep {
			if b == a {
				continue
			}
			r := math.FMA(-c.rho[a], c.rho[b], row[b]) / (c.root[a] * c.root[b])
			row[b] = max(-1, min(1, r))
			if b < a {
				// The effect of rounding r, and of the part beyond ±1.
				gap := 1 - math.Abs(row[b])
				c.abserr += (angle(min(2, gap+math.Abs(r-row[b])+epsilon)) - angle(gap)) / (2 * math.Pi)
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
		return 0, c.abserr
	}
	var moved float64
	f := func(t float64) float64 {
		p, e := c.at(t).few()
		moved = max(moved, e)
		return gauss.PDF(t) * p
	}
	value = c.cuts().integrate(f, lo, hi, 1e-13)
	return value, c.abserr + moved + 5*floor
}

// cuts returns the cuts of the integral over t for up to three other variables.
// Their limits are x' = a + bt. Apart from φ, the integrand changes
//
//   - where a limit passes the mass of its variable, x'_j = 0 ± 1;
//   - where one of two nearly equal or opposite variables takes over from the
//     other, x'_j = ±x'_k to √(1−r'_jk²);
//   - where one variable is nearly a combination of the other two, x'_j = Σ_k β_k x'_k
//     to the standard deviation of the rest.
func (c *conditional) cuts() cuts {
	var k cuts
	k.add(0, 1)
	a, b := make([]float64, c.n), make([]float64, c.n)
	for j, root := range c.root {
		a[j], b[j] = c.limit[j]/root, -c.rho[j]/root
		k.addLinear(a[j], b[j], 1)
	}
	for i := range c.n {
		for j := range i {
			r := c.row(i)[j]
			sign := math.Copysign(1, r)
			if e := math.Sqrt((1 - r) * (1 + r)); e < narrow {
				k.addLinear(a[i]-sign*a[j], b[i]-sign*b[j], e)
			}
		}
	}
	if c.n == 3 {
		// Regress on the pair that is the least correlated.
		i, j, l := 0, 1, 2
		for a := 1; a < 3; a++ {
			if b, d := (a+1)%3, (a+2)%3; math.Abs(c.row(b)[d]) < math.Abs(c.row(j)[l]) {
				i, j, l = a, b, d
			}
		}
		r12, r13, r23 := c.row(i)[j], c.row(i)[l], c.row(j)[l]
		rest := (1 - r23) * (1 + r23)
		beta2, beta3 := math.FMA(-r13, r23, r12)/rest, math.FMA(-r12, r23, r13)/rest
		if e := math.Sqrt(max(0, determinant(r12, r13, r23)) / rest); e < narrow {
			k.addLinear(a[i]-beta2*a[j]-beta3*a[l], b[i]-beta2*b[j]-beta3*b[l], e)
		}
	}
	return k
}
