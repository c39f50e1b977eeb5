package study

import (
	"fmt"
	"strconv"

	figures "closedform/runner/internal/oldfigures"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/store"
)

// figures draws the page "stability" from the tables alone: a row for every
// number of classes, a column for every λ. The colour is the share of draws for
// which Σ_y is positive definite; where more than half are undecided, it is that
// below the scale.
func (s *stability) figures(tables []store.Table) []Figure {
	table := find(tables, "stability")
	var rows []figures.Row
	for _, n := range s.m.Stability.Classes {
		row := figures.Row{Scale: figures.Scale{Label: fmt.Sprintf("share definite, $n$ = %d", n), Max: 1}}
		for _, lambda := range s.m.Stability.Lambda {
			m := s.drawing(table.where("classes", strconv.Itoa(n)).where("lambda", lambda.String()), lambda)
			if n == 2 {
				b := find(tables, "boundary").where("lambda", lambda.String())
				m.Curves = []figures.Curve{{
					Name: "analytic boundary for $n$ = 2", Style: figures.Reference,
					X: b.floats("gap"), Y: b.floats("variance"),
				}}
			}
			row.Maps = append(row.Maps, m)
		}
		rows = append(rows, row)
	}
	return []Figure{{"stability", figures.Page(rows, figures.Labels{
		X: "gap of the logits", Y: "variance $v$", Below: "most draws undecided",
	})}}
}

// drawing returns the map of one number of classes and one λ.
func (s *stability) drawing(t frame, lambda manifest.Lambda) figures.Map {
	m := figures.Map{
		Title: "$λ$ = " + lambda.String(),
		X:     t.floats("gap")[:s.m.Stability.Grid],
		Z:     t.floats("definite"),
		LogY:  true,
	}
	if lambda.Word != "" {
		m.Title = fmt.Sprintf("%s: $λ$ = %.3f", lambda, t.floats("lambda_value")[0])
	}
	for i, v := range t.floats("variance") {
		if i%len(m.X) == 0 {
			m.Y = append(m.Y, v)
		}
	}
	const below = -1
	for i, share := range t.floats("undecided") {
		if share > 0.5 {
			m.Z[i] = below
		}
	}
	return m
}
