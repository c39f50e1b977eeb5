package claims

import (
	"fmt"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are "intervals": the claims with their evidence against the thresholds.
func (e *experiment) Figures() []study.Figure {
	return []study.Figure{{Name: "intervals", Needs: []string{"claims", "evidence"}, Draw: func(t table.Set) (*figures.Figure, error) {
		return figures.Intervals(groups(t.Get("claims"), t.Get("evidence"))), nil
	}}}
}

func groups(claims, evidence *table.Table) (out []figures.IntervalGroup) {
	for i, name := range claims.Texts("claim") {
		g := figures.IntervalGroup{
			Title: fmt.Sprintf("%s (%s)", strings.TrimSuffix(claims.Texts("sentence")[i], "."), claims.Texts("where")[i]),
			Note:  claims.Texts("verdict")[i],
		}
		if verdict, _, partly := strings.Cut(g.Note, " with "); partly {
			g.Note = verdict + " with conditions"
		}
		of := evidence.Where("claim", name)
		value, low, high, threshold := of.Nums("value"), of.Nums("low"), of.Nums("high"), of.Nums("threshold")
		for k, verdict := range of.Texts("verdict") {
			g.Intervals = append(g.Intervals, figures.Interval{
				Key: verdict, Value: value[k], Low: low[k], High: high[k],
				Threshold: threshold[k], Above: of.Texts("sense")[k] == "above",
			})
		}
		out = append(out, g)
	}
	return out
}
