package calibrate

import (
	"fmt"

	"closedform/figures"
	"closedform/runner/internal/lambdafit"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "lambda", λ by every criterion, and "error", its errors over the box. Both are against the
// number of classes.
func (e *experiment) Figures() []study.Figure {
	chart := func(label string, log bool, lambda *table.Table, column string) figures.Chart {
		c := figures.Chart{X: figures.Axis{Label: "classes $n$", Log: true}, Y: figures.Axis{Label: label, Log: log}}
		for _, rho := range e.Calibrate.Rho {
			for _, word := range lambdafit.Words {
				t, name := lambda.Where("criterion", word).Where("rho", rho), word
				if len(e.Calibrate.Rho) > 1 {
					name = fmt.Sprintf("%s, $ρ$ = %g", name, rho)
				}
				c.Curves = append(c.Curves, figures.Curve{Name: name, X: t.Nums("classes"), Y: t.Nums(column)})
			}
		}
		return c
	}
	return []study.Figure{
		study.Drawing("lambda", "lambda", func(t *table.Table) *figures.Figure {
			return figures.Charts([][]figures.Chart{{chart("slope $λ$", false, t, "lambda")}})
		}),
		study.Drawing("error", "lambda", func(t *table.Table) *figures.Figure {
			return figures.Charts([][]figures.Chart{{chart("root mean square error", true, t, "rms"), chart("largest error", true, t, "max")}})
		}),
	}
}
