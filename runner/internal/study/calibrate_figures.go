package study

import (
	"fmt"
	"math"

	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/store"
)

// figures draws, from the table alone, "lambda": λ by every criterion and the ρ
// of those that choose it; and "error": their errors over the box. All are
// against the number of classes.
func (c *calibrate) figures(lambda frame) []Figure {
	classes := figures.Axis{Label: "classes $n$", Log: true}
	chart := func(label string, log bool, curves []figures.Curve) figures.Chart {
		return figures.Chart{X: classes, Y: figures.Axis{Label: label, Log: log}, Curves: curves}
	}
	return []Figure{
		{"lambda", figures.Charts([][]figures.Chart{{
			chart("slope $λ$", false, c.curves(lambda, "lambda")),
			chart("correlation $ρ$", false, c.rhoCurves(lambda)),
		}})},
		{"error", figures.Charts([][]figures.Chart{{
			chart("root mean square error", true, c.curves(lambda, "rms")),
			chart("largest error", true, c.curves(lambda, "max")),
		}})},
	}
}

// curves returns a column of the table against the classes, a curve for every
// criterion and, where the manifest gives ρ, every ρ.
func (c *calibrate) curves(lambda frame, column string) []figures.Curve {
	var out []figures.Curve
	for _, rho := range c.m.Calibrate.Rho {
		for _, rule := range append([]criterion{slopeMatching}, fittedLambda...) {
			t := lambda.where("criterion", rule.word).where("rho", store.Float(rho))
			name := rule.name
			if len(c.m.Calibrate.Rho) > 1 {
				name = fmt.Sprintf("%s, $ρ$ = %g", name, rho)
			}
			out = append(out, figures.Curve{Name: name, X: t.floats("classes"), Y: t.floats(column)})
		}
	}
	for _, rule := range fittedRho {
		t := lambda.where("criterion", rule.word)
		out = append(out, figures.Curve{Name: rule.name, X: t.floats("classes"), Y: t.floats(column)})
	}
	return out
}

// rhoCurves returns the fitted ρ against the classes, with a gap at two classes,
// for which ρ has no meaning.
func (c *calibrate) rhoCurves(lambda frame) []figures.Curve {
	var out []figures.Curve
	for _, rule := range fittedRho {
		t := lambda.where("criterion", rule.word)
		curve := figures.Curve{Name: rule.name, X: t.floats("classes"), Y: t.floats("rho")}
		for i, n := range curve.X {
			if n == 2 {
				curve.Y[i] = math.NaN()
			}
		}
		out = append(out, curve)
	}
	return out
}
