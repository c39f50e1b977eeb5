package ablation

import (
	"strconv"

	"closedform/core/softmax"
	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// heat is a row of maps over λ and ρ. A scale without ends has those of the data.
type heat struct {
	column string
	scale  figures.Axis
}

var momentsHeat = []heat{
	{"tv", figures.Axis{Label: "total variation of $p$", Log: true}},
	{"cov_error", figures.Axis{Label: "relative error of $Σ_y$", Log: true, Min: 0.01, Max: 10}},
	{"indefinite", figures.Axis{Label: "share of indefinite $Σ_y$", Max: 1}},
	{"asymmetry", figures.Axis{Label: "$|E_{ij} − E_{ji}|$"}},
	{"excess", figures.Axis{Label: "$|Σp − 1|$"}},
}

var learningHeat = []heat{
	{"accuracy", figures.Axis{Label: "accuracy"}},
	{"log_loss", figures.Axis{Label: "log loss, nats", Log: true, Min: 0.5, Max: 20}},
	{"indefinite_steps", figures.Axis{Label: "indefinite steps"}},
}

// Figures are "moments", a column of maps for each number of classes, and "learning", for each method.
func (e *experiment) Figures() []study.Figure {
	classes, legend := strconv.Itoa(e.Data.Task().Classes), learner.NewLegend(e.Methods)
	return []study.Figure{
		e.page("moments", "errors", "classes", momentsHeat, func(n string) (title, classes string) { return "$n$ = " + n, n }),
		e.page("learning", "summary", "method", learningHeat, func(method string) (title, _ string) { return legend.Label(method), classes }),
	}
}

// page draws a table over λ and ρ: a row of maps for each heat, and in a row a map for each value of the
// column by. Of returns the title of the map of a value, and its number of classes. The λ that have a
// word are drawn if the table marks has them for that number.
func (e *experiment) page(name, from, by string, heats []heat, of func(value string) (title, classes string)) study.Figure {
	return study.Figure{Name: name, Needs: []string{from, "marks"}, Draw: func(t table.Set) (*figures.Figure, error) {
		var rows []figures.Row
		all := t.Get(from)
		for _, h := range heats {
			row := figures.Row{Scale: h.scale.Spanning(all.Nums(h.column))}
			for _, value := range all.Distinct(by) {
				title, classes := of(value)
				m := figures.Map{Title: title, X: e.lambda, Y: e.rho, Z: all.Where(by, value).Nums(h.column)}
				if known := t.Get("marks").Where("classes", classes); known.Len() > 0 {
					for _, word := range softmax.Criteria {
						m.Curves = append(m.Curves, figures.Curve{Name: word + " $λ$", Kind: figures.Line, X: known.Nums(word), Y: known.Nums("rho")})
					}
				}
				row.Maps = append(row.Maps, m)
			}
			rows = append(rows, row)
		}
		return figures.Maps(rows, figures.Labels{X: "$λ$", Y: "$ρ$"}), nil
	}}
}
