package mvn

import (
	"cmp"
	"math"
	"slices"
)

// cut is a point at which an integral is cut, because of a transition of the
// integrand of a certain width.
type cut struct{ at, width float64 }

// cuts are those of one integral. The adaptive rule accepts a piece on which its
// two formulas agree, and they also agree when none of their nodes sees a narrow
// transition. So the pieces must not be much wider than the transitions in them.
type cuts []cut

// narrow is the width from which on a transition needs no cuts: it is wider than
// the distance of the nodes from the ends of any piece.
const narrow = 0.25

// add adds the cuts for a transition like that of Φ((t − centre)/width), which is
// over 9 widths away.
func (c *cuts) add(centre, width float64) {
	for _, k := range [...]float64{-9, -3, 0, 3, 9} {
		*c = append(*c, cut{centre + k*width, width})
	}
}

// addLinear adds those of Φ((a + bt)/e) if it is narrow.
func (c *cuts) addLinear(a, b, e float64) {
	if width := e / math.Abs(b); width < narrow {
		c.add(-a/b, width)
	}
}

// integrate returns ∫_a^b f(t) dt by [integrate] on each piece. A cut less than
// its width away from another is left out.
func (c cuts) integrate(f func(t float64) float64, a, b, tol float64) float64 {
	slices.SortFunc(c, func(p, q cut) int { return cmp.Compare(p.at, q.at) })
	var sum float64
	for _, p := range c {
		if p.at < b && p.at-a > p.width {
			sum += integrate(f, a, p.at, tol)
			a = p.at
		}
	}
	return sum + integrate(f, a, b, tol)
}
