package ablation

import (
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

var learningHeat = []heat{
	{"accuracy", figures.Axis{Label: "accuracy"}},
	{"log_loss", figures.Axis{Label: "log loss, nats", Log: true, Min: 0.5, Max: 20}},
	{"indefinite_steps", figures.Axis{Label: "indefinite steps"}},
}

// Figures are "learning", a row of maps for each heat, and in a row a map for each method.
func (e *experiment) Figures() []study.Figure {
	legend := learner.NewLegend(e.Methods)
	return []study.Figure{study.Drawing("learning", "summary", func(all *table.Table) *figures.Figure {
		var rows []figures.Row
		for _, h := range learningHeat {
			row := figures.Row{Scale: h.scale.Spanning(all.Nums(h.column))}
			for _, method := range all.Distinct("method") {
				z := all.Where("method", method).Nums(h.column)
				row.Maps = append(row.Maps, figures.Map{Title: legend.Label(method), X: e.lambda, Y: e.rho, Z: z})
			}
			rows = append(rows, row)
		}
		return figures.Maps(rows, figures.Labels{X: "$λ$", Y: "$ρ$"})
	})}
}
