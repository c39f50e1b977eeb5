package figures

import (
	"math"
	"slices"
)

// Multiples draws small charts, so many in a row, with the axes of the first; the
// ends include the curves of all.
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

// Split divides the curves of a chart among charts side by side, n in each.
// All of them have the references. Without others there is one chart.
func (c Chart) Split(n int) (out []Chart) {
	var shared, own []Curve
	for _, curve := range c.Curves {
		if curve.Kind == Reference {
			shared = append(shared, curve)
		} else {
			own = append(own, curve)
		}
	}
	if len(own) == 0 {
		return []Chart{c}
	}
	for part := range slices.Chunk(own, n) {
		c.Curves = slices.Concat(shared, part)
		out = append(out, c)
	}
	return out
}

// Beside shifts curves, except references, a little along a logarithmic X axis, so that equal curves do not
// cover each other.
func Beside(curves []Curve) []Curve {
	const ratio = 1.08
	out := slices.Clone(curves)
	by := math.Sqrt(ratio)
	for _, c := range out {
		if c.Kind != Reference {
			by /= math.Sqrt(ratio)
		}
	}
	for i, c := range out {
		if c.Kind == Reference {
			continue
		}
		out[i].X = slices.Clone(c.X)
		for k := range c.X {
			out[i].X[k] *= by
		}
		by *= ratio
	}
	return out
}
