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
func wedges(Generator) *Task { return cut(3, []int{2, 0, 2, 1}, 0.75) }

// sectors cuts the same square from its centre into sectors of equal area, a class each.
// Linear scores without bias can solve it: n cones that are convex are those in which
// the corners of a polygon are the farthest ones.
func sectors(g Generator) *Task {
	class := make([]int, g.Arms)
	for k := range class {
		class[k] = k
	}
	return cut(g.Arms, class, 1)
}

// cut returns the task of inputs that are uniform on [−2, 2]², with the classes of the
// sectors of equal area into which the square is cut from its centre.
func cut(classes int, sectors []int, ceiling float64) *Task {
	const half = 2
	label := func(x []float64) int {
		// Area is in proportion to perimeter, of which [−1, 1]² has 8: from the corner
		// (1, −1) anticlockwise.
		r := max(math.Abs(x[0]), math.Abs(x[1]))
		var way float64
		switch u, v := x[0]/r, x[1]/r; {
		case u == 1:
			way = 1 + v
		case v == 1:
			way = 3 - u
		case u == -1:
			way = 5 - v
		default:
			way = 7 + u
		}
		sector := way / 8 * float64(len(sectors))
		if r == 0 || sector == math.Floor(sector) {
			return NoClass
		}
		return sectors[int(sector)]
	}
	t := &Task{
		Classes:       classes,
		Region:        square(half),
		LinearCeiling: ceiling,
		draw: func(x []float64, rnd *rand.Rand) int {
			for {
				for i := range x {
					x[i] = -half + 2*half*rnd.Float64()
				}
				if class := label(x); class != NoClass {
					return class
				}
			}
		},
		probabilities: func(dst, x []float64) bool {
			class := label(x)
			if class == NoClass {
				return false
			}
			clear(dst)
			dst[class] = 1
			return true
		},
		BayesError: func() float64 { return 0 },
	}
	for k := range sectors {
		side, at := math.Modf(4 * float64(k) / float64(len(sectors)))
		u, v := 1., 2*at-1
		for range int(side) { // a quarter of a turn
			u, v = -v, u
		}
		t.Boundary = append(t.Boundary, Segment{0, 0, half * u, half * v})
	}
	return t
}
