package plots

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"closedform/figures"
	check "closedform/internal/checktest"
	"closedform/internal/field"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// Charts show the chosen methods, or the first six; chosen ones that have no rows do not count.
func TestChosen(t *testing.T) {
	names := make([]string, 10)
	for i := range names {
		names[i] = fmt.Sprint("m", i)
	}
	for _, c := range []struct{ chosen, want []string }{
		{nil, names[:6]},
		{[]string{"m9", "m2"}, []string{"m2", "m9"}},
		{[]string{"x", "m3"}, []string{"m3"}},
		{[]string{"x"}, names[:6]},
	} {
		check.Equal(t, fmt.Sprint(c.chosen), Chosen{c.chosen}.Among(names), c.want)
	}
	check.Refuses(t, "nine", Chosen{names[:9]}.Validate(), `"m8"] is not allowed; allowed: at most eight`)
	check.Refuses(t, "twice", field.Resolve(&Chosen{slices.Repeat(names[:1], 2)}), `"m0" twice is not allowed`)
	check.Refuses(t, "unknown", Chosen{[]string{"x"}}.Check(names...), "figures.methods")
}

// A sweep has a map for each column that there is, with the values at their λ and ρ in whatever order.
func TestSweep(t *testing.T) {
	const rows = "lambda,rho,error\n2,0,2\n1,0,1\n1,0.5,+Inf\n2,0.5,12\n"
	swept := check.Must(table.Read("summary", strings.NewReader(rows)))
	var maps []figures.Map
	columns := []Column{{Name: "error"}, {Name: "none"}}
	draw := func(t *table.Table) *figures.Figure {
		return Sweep(columns, []*table.Table{t}, func(m *figures.Map, _ *table.Table) {
			m.Curves = append(Boundary([2][]float64{{1, 2}, {0, 0.5}}), Matched("lsq", m.X, m.Y))
			maps = append(maps, *m)
		})
	}
	figure := Drawing("sweep", "summary", draw)
	check.Equal(t, "needs", figure.Needs, []string{"summary"})
	check.True(t, figure.Draw(table.Tables{swept}) != nil, "no figure")
	check.Equal(t, "maps", len(maps), 1)
	got, want := [][]float64{maps[0].X, maps[0].Y, maps[0].Z}, [][]float64{{1, 2}, {0, 0.5}, {1, 2, math.Inf(1), 12}}
	check.Equal(t, "x, y and z", got, want)
	check.Equal(t, "lines", maps[0].Curves[1].Name, "least-squares $λ$")
}

func TestLegend(t *testing.T) {
	l := NewLegend([]learner.Method{{Name: "adf_exact", Label: "ADF, exact"}, {Name: "my_rule", Group: "adf"}})
	for name, want := range map[string]string{
		"adf_exact": "ADF, exact", "my_rule": "my rule", "your-own_rule": "your own rule",
	} {
		check.Equal(t, name, l.Label(name), want)
	}
	a, b, tagi := l.Group("adf_exact"), l.Group("my_rule"), l.Group("tagi")
	check.True(t, a > 0 && b == a && l.Group("adf-diagonal") == a && tagi != a, "groups %d, %d, %d", a, b, tagi)
}
