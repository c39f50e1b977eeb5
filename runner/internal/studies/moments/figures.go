package moments

import (
	"fmt"
	"slices"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/plots"
	"closedform/runner/internal/slope"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are maps of definite matrices, maps of errors over λ and ρ, or charts of errors by the variance.
func (e *experiment) Figures() (out []study.Figure) {
	s := &e.Moments
	switch {
	case s.Against == "montecarlo":
		return nil
	case len(s.Mean) > 0:
		return []study.Figure{{
			Name: "moments", Needs: []string{"moments", "errors"}, Draw: e.drawGiven,
			Caption: "The mean $p_j$ of each class by each method; the line is the first method, the reference of the " +
				"errors in the last chart. Bars are 95 % intervals of Monte Carlo.",
		}}
	case len(s.Gap) > 0:
		f := plots.Drawing("stability", "maps", stability)
		f.Caption = "The share of random logits at which the Σ_y of the probit is positive definite, so that Yang and " +
			"Yang's update is possible: 1 everywhere, 0 nowhere. A row has a number of classes, a column a slope λ. The gap is " +
			"the distance of the largest mean logit from the next. Logits of two classes are not random: each point is " +
			"definite or indefinite."
		return []study.Figure{f}
	case e.sweeps():
		return []study.Figure{{
			Name: "moments", Needs: []string{"errors", "lambda"}, Draw: overLambda,
			Caption: "Errors of the probit against the softmax, over its slope λ and its correlation ρ. A column has a " +
				"number of classes. The lines are the λ that match the slope of the softmax at the origin, its least-squares " +
				"fit and its minimax fit. Near the lines p is most accurate; the last row shows how often Σ_y is indefinite " +
				"there.",
		}}
	}
	for _, spread := range s.Spread {
		for _, c := range columns[:3] {
			name := fmt.Sprintf("%s_spread_%s", c.Name, table.Format(spread))
			f := plots.Drawing(name, "errors", func(errors *table.Table) *figures.Figure {
				return e.charts(errors.Where("spread", spread), c.Name, c.Axis.Label)
			})
			f.Caption = fmt.Sprintf("The %s, against the exact integrals, by the variance of the logits; means of the logits "+
				"are N(0, %s²). A formula that does not give this moment has no curve.",
				plain.Replace(c.Axis.Label), table.Format(spread))
			out = append(out, f)
		}
	}
	return out
}

// drawGiven draws, in rows of methods, p_j of up to eight classes, with a line at that of the first method, and
// the errors of the others.
func (e *experiment) drawGiven(t table.Tables) *figures.Figure {
	means, errors := t.Get("moments").Where("quantity", "mean"), t.Get("errors")
	methods := means.GroupBy("method", "lambda", "rho")
	var labels []string
	for _, rows := range methods {
		labels = append(labels, spelled.Replace(label(rows)))
	}
	y := figures.Rows(labels)
	var charts []figures.Chart
	for j := range min(8, len(e.Moments.Mean)) {
		dots := figures.Curve{Kind: figures.Across, Group: 1}
		for i, rows := range methods {
			p, half := rows.Nums("value")[j], 1.96*rows.Nums("se")[j]
			dots.X, dots.Y = append(dots.X, p), append(dots.Y, -float64(i))
			dots.Low, dots.High = append(dots.Low, p-half), append(dots.High, p+half)
		}
		first := figures.Curve{Name: labels[0], Kind: figures.Reference, X: []float64{dots.X[0], dots.X[0]}}
		first.Y = []float64{y.Min, y.Max}
		x := figures.Axis{Label: fmt.Sprintf("$p_%d$", j+1), Scope: fmt.Sprint(j)}
		charts = append(charts, figures.Chart{X: x, Y: y, Curves: []figures.Curve{first, dots}})
	}
	chart := figures.Chart{X: figures.Axis{Label: "error", Log: true}, Y: y}
	for k, c := range columns[:3] {
		dots := figures.Curve{Name: c.Axis.Label, Kind: figures.Across, Group: 1 + 2*k}
		for i, x := range errors.Nums(c.Name)[1:] { // in the order of methods
			dots.X, dots.Y = append(dots.X, x), append(dots.Y, -float64(i+1))
		}
		chart.Curves = append(chart.Curves, dots)
	}
	return figures.Charts(slices.Collect(slices.Chunk(append(charts, chart), 3)))
}

// columns are the drawn columns of the table errors, with their scales on maps. Charts have the first three.
var columns = []plots.Column{
	{Name: "tv", Axis: figures.Axis{Label: "total variation of $p$", Log: true}},
	{Name: "cov_error", Axis: relative("$Σ_y$")},
	{Name: "cross_error", Axis: relative("$Σ_{zy}$")},
	{Name: "indefinite", Axis: figures.Axis{Label: "share of indefinite $Σ_y$", Max: 1}},
}

func relative(matrix string) figures.Axis {
	return figures.Axis{Label: "relative error of " + matrix, Log: true, Min: 0.01, Max: 10}
}

// charts draws a column of the table errors for the chosen methods against the variance, in a chart for each
// number of classes. It leaves out the exact integrals, whose errors are below the axis everywhere.
func (e *experiment) charts(errors *table.Table, column, title string) *figures.Figure {
	exact := func(m string) bool { return strings.HasPrefix(m, "exact") }
	methods := e.Chosen.Among(slices.DeleteFunc(errors.Distinct("method"), exact))
	var charts []figures.Chart
	for _, n := range errors.Distinct("classes") {
		chart := figures.Chart{
			Title: "$n$ = " + n,
			X:     figures.Axis{Label: "variance $v$", Log: true},
			Y:     figures.Axis{Label: title, Log: true, Min: 1e-4, Max: 10}, // the same axis in all figures
		}
		for _, r := range errors.Where("classes", n).GroupBy("method", "lambda", "rho") {
			group := 1 + slices.Index(methods, r.Texts("method")[0])
			if group == 0 || len(numbers(r.Nums(column))) == 0 {
				continue
			}
			chart.Curves = append(chart.Curves, figures.Curve{
				Name: spelled.Replace(label(r)), Group: group, X: r.Nums("variance"), Y: r.Nums(column),
			})
		}
		charts = append(charts, chart)
	}
	return figures.Charts(slices.Collect(slices.Chunk(charts, 3)),
		"means of the logits drawn from $N$(0, "+errors.Texts("spread")[0]+"$^2$)")
}

var spelled = strings.NewReplacer("monte-carlo-", "Monte Carlo, ", "mackay", "MacKay", "lu-", "Lu, ",
	"laplace-", "Laplace ", "-", " ")

// overLambda draws errors of the probit over λ and ρ: a row of maps for each column, and in a row a map for
// each number of classes, with lines of the λ that match a criterion.
func overLambda(t table.Tables) *figures.Figure {
	errors := t.Get("errors").Where("method", "probit").GroupBy("classes")
	return plots.Sweep(columns, errors, func(m *figures.Map, rows *table.Table) {
		n := rows.Texts("classes")[0]
		m.Title = "$n$ = " + n
		for _, word := range slope.Criteria {
			known := t.Get("lambda").Where("classes", n).Where("criterion", word)
			m.Curves = append(m.Curves, plots.Matched(word, known.Nums("lambda"), known.Nums("rho")))
		}
	})
}

// stability draws the share of draws for which Σ_y is positive definite, in a row of maps for every number of
// classes and a column for every probit. Where most draws are undecided the value is below the scale.
func stability(maps *table.Table) *figures.Figure {
	var rows []figures.Row
	for _, n := range maps.Distinct("classes") {
		row := figures.Row{Scale: figures.Axis{Label: "share definite, $n$ = " + n, Max: 1}}
		for _, formula := range maps.Where("classes", n).GroupBy("method", "lambda", "rho") {
			share := formula.Nums("definite")
			for i, undecided := range formula.Nums("undecided") {
				if undecided > 0.5 {
					share[i] = -1
				}
			}
			m := plots.Heat(formula, "gap", "variance", share)
			_, word, _ := strings.Cut(formula.Texts("method")[0], "-")
			m.Title = fmt.Sprintf("%s $λ$ = %.3g", word, formula.Nums("lambda")[0])
			row.Maps = append(row.Maps, m)
		}
		rows = append(rows, row)
	}
	return figures.Maps(rows, figures.Labels{
		X: figures.Axis{Label: "gap of the logits"}, Y: figures.Axis{Label: "variance $v$", Log: true},
		Below: "most draws undecided",
	})
}
