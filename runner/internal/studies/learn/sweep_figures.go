package learn

import (
	"cmp"
	"math"
	"slices"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// sweepFigures returns "sweep", the scores of the table "summary" over what is swept: maps
// over λ and ρ with a column for each network; or, where only one of them has several
// values or a λ is a word, curves over it. Nothing is drawn where nothing is swept.
func sweepFigures(n learner.Networks, scores []score) []study.Figure {
	word := slices.ContainsFunc(n.Sweep.Lambda, func(l learner.Lambda) bool { return l.Word != "" })
	draw := func(summary *table.Table) *figures.Figure { return sweepCurves(n, scores, summary, "lambda", "$λ$") }
	switch lambda, rho := len(n.Sweep.Lambda) > 1, len(n.Sweep.Rho) > 1; {
	case lambda && rho && !word:
		draw = func(summary *table.Table) *figures.Figure {
			return figures.Maps(sweepRows(n, scores, summary), figures.Labels{X: "$λ$", Y: "$ρ$"})
		}
	case rho && !lambda:
		draw = func(summary *table.Table) *figures.Figure { return sweepCurves(n, scores, summary, "rho", "$ρ$") }
	case !lambda:
		return nil
	}
	return []study.Figure{study.Drawing("sweep", "summary", draw)}
}

// sweepRows returns a row of maps over λ and ρ for each score.
func sweepRows(n learner.Networks, scores []score, summary *table.Table) (rows []figures.Row) {
	var networks []string
	for _, m := range n.Models {
		if !slices.Contains(networks, m.Of) {
			networks = append(networks, m.Of)
		}
	}
	legend := learner.NewLegend(n.Methods)
	for _, y := range scores {
		row, all := figures.Row{}, []float64(nil)
		for _, of := range networks {
			m := figures.Map{Title: legend.Label(of), Y: slices.Sorted(slices.Values(n.Sweep.Rho))}
			for _, l := range n.Sweep.Lambda {
				m.X = append(m.X, l.Number)
			}
			slices.Sort(m.X)
			m.LogX = m.X[len(m.X)-1] >= 10*m.X[0]
			m.Z = make([]float64, len(m.X)*len(m.Y))
			for _, model := range n.Models {
				if model.Of == of {
					i, j := slices.Index(m.X, model.Lambda.Number), slices.Index(m.Y, model.Rho)
					m.Z[j*len(m.X)+i] = summary.Where("method", model.Name).Nums(y.column)[0]
				}
			}
			row.Maps, all = append(row.Maps, m), append(all, m.Z...)
		}
		row.Scale = figures.Axis{Label: y.label}.Spanning(all)
		rows = append(rows, row)
	}
	return rows
}

// sweepCurves draws a chart for each score, with a curve for each network at each value
// of the other parameter; or, where these are too many, a small chart of the last score for each.
func sweepCurves(n learner.Networks, scores []score, summary *table.Table, x, label string) *figures.Figure {
	var names []string
	rows := map[string][]int{}
	methods := summary.Texts("method")
	for _, m := range n.Models {
		name := m.Of
		if x == "lambda" && len(n.Sweep.Rho) > 0 {
			name += " rho=" + table.Format(m.Rho)
		} else if x == "rho" && len(n.Sweep.Lambda) > 0 {
			name += " lambda=" + m.Lambda.String()
		}
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
		rows[name] = append(rows[name], slices.Index(methods, m.Name))
	}
	at := summary.Nums(x) // no value for other methods
	finite := slices.DeleteFunc(slices.Clone(at), math.IsNaN)
	wide := x == "lambda" && slices.Max(finite) >= 10*slices.Min(finite)
	var charts, small []figures.Chart
	legend := learner.NewLegend(n.Methods)
	for _, y := range scores {
		all := chart("", label, y)
		all.X.Log, all.Y.Log = wide, !y.linear
		for _, name := range names {
			slices.SortFunc(rows[name], func(i, j int) int { return cmp.Compare(at[i], at[j]) })
			one := all
			one.Title = legend.Label(name)
			one.Curves = []figures.Curve{curve(summary.Rows(rows[name]), one.Title, x, y.column)}
			all.Curves, small = append(all.Curves, one.Curves...), append(small, one)
		}
		charts = append(charts, all)
	}
	if len(names) <= mostCurves {
		return figures.Charts([][]figures.Chart{charts})
	}
	small = small[len(small)-len(names):] // of the last score
	for i := range small {
		small[i].Curves[0].Name = ""
	}
	return multiples(small)
}
