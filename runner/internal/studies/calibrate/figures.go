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
	chart := func(label string, log bool, lambda *table.Table, column string) figures.Chart {
		return figures.Chart{
			X: figures.Axis{Label: "classes $n$", Log: true}, Y: figures.Axis{Label: label, Log: log},
			Curves: e.curves(lambda, column),
		}
	}
	return []study.Figure{
		study.Drawing("lambda", "lambda", func(t *table.Table) *figures.Figure {
			return figures.Charts([][]figures.Chart{{chart("slope $λ$", false, t, "lambda"), chart("correlation $ρ$", false, t, "rho")}})
		}),
		study.Drawing("error", "lambda", func(t *table.Table) *figures.Figure {
			return figures.Charts([][]figures.Chart{{chart("root mean square error", true, t, "rms"), chart("largest error", true, t, "max")}})
		}),
	}
}

// curves returns a column of the table against the classes, a curve for every criterion and, where the
// manifest gives ρ, every ρ. The fitted ρ has a gap at two classes, for which it has no meaning.
func (e *experiment) curves(lambda *table.Table, column string) []figures.Curve {
	var fixed, free []figures.Curve
	for i, rho := range e.Calibrate.Rho {
		for _, c := range criteria {
			t, name := lambda.Where("criterion", c.word), c.name
			switch {
			case !c.freeRho && column != "rho":
				if len(e.Calibrate.Rho) > 1 {
					name = fmt.Sprintf("%s, $ρ$ = %g", name, rho)
				}
				t = t.Where("rho", rho)
				fixed = append(fixed, figures.Curve{Name: name, X: t.Nums("classes"), Y: t.Nums(column)})
			case c.freeRho && i == 0:
				curve := figures.Curve{Name: name, X: t.Nums("classes"), Y: t.Nums(column)}
				for k, n := range curve.X {
					if column == "rho" && n == 2 {
						curve.Y[k] = math.NaN()
					}
				}
				free = append(free, curve)
			}
		}
	}
	return append(fixed, free...)
}
