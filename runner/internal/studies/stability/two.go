package stability

import (
	"math"

	"closedform/core/gauss"
	"closedform/internal/kernel"
	"closedform/runner/internal/table"
)

// twoClasses is the probit of two classes whose logits have the variance v. Σ_y has one number, in
// closed form: with V = 2v and the gap m of the means,
//
//	c = λ/√(1+λ²V),  x = cm,  Var y = Φ(x)Φ(−x) − cφ(x) = φ(x)(h(x) − c).
//
// Var y is positive if and only if c < h(x), see [flattest]. The correlation ρ does not occur.
type twoClasses struct{ lambda, v float64 }

// slope returns c, the λ that the variance leaves.
func (t twoClasses) slope() float64 { return t.lambda / kernel.Hypot(1, t.lambda*math.Sqrt(2*t.v)) }

// definite tells whether Var y is positive at a gap.
func (t twoClasses) definite(gap float64) bool {
	c := t.slope()
	return c < flattest(c*gap)
}

// variance returns Var y at a gap.
func (t twoClasses) variance(gap float64) float64 {
	c := t.slope()
	return gauss.PDF(c*gap) * (flattest(c*gap) - c)
}

// boundary returns the gap from which on Var y is not positive, 0 if it is not at any gap.
func (t twoClasses) boundary() float64 {
	c := t.slope()
	return flattestInverse(c) / c
}

// onset returns the variance up to which Var y is not positive at the gap 0: the root of
// c = h(0) = √(2π)/4, or 0.
func (t twoClasses) onset() float64 { return max(0, 4/math.Pi-1/(2*t.lambda*t.lambda)) }

// flattest returns h(x) = Φ(x)Φ(−x)/φ(x), the slope c at which Var y is 0. It falls from √(2π)/4 at
// 0 like 1/|x|.
func flattest(x float64) float64 {
	x = math.Abs(x)
	return gauss.CDF(x) / gauss.InverseMills(-x)
}

// flattestInverse returns the x ≥ 0 with h(x) = c, by bisection down to neighbouring numbers. It is 0
// for c ≥ h(0), and for a c below h(0) by no more than the rounding error of a slope-matched λ, which
// is h(0): there x is of the order of the root of that error.
func flattestInverse(c float64) float64 {
	const rounding = 4e-15
	lo, hi := 0.0, 1/c // h(x) < 1/x
	if c >= flattest(lo)*(1-rounding) {
		return 0
	}
	for {
		x := lo + (hi-lo)/2
		if x == lo || x == hi {
			return x
		}
		if flattest(x) > c {
			lo = x
		} else {
			hi = x
		}
	}
}

// boundary returns the analytic boundary of two classes, from the lowest variance of the map at which
// there is one, at four points for each step of the grid.
func (g *grid) boundary() *table.Table {
	t := table.New("boundary", columns(
		table.Num("gap", "from which on Σ_y of two classes is not positive definite"), table.Num("variance", "of every logit"),
	)...)
	low, high := max(g.Variance[0], twoClasses{lambda: g.lambda}.onset()), g.Variance[1]
	if low >= high {
		return t
	}
	for _, v := range spaced(low, high, 4*(g.Grid-1)+1) {
		t.Add(g.key(), twoClasses{g.lambda, v}.boundary(), v)
	}
	return t
}

// onset says where the boundary of two classes begins.
func (g *grid) onset() *table.Table {
	at := twoClasses{lambda: g.lambda}
	t := table.New("onset", columns(
		table.Num("gap_at_variance_0", "from which on Σ_y is not positive however small the variance"),
		table.Num("variance_at_gap_0", "up to which Σ_y is not positive however small the gap; one of both is 0"),
	)...)
	t.Add(g.key(), at.boundary(), at.onset())
	return t
}
