package figures

import (
	"math"
	"slices"
)

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
