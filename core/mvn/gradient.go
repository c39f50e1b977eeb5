package mvn

import (
	"fmt"
	"math"
	"slices"

	"closedform/core/gauss"
)

// Gradient sets dst to the gradient of [Distribution.Prob] in x,
//
//	∂_i P = φ(x_i) P(X_j ≤ x_j, j ≠ i | X_i = x_i),
//
// and returns it: again probabilities of d−1 normal variables, with the accuracy of
// Prob. A nil dst is allocated; otherwise its length must be that of x, and it may
// be x. Where |ρ_ij| = 1, X_j is a point given X_i; if it is on its limit, where P has
// a kink, the derivative is the one towards smaller x_i. Gradient panics where Prob
// does.
func (d *Distribution) Gradient(dst, x []float64) []float64 {
	p := d.at(x)
	if dst == nil {
		dst = make([]float64, d.n)
	} else if len(dst) != d.n {
		panic(fmt.Sprintf("mvn: gradient of %d entries into a slice of %d; need the same length", d.n, len(dst)))
	}
	switch d.n {
	case 1:
		dst[0] = gauss.PDF(x[0])
	case 2:
		none, r := math.Inf(1), d.r[1]
		dst[0], dst[1] = partial(x[0], x[1], none, r, 0, 0), partial(x[1], x[0], none, r, 0, 0)
	case 3:
		r12, r13, r23 := d.r[1], d.r[2], d.r[5]
		dst[0], dst[1], dst[2] = partial(x[0], x[1], x[2], r12, r13, r23),
			partial(x[1], x[0], x[2], r12, r23, r13),
			partial(x[2], x[0], x[1], r13, r23, r12)
	default:
		p.x = slices.Clone(x)
		for i := range dst {
			dst[i] = p.partial(i)
		}
	}
	return dst
}

// limit returns the limit x of X in terms of what X is given Y = y, standardised:
// (x − ry)/√(1−r²), ±∞ for |r| = 1.
func limit(x, y, r float64) float64 {
	if math.IsInf(x, 0) {
		return x
	}
	gap := math.FMA(-r, y, x)
	v := math.FMA(-r, r, 1)
	if v > 0 {
		return gap / math.Sqrt(v)
	}
	if gap >= 0 {
		return math.Inf(1)
	}
	return math.Inf(-1)
}

// partial returns ∂P/∂x₁ of three variables.
func partial(x1, x2, x3, r12, r13, r23 float64) float64 {
	pdf := gauss.PDF(x1)
	if pdf == 0 {
		return 0
	}
	r := 0.0 // the correlation given X₁; a point has none
	if v := math.FMA(-r12, r12, 1) * math.FMA(-r13, r13, 1); v > 0 {
		r = max(-1, min(1, math.FMA(-r12, r13, r23)/math.Sqrt(v)))
	}
	return pdf * bivariate(limit(x2, x1, r12), limit(x3, x1, r13), r, full)
}

// partial returns ∂P/∂x_i.
func (p *problem) partial(i int) float64 {
	x := p.x[i]
	pdf := gauss.PDF(x)
	if pdf == 0 {
		return 0
	}
	c := p.given(i)
	if x < c.lo || x > c.hi {
		return 0
	}
	value, _ := c.at(x).cdf()
	return pdf * value
}
