package study

import (
	"fmt"
	"slices"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/table"
)

// Charts show the chosen methods, or the first eight; chosen ones that have no rows do not count.
func TestChosen(t *testing.T) {
	methods := table.New("t", table.Text("method", ""), table.Int("k", ""))
	for i := range 20 {
		methods.Add(fmt.Sprint("m", i%10), i)
	}
	names := methods.Distinct("method")
	for _, c := range []struct{ chosen, want []string }{
		{nil, names[:8]},
		{[]string{"m9", "m2"}, []string{"m2", "m9"}},
		{[]string{"x", "m3"}, []string{"m3"}},
		{[]string{"x"}, names[:8]},
	} {
		shown := Chosen{c.chosen}.Rows(methods, names)
		check.Equal(t, fmt.Sprint(c.chosen), shown.Distinct("method"), c.want)
		check.Equal(t, "rows", shown.Len(), 2*len(c.want))
	}
	check.Refuses(t, "nine", Chosen{names[:9]}.Validate(), "methods: 9 of them; allowed: at most 8")
	check.Refuses(t, "twice", Chosen{slices.Repeat(names[:1], 2)}.Validate(), "m0 comes twice")
	check.Refuses(t, "unknown", Chosen{[]string{"x"}}.Check(names...), "figures.methods")
}
