package figures

import "slices"

// Multiples draws small charts, so many in a row, that have the axes of the first, with
// ends about the curves of all.
func Multiples(charts []Chart, across int) *Figure {
	var all []Curve
	for _, c := range charts {
		all = append(all, c.Curves...)
	}
	x := charts[0].X.withEnds(all, func(c Curve) []float64 { return c.X })
	y := charts[0].Y.withEnds(all, func(c Curve) []float64 { return c.Y })
	charts = slices.Clone(charts)
	for i := range charts {
		charts[i].X, charts[i].Y = x, y
	}
	return Charts(slices.Collect(slices.Chunk(charts, across)))
}
