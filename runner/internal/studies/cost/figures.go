package cost

import (
	"fmt"
	"math"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "timing_cost": time against size, a chart for each axis with the slopes above it.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{{
		Name: "timing_cost", Needs: []string{"timing_cost", "timing_slopes"},
		Draw: func(t table.Set) (*figures.Figure, error) {
			rows := make([][]figures.Chart, 2)
			for i, axis := range e.Cost.axes() {
				rows[i/2] = append(rows[i/2], e.chart(t, axis))
			}
			return figures.Charts(rows), nil
		},
	}}
}

func (e *experiment) chart(t table.Set, axis axis) figures.Chart {
	c := figures.Chart{X: figures.Axis{Label: axis.label, Log: true}, Y: figures.Axis{Label: axis.words, Log: true}}
	legend := learner.NewLegend(e.models)
	var slopes []string
	for _, m := range e.models {
		rows := t.Get("timing_cost").Where("axis", axis.name).Where("method", m.Name)
		c.Curves = append(c.Curves, figures.Curve{Name: legend.Label(m.Name), Group: legend.Group(m.Name), X: rows.Nums("size"), Y: rows.Nums(axis.time)})
		s := t.Get("timing_slopes").Where("axis", axis.name).Where("method", m.Name).Nums("slope")[0]
		if !math.IsNaN(s) {
			slopes = append(slopes, fmt.Sprintf("%s %.2f", m.Name, s))
		}
	}
	c.Title = "slopes: " + strings.Join(slopes, ", ")
	return c
}
