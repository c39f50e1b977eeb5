package figures

import "math"

// A field is a map on the even grid of the cells of a picture, two between close neighbours
// of its own grid: so that uneven grids and logarithmic axes can be drawn, and cells
// at the border are halves.
type field struct {
	Map
	scale      Axis
	x, y       []float64 // the middles of columns and rows of cells
	cols, rows []int     // their nearest grid points
}

func (m Map) field(x, y, scale Axis) field {
	f := field{Map: m, scale: scale}
	f.x, f.cols = cells(m.X, x)
	f.y, f.rows = cells(m.Y, y)
	return f
}

// Dims implements plotter.GridXYZ, as do X, Y and Z.
func (f field) Dims() (c, r int) { return len(f.cols), len(f.rows) }
func (f field) X(c int) float64  { return f.x[c] }
func (f field) Y(r int) float64  { return f.y[r] }

// Z returns the value of a cell as a coordinate of the scale. One that has no place
// on a logarithmic scale is below it.
func (f field) Z(c, r int) float64 {
	z := f.Map.Z[f.rows[r]*len(f.Map.X)+f.cols[c]]
	if f.scale.Log {
		z = max(z, 0)
	}
	return f.scale.at(z)
}

// cells returns the coordinates of the middles of the cells along an axis, and the
// indices of the grid points nearest to them. There are two between the closest points,
// within reason.
func cells(grid []float64, a Axis) (middles []float64, nearest []int) {
	closest := math.Inf(1)
	for k, v := range grid[1:] {
		closest = min(closest, a.at(v)-a.at(grid[k]))
	}
	steps := math.Round((a.at(a.Max) - a.at(a.Min)) / closest) // of an even grid: all there are
	i, n := 0, 2*max(len(grid)-1, int(min(steps, 500)))
	for c := range n {
		t := (float64(c) + 0.5) / float64(n)
		v := a.at(a.Min)*(1-t) + a.at(a.Max)*t
		for i+1 < len(grid) && v-a.at(grid[i]) >= a.at(grid[i+1])-v {
			i++
		}
		middles, nearest = append(middles, v), append(nearest, i)
	}
	return middles, nearest
}
