package moments

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/mathext"

	"closedform/core/softmax"
	"closedform/figures"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Figures are maps of definite matrices, quantiles of z-scores, maps of errors over λ and ρ, or charts of
// errors against the variance.
func (e *experiment) Figures() (out []study.Figure) {
	s, numbers := &e.Moments, 0
	for _, l := range s.Lambda {
		if l.Word == "" {
			numbers++
		}
	}
	switch {
	case s.Against == "montecarlo":
		return []study.Figure{study.Drawing("qq", "zscores", qq)}
	case len(s.Gap) > 0:
		return []study.Figure{{Name: "stability", Needs: []string{"maps"}, Draw: stability}}
	case slices.Contains(s.Methods, "probit") && numbers > 1 && len(s.Rho) > 1 && len(s.Spread) == 1 && len(s.Variance) == 1:
		return []study.Figure{{Name: "moments", Needs: []string{"errors", "lambda"}, Draw: overLambda}}
	}
	for _, spread := range s.Spread {
		for _, c := range columns[:3] {
			name := fmt.Sprintf("%s_spread_%s", c.name, table.Format(spread))
			out = append(out, study.Drawing(name, "errors", func(errors *table.Table) *figures.Figure {
				return charts(errors.Where("spread", spread), c.name, c.scale.Label)
			}))
		}
	}
	return out
}

// columns are those of errors that are drawn, with their scales on maps; charts have the first three.
var columns = []struct {
	name  string
	scale figures.Axis
}{
	{"tv", figures.Axis{Label: "total variation of $p$", Log: true}},
	{"cov_error", figures.Axis{Label: "relative error of $Σ_y$", Log: true, Min: 0.01, Max: 10}},
	{"cross_error", figures.Axis{Label: "relative error of $Σ_{zy}$", Log: true, Min: 0.01, Max: 10}},
	{"indefinite", figures.Axis{Label: "share of indefinite $Σ_y$", Max: 1}},
	{"asymmetry", figures.Axis{Label: "$|E_{ij} − E_{ji}|$"}},
	{"excess", figures.Axis{Label: "$|Σp − 1|$"}},
}

// charts draws a column against the variance: a column of charts for each number of classes, and a row for every
// few methods.
func charts(errors *table.Table, column, label string) *figures.Figure {
	var rows [][]figures.Chart
	for _, n := range errors.Distinct("classes") {
		chart := figures.Chart{
			Title: fmt.Sprintf("$n$ = %s", n),
			X:     figures.Axis{Label: "variance $v$", Log: true},
			Y:     figures.Axis{Label: label, Log: true, Min: 1e-4, Max: 10}, // on all pages
		}
		for i, r := range errors.Where("classes", n).GroupBy("method", "rho").All() {
			c := figures.Curve{Group: 1 + i%figures.Groups, X: r.Nums("variance"), Y: r.Nums(column)}
			c.Name = strings.ReplaceAll(r.Texts("method")[0], "-", " ")
			if strings.HasPrefix(c.Name, "monte carlo") {
				c.Group, c.Kind = 0, figures.Reference
			}
			if !strings.HasPrefix(c.Name, "exact") && len(numbers(r.Nums(column))) > 0 { // below the axis everywhere; not given
				chart.Curves = append(chart.Curves, c)
			}
		}
		const perChart = 5 // methods
		for i, c := range chart.Split(perChart) {
			if i == len(rows) {
				rows = append(rows, nil)
			}
			rows[i] = append(rows[i], c)
		}
	}
	return figures.Charts(rows)
}

// heat returns a column of a table as a map over two others, which must be a grid.
func heat(t *table.Table, x, y, z string) (m figures.Map, err error) {
	xs, ys := t.Nums(x), t.Nums(y)
	m.X, m.Y = slices.Compact(slices.Sorted(slices.Values(xs))), slices.Compact(slices.Sorted(slices.Values(ys)))
	if len(m.X) < 2 || len(m.Y) < 2 || len(m.X)*len(m.Y) != t.Len() {
		return m, fmt.Errorf("the rows of %s are no grid of %s and %s", t.Name, x, y)
	}
	m.Z = make([]float64, t.Len())
	for k, value := range t.Nums(z) {
		i, _ := slices.BinarySearch(m.X, xs[k])
		j, _ := slices.BinarySearch(m.Y, ys[k])
		m.Z[j*len(m.X)+i] = value
	}
	return m, nil
}

// overLambda draws errors of the probit over λ and ρ: a row of maps for each column, and in a row a map for each
// number of classes, with lines of the λ that have a word.
func overLambda(t table.Set) (*figures.Figure, error) {
	var rows []figures.Row
	errors := t.Get("errors").Where("method", "probit")
	for _, c := range columns {
		row := figures.Row{Scale: c.scale.Spanning(errors.Nums(c.name))}
		for _, n := range errors.Distinct("classes") {
			m, err := heat(errors.Where("classes", n), "lambda", "rho", c.name)
			if err != nil {
				return nil, err
			}
			m.Title = "$n$ = " + n
			for _, word := range softmax.Criteria {
				known := t.Get("lambda").Where("classes", n).Where("criterion", word)
				m.Curves = append(m.Curves, figures.Curve{
					Name: word + " $λ$", Kind: figures.Line, X: known.Nums("lambda"), Y: known.Nums("rho"),
				})
			}
			row.Maps = append(row.Maps, m)
		}
		rows = append(rows, row)
	}
	return figures.Maps(rows, figures.Labels{X: "$λ$", Y: "$ρ$"}), nil
}

// stability draws a row of maps for every number of classes, and a column for every probit. The colour is the
// share of draws for which Σ_y is positive definite; where most are undecided, it is that below the scale.
func stability(t table.Set) (*figures.Figure, error) {
	var rows []figures.Row
	for _, n := range t.Get("maps").Distinct("classes") {
		row := figures.Row{Scale: figures.Axis{Label: "share definite, $n$ = " + n, Max: 1}}
		for _, rows := range t.Get("maps").Where("classes", n).GroupBy("method", "lambda", "rho").All() {
			m, err := heat(rows, "gap", "variance", "definite")
			open, err2 := heat(rows, "gap", "variance", "undecided")
			if err = cmp.Or(err, err2); err != nil {
				return nil, err
			}
			lambda := rows.Nums("lambda")[0]
			m.LogY, m.Title = true, "$λ$ = "+probit.Decimal(lambda)
			if _, word, ok := strings.Cut(rows.Texts("method")[0], "-"); ok {
				m.Title = fmt.Sprintf("%s: $λ$ = %.3f", word, lambda)
			}
			for i, share := range open.Z {
				if share > 0.5 {
					m.Z[i] = -1
				}
			}
			if n == "2" {
				c := figures.Curve{Name: "analytic boundary for $n$ = 2", Kind: figures.Reference}
				c.Y = spaced(m.Y[0], m.Y[len(m.Y)-1], 4*len(m.Y))
				for _, v := range c.Y {
					c.X = append(c.X, twoClasses(lambda).boundary(v))
				}
				m.Curves = []figures.Curve{c}
			}
			row.Maps = append(row.Maps, m)
		}
		rows = append(rows, row)
	}
	return figures.Maps(rows, figures.Labels{X: "gap of the logits", Y: "variance $v$", Below: "most draws undecided"}), nil
}

// qq draws the quantiles of the z-scores against those of the normal distribution, a chart for each formula:
// the first of every cell, which are independent.
func qq(zscores *table.Table) *figures.Figure {
	limit, row := 4., []figures.Chart{}
	for _, z := range independent(zscores) {
		limit = max(limit, math.Ceil(math.Abs(z)))
	}
	for _, rows := range zscores.GroupBy("method").All() {
		z := slices.Sorted(slices.Values(independent(rows)))
		c := figures.Curve{Name: "Monte Carlo", Kind: figures.Scatter, Y: z}
		for k := range z {
			c.X = append(c.X, mathext.NormalQuantile((float64(k)+0.5)/float64(len(z))))
		}
		ends := []float64{-limit, limit}
		row = append(row, figures.Chart{
			Title:  strings.ReplaceAll(rows.Texts("method")[0], "-", " "),
			Curves: []figures.Curve{c, {Name: "normal", Kind: figures.Reference, X: ends, Y: ends}},
			X:      figures.Axis{Label: "normal quantile", Min: -limit, Max: limit},
			Y:      figures.Axis{Label: "$z$, one of each input", Min: -limit, Max: limit},
		})
	}
	return figures.Charts([][]figures.Chart{row})
}
