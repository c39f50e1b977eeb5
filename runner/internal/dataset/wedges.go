package dataset

import (
	"math"
	"math/rand/v2"
)

// wedges is the task of the paper's experiment (Yang and Yang 2023, Sec. 5,
// Eq. (f)) on [−2, 2]²: class 1 above both diagonals, class 2 below both, and
// class 3, which is two opposite wedges, to the left and right. The layout is
// reconstructed from what is known of the task and the numbers it gives, not
// copied from the equation.
//
// No fixed weights of the paper's network, three linear scores without bias,
// can solve it. The region where one linear score is largest is a convex cone,
// so three rays cut the plane into at most three cones. A cone that reaches
// into both wedges of class 3 holds all of the wedge of class 1 or 2 between
// them; so at best the cones of classes 1 and 2 are their wedges and a part of
// class 3, and one wedge of class 3 is lost: a quarter of the square. Its
// best possible accuracy is 75 %. An average over random weights, as a Bayesian
// network predicts by, is no longer linear and not bound by this.
var wedges = Generator{
	Inputs: 2, Classes: 3,
	Low: -2, High: 2,
	Label: func(x []float64) int {
		switch d := math.Abs(x[1]) - math.Abs(x[0]); {
		case d == 0:
			return NoClass
		case d < 0:
			return 2
		case x[1] > 0:
			return 0
		default:
			return 1
		}
	},
	LinearCeiling: 0.75,
	Boundary:      []Segment{{-2, -2, 2, 2}, {-2, 2, 2, -2}},
}

// wedgesKind is the same as a task without noise. On the diagonals, where two or
// three classes meet, there are no class probabilities.
var wedgesKind = kind{
	classes: func(Task) int { return wedges.Classes },
	region:  func(Task) Region { return square(wedges.High) },
	draw:    func(_ Task, x []float64, rnd *rand.Rand) int { return wedges.example(x, rnd) },
	probabilities: func(_ Task, dst, x []float64) bool {
		class := wedges.Label(x)
		if class == NoClass {
			return false
		}
		clear(dst)
		dst[class] = 1
		return true
	},
	bayesError: func(Task) float64 { return 0 },
}
