// Package grid has the points of the plane at which learners are looked at.
package grid

// Grid is a rectangular grid of points, row by row: the first coordinate changes
// fastest.
type Grid struct {
	X, Y   []float64   // coordinates along the axes, ascending
	Points [][]float64 // len(X)·len(Y) points
}

// New returns the grid with these coordinates along its axes.
func New(x, y []float64) *Grid {
	g := &Grid{X: x, Y: y}
	for _, b := range y {
		for _, a := range x {
			g.Points = append(g.Points, []float64{a, b})
		}
	}
	return g
}

// Every returns the numbers of the points on every stride-th line in both
// directions.
func (g *Grid) Every(stride int) []int {
	var out []int
	for j := 0; j < len(g.Y); j += stride {
		for i := 0; i < len(g.X); i += stride {
			out = append(out, j*len(g.X)+i)
		}
	}
	return out
}
