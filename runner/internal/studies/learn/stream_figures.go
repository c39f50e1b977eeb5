package learn

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/learner"
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
// reaches down to 0 is left out; in place of those of fewer than three seeds are the points
// of the seeds. Where more learn than curves are told apart, each has a
// small chart of its own in "curve_error" and "curve_log_loss", "curve_error_2", … Before
// these come the maps of [[figure]] and that of a sweep, if there are any.
func (s *stream) Figures() []study.Figure {
	var names []string
	for _, l := range s.learners() {
		names = append(names, l.Name)
	}
	out := append(s.mapFigures(), sweepFigures(s.networks, errorAndLoss)...)
	if len(names) <= mostCurves {
		return append(out, study.Figure{Name: "curve", Needs: []string{"curve_summary", "curve"}, Draw: func(t table.Set) (*figures.Figure, error) {
			var test, next []figures.Chart
			for _, y := range errorAndLoss {
				test = append(test, s.compared(t, names, onTest, y, y.column))
				if c := s.compared(t, names, onNext, y, "prequential_"+y.column); slices.ContainsFunc(c.Curves, isLine) {
					next = append(next, c)
				}
			}
			if next == nil {
				return figures.Charts([][]figures.Chart{test}), nil
			}
			return figures.Charts([][]figures.Chart{test, next}), nil
		}})
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
					c, of := chart(learner.NewLegend(s.Methods).Label(name), "examples seen", y), means.Where("method", name)
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

// compared returns a chart with a column of all methods.
func (s *stream) compared(t table.Set, names []string, title string, y score, column string) figures.Chart {
	const enough = 3 // seeds for an interval
	legend := learner.NewLegend(s.Methods)
	c := chart(title, "examples seen", y)
	for _, name := range names {
		means, seeds := t.Get("curve_summary").Where("method", name), t.Get("curve").Where("method", name)
		mean := curve(means, legend.Label(name), "seen", column)
		mean.Group = legend.Group(name)
		if n := means.Nums("seeds"); len(n) > 0 && slices.Min(n) < enough {
			points := figures.Curve{Name: mean.Name, Group: mean.Group, Kind: figures.Scatter, X: seeds.Nums("seen"), Y: seeds.Nums(column)}
			mean.Kind, mean.Low, mean.High = figures.Line, nil, nil
			c.Title = title + ": seeds, their mean"
			c.Curves = append(c.Curves, points)
		}
		c.Curves = append(c.Curves, mean)
	}
	return c
}

// isLine tells whether a curve has two points.
func isLine(c figures.Curve) bool {
	return c.Kind != figures.Scatter && len(slices.DeleteFunc(slices.Clone(c.Y), math.IsNaN)) > 1
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

// mapFigures are pages as those of the plane, with the examples that were learned.
func (s *stream) mapFigures() (out []study.Figure) {
	for _, page := range s.Pages {
		for _, model := range s.networks.Models {
			if model.Of != page.Method {
				continue
			}
			draw := func(t table.Set) (*figures.Figure, error) {
				of := func(name string) *table.Table { return t.Get(name).Where("method", model.Name) }
				return atlasFigure(of("maps"), of("train")), nil
			}
			out = append(out, study.Figure{Name: pageName(model), Needs: []string{"maps", "train"}, Draw: draw})
		}
	}
	return out
}

func pageName(m learner.Named) string { return "maps_" + strings.ReplaceAll(m.Name, " ", "_") }

func atlasFigure(maps, train *table.Table) *figures.Figure {
	distinct := func(column string) []float64 {
		x := maps.Nums(column)
		slices.Sort(x)
		return slices.Compact(x)
	}
	c := chartOfPlane{x: distinct("x1"), y: distinct("x2")}
	for _, k := range distinct("k") {
		c.snapshots = append(c.snapshots, int(k))
	}
	labels := figures.Labels{Below: "negative variance"}
	for j := 1; maps.Has(fmt.Sprint("p", j)); j++ { // each has an example
		labels.Classes = append(labels.Classes, train.Where("class", j).Texts("label")[0])
	}
	var rows []figures.Row
	for _, q := range quantities(len(labels.Classes)) {
		rows = append(rows, c.row(q, maps, train))
	}
	return figures.Maps(rows, labels)
}
