package learn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// score is a column that is drawn.
type score struct {
	column, label string
	linear        bool // its axis
}

var errorAndLoss = []score{{"error", "error", false}, {"log_loss", "log loss, nats", false}}

const (
	onTest = "test examples"
	onNext = "next examples, mean so far"

	mostCurves = 8 // that are told apart in one chart
	across     = 3 // small charts in a row
	mostCharts = 5 * across
)

// Figures are "curve": error and log loss on the test part and, of the first pass, on
// every example before it was learned, against the examples seen. An interval that
// reaches down to 0 is left out. Where more learn than curves are told apart, each has a
// small chart of its own in "curve_error" and "curve_log_loss", "curve_error_2", … Before
// these come the maps of [[figure]] and that of a sweep, if there are any.
func (s *stream) Figures() []study.Figure {
	var names []string
	for _, l := range s.learners() {
		names = append(names, l.Name)
	}
	out := append(s.mapFigures(), sweepFigures(s.networks, errorAndLoss)...)
	if len(names) <= mostCurves {
		return append(out, study.Drawing("curve", "curve_summary", func(means *table.Table) *figures.Figure {
			var rows [][]figures.Chart
			for _, y := range errorAndLoss {
				test, next := chart(onTest, "examples seen", y), chart(onNext, "examples seen", y)
				for _, name := range names {
					of := means.Where("method", name)
					test.Curves = append(test.Curves, curve(of, name, "seen", y.column))
					next.Curves = append(next.Curves, curve(of, name, "seen", "prequential_"+y.column))
				}
				rows = append(rows, []figures.Chart{test, next})
			}
			return figures.Charts(rows)
		}))
	}
	for _, y := range errorAndLoss {
		for i, page := range slices.Collect(slices.Chunk(names, mostCharts)) {
			name := "curve_" + y.column
			if i > 0 {
				name += fmt.Sprint("_", i+1)
			}
			out = append(out, study.Drawing(name, "curve_summary", func(means *table.Table) *figures.Figure {
				var charts []figures.Chart
				for _, name := range page {
					c, of := chart(name, "examples seen", y), means.Where("method", name)
					c.Curves = []figures.Curve{
						curve(of, onTest, "seen", y.column), curve(of, onNext, "seen", "prequential_"+y.column),
					}
					charts = append(charts, c)
				}
				return multiples(charts)
			}))
		}
	}
	return out
}

func chart(title, x string, y score) figures.Chart {
	return figures.Chart{Title: title, X: figures.Axis{Label: x, Log: true}, Y: figures.Axis{Label: y.label, Log: true}}
}

// curve returns a column of means against another, without intervals that reach down to 0.
func curve(means *table.Table, name, x, column string) figures.Curve {
	c := figures.Curve{Name: name, X: means.Nums(x), Y: means.Nums(column)}
	c.Low, c.High = means.Nums(column+"_low"), means.Nums(column+"_high")
	for i, low := range c.Low {
		if low <= 0 {
			c.Low[i], c.High[i] = math.NaN(), math.NaN()
		}
	}
	return c
}

// multiples draws small charts, whose titles spell λ and ρ.
func multiples(charts []figures.Chart) *figures.Figure {
	for i := range charts {
		charts[i].Title = strings.NewReplacer("lambda=", "$λ$ = ", "rho=", "$ρ$ = ").Replace(charts[i].Title)
	}
	return figures.Multiples(charts, across)
}
