package calibrate

import (
	"fmt"
	"math"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "lambda": λ by every criterion and the ρ of those that choose it; and
// "error": their errors over the box. All are against the number of classes.
func (e *experiment) Figures() []study.Figure {
	classes := figures.Axis{Label: "classes $n$", Log: true}
	chart := func(label string, log bool, curves []figures.Curve) figures.Chart {
		return figures.Chart{X: classes, Y: figures.Axis{Label: label, Log: log}, Curves: curves}
	}
	return []study.Figure{
		{Name: "lambda", Needs: []string{"lambda"}, Draw: func(t table.Set) (*figures.Figure, error) {
			lambda := t.Get("lambda")
			return figures.Charts([][]figures.Chart{{
				chart("slope $λ$", false, e.curves(lambda, "lambda")),
				chart("correlation $ρ$", false, rhoCurves(lambda)),
			}}), nil
		}},
		{Name: "error", Needs: []string{"lambda"}, Draw: func(t table.Set) (*figures.Figure, error) {
			lambda := t.Get("lambda")
			return figures.Charts([][]figures.Chart{{
				chart("root mean square error", true, e.curves(lambda, "rms")),
				chart("largest error", true, e.curves(lambda, "max")),
			}}), nil
		}},
	}
}

// curves returns a column of the table against the classes, a curve for every
// criterion and, where the manifest gives ρ, every ρ.
func (e *experiment) curves(lambda *table.Table, column string) []figures.Curve {
	var out []figures.Curve
	for _, rho := range e.Calibrate.Rho {
		for _, c := range append([]criterion{slopeMatching}, fittedLambda...) {
			t := lambda.Where("criterion", c.word).Where("rho", rho)
			name := c.name
			if len(e.Calibrate.Rho) > 1 {
				name = fmt.Sprintf("%s, $ρ$ = %g", name, rho)
			}
			out = append(out, figures.Curve{Name: name, X: t.Nums("classes"), Y: t.Nums(column)})
		}
	}
	for _, c := range fittedRho {
		t := lambda.Where("criterion", c.word)
		out = append(out, figures.Curve{Name: c.name, X: t.Nums("classes"), Y: t.Nums(column)})
	}
	return out
}

// rhoCurves returns the fitted ρ against the classes, with a gap at two classes,
// for which ρ has no meaning.
func rhoCurves(lambda *table.Table) []figures.Curve {
	var out []figures.Curve
	for _, c := range fittedRho {
		t := lambda.Where("criterion", c.word)
		curve := figures.Curve{Name: c.name, X: t.Nums("classes"), Y: t.Nums("rho")}
		for i, n := range curve.X {
			if n == 2 {
				curve.Y[i] = math.NaN()
			}
		}
		out = append(out, curve)
	}
	return out
}
