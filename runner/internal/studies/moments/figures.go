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
	words := slices.ContainsFunc(s.Lambda, func(l slope.Lambda) bool { return l.Word != "" })
	grid := slices.Contains(s.Methods, "probit") && !words && len(s.Lambda) > 1 && len(s.Rho) > 1
	switch {
	case s.Against == "montecarlo":
		return nil
	case len(s.Gap) > 0:
		return []study.Figure{plots.Drawing("stability", "maps", stability)}
	case grid && len(s.Spread) == 1 && len(s.Variance) == 1:
		return []study.Figure{{Name: "moments", Needs: []string{"errors", "lambda"}, Draw: overLambda}}
	}
	for _, spread := range s.Spread {
		for _, c := range columns[:3] {
			name := fmt.Sprintf("%s_spread_%s", c.Name, table.Format(spread))
			out = append(out, plots.Drawing(name, "errors", func(errors *table.Table) *figures.Figure {
				return e.charts(errors.Where("spread", spread), c.Name, c.Axis.Label)
			}))
		}
	}
	return out
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
func (e *experiment) charts(errors *table.Table, column, label string) *figures.Figure {
	exact := func(m string) bool { return strings.HasPrefix(m, "exact") }
	methods := e.Chosen.Among(slices.DeleteFunc(errors.Distinct("method"), exact))
	var charts []figures.Chart
	for _, n := range errors.Distinct("classes") {
		chart := figures.Chart{
			Title: "$n$ = " + n,
			X:     figures.Axis{Label: "variance $v$", Log: true},
			Y:     figures.Axis{Label: label, Log: true, Min: 1e-4, Max: 10}, // the same axis in all figures
		}
		for _, r := range errors.Where("classes", n).GroupBy("method", "lambda", "rho") {
			method, rho := r.Texts("method")[0], r.Texts("rho")[0]
			group := 1 + slices.Index(methods, method)
			if group == 0 || len(numbers(r.Nums(column))) == 0 {
				continue
			}
			name := spelled.Replace(method)
			if method == "probit" || method == "probit-corr" {
				name += ", $λ$ = " + r.Texts("lambda")[0]
			}
			if rho != "" && rho != "0.5" {
				name += ", $ρ$ = " + rho
			}
			chart.Curves = append(chart.Curves, figures.Curve{
				Name: name, Group: group, X: r.Nums("variance"), Y: r.Nums(column),
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
