package stability

import (
	"fmt"
	"slices"

	"closedform/figures"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "stability": a row for every number of classes, a column for every
// λ. The colour is the share of draws for which Σ_y is positive definite; where
// more than half are undecided, it is that below the scale.
func (e *experiment) Figures() []study.Figure {
	needs := []string{"maps"}
	if slices.Contains(e.Stability.Classes, 2) {
		needs = append(needs, "boundary")
	}
	return []study.Figure{{Name: "stability", Needs: needs, Draw: func(t table.Set) (*figures.Figure, error) {
		var rows []figures.Row
		for _, n := range e.Stability.Classes {
			row := figures.Row{Scale: figures.Axis{Label: fmt.Sprintf("share definite, $n$ = %d", n), Max: 1}}
			for _, lambda := range e.Stability.Lambda {
				m := e.panel(t.Get("maps").Where("classes", n).Where("lambda", lambda.String()), lambda)
				if n == 2 {
					b := t.Get("boundary").Where("lambda", lambda.String())
					m.Curves = []figures.Curve{{
						Name: "analytic boundary for $n$ = 2", Kind: figures.Reference, X: b.Nums("gap"), Y: b.Nums("variance"),
					}}
				}
				row.Maps = append(row.Maps, m)
			}
			rows = append(rows, row)
		}
		return figures.Maps(rows, figures.Labels{X: "gap of the logits", Y: "variance $v$", Below: "most draws undecided"}), nil
	}}}
}

// panel returns the map of one number of classes and one λ.
func (e *experiment) panel(t *table.Table, lambda probit.Lambda) figures.Map {
	m := figures.Map{Title: "$λ$ = " + lambda.String(), X: t.Nums("gap")[:e.Stability.Grid], Z: t.Nums("definite"), LogY: true}
	if lambda.Word != "" {
		m.Title = fmt.Sprintf("%s: $λ$ = %.3f", lambda, t.Nums("lambda_value")[0])
	}
	for i, v := range t.Nums("variance") {
		if i%len(m.X) == 0 {
			m.Y = append(m.Y, v)
		}
	}
	const below = -1
	for i, share := range t.Nums("undecided") {
		if share > 0.5 {
			m.Z[i] = below
		}
	}
	return m
}
