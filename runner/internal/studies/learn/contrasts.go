package learn

import (
	"gonum.org/v1/gonum/floats"

	"closedform/runner/internal/metric"
	"closedform/runner/internal/table"
)

// contrast is a comparison of two methods that the manifest names.
type contrast struct {
	Method  string `toml:"method" allowed:"the name of a [[method]]"`
	Against string `toml:"against" allowed:"the name of a [[method]]"`
	Score   string `toml:"score,omitempty"` // log_loss, the default, or error
}

// contrasts tests the differences that the manifest names, with Holm's correction for their number. What is
// averaged is one difference for each set, if there are several, else one for each seed.
func (e *experiment) contrasts(runs *table.Table, units units) *table.Table {
	t := table.New("contrasts",
		table.Text("set", "the data set, or all"), table.Text("method", "the learner"),
		table.Text("against", "the one that it is compared with"), table.Text("score", "what is compared"),
		table.Num("difference", "mean score minus that of the other; negative is better"),
		table.Num("difference_low", "lower end of its 95 % interval"),
		table.Num("difference_high", "upper end of its 95 % interval"), table.RuleColumn(),
		table.Int("units", "how many are averaged"),
		table.Num("p", "two-sided p-value of no difference, by the same rule"),
		table.Num("p_holm", "the same, corrected for all rows by Holm's procedure"))
	estimates, p := make([]table.Estimate, len(e.Contrasts)), make([]float64, len(e.Contrasts))
	set, unit, overlap := allSets, "sets", 0.0
	if len(e.sets) == 1 {
		set = e.sets[0].Name
		unit, overlap = units(runs)
	}
	for i, c := range e.Contrasts {
		var x []float64
		for _, s := range e.sets {
			rows := runs.Where("set", s.Name)
			a, b := rows.Where("method", c.Method).Nums(c.Score), rows.Where("method", c.Against).Nums(c.Score)
			n := min(len(a), len(b)) // seeds that both have
			d := floats.SubTo(make([]float64, n), a[:n], b[:n])
			if x = append(x, table.Mean(d)); len(e.sets) == 1 {
				x = d
			}
		}
		estimates[i] = table.NewEstimate(x, overlap)
		p[i] = estimates[i].P()
	}
	for i, corrected := range metric.Holm(p) {
		c, d := e.Contrasts[i], estimates[i]
		t.Add(set, c.Method, c.Against, c.Score, d.Interval(), table.Rule(unit, overlap), d.N, p[i], corrected)
	}
	return t
}

// units says what the rows of a set are, "seeds" or "splits", and the overlap of [table.NewEstimate].
type units func(rows *table.Table) (unit string, overlap float64)

// units returns those of the sets. A generator draws new examples for each seed, and a published test part is
// the same for all.
func (e *experiment) units(runs *table.Table) units {
	overlap := map[string]float64{}
	for _, s := range e.sets {
		if rows := runs.Where("set", s.Name); s.TestFraction > 0 && rows.Len() > 0 {
			overlap[s.Name] = rows.Nums("test")[0] / rows.Nums("train")[0]
		}
	}
	return func(rows *table.Table) (string, float64) {
		if o := overlap[rows.Texts("set")[0]]; o > 0 {
			return "splits", o
		}
		return "seeds", 0
	}
}
