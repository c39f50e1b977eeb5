package data

import (
	"math"
	"math/rand/v2"
)

// wedges is the task of the paper's experiment (Yang and Yang 2023, Sec. 5, Eq. (f)),
// uniform on [−2, 2]²: class 1 above both diagonals, class 2 below both, and class 3, two
// opposite wedges, to the left and right. The layout is reconstructed from the numbers it
// gives, not copied from the equation. On the diagonals there are no probabilities.
//
// No fixed weights of the paper's network, three linear scores without bias, can solve
// it: each score is largest in a convex cone, and a cone that reaches into both wedges
// of class 3 holds all of the wedge between them. So one wedge of class 3 is lost, a
// quarter of the square, and the accuracy is 75 % at best. An average over random
// weights, as a Bayesian network predicts by, is not bound by this.
func wedges(Generator) *Task {
	const half = 2
	return &Task{
		Classes:       3,
		Region:        square(half),
		Boundary:      []Segment{{-half, -half, half, half}, {-half, half, half, -half}},
		LinearCeiling: 0.75,
		draw: func(x []float64, rnd *rand.Rand) int {
			for {
				for i := range x {
					x[i] = -half + 2*half*rnd.Float64()
				}
				if class := wedge(x); class != NoClass {
					return class
				}
			}
		},
		probabilities: func(dst, x []float64) bool {
			class := wedge(x)
			if class == NoClass {
				return false
			}
			clear(dst)
			dst[class] = 1
			return true
		},
		BayesError: func() float64 { return 0 },
	}
}

func wedge(x []float64) int {
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
}
