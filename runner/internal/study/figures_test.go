package study

import (
	"fmt"
	"slices"
	"testing"

	check "closedform/internal/checktest"
)

// Charts show the chosen methods, or the first eight; chosen ones that have no rows do not count.
func TestChosen(t *testing.T) {
	names := make([]string, 10)
	for i := range names {
		names[i] = fmt.Sprint("m", i)
	}
	for _, c := range []struct{ chosen, want []string }{
		{nil, names[:8]},
		{[]string{"m9", "m2"}, []string{"m2", "m9"}},
		{[]string{"x", "m3"}, []string{"m3"}},
		{[]string{"x"}, names[:8]},
	} {
		check.Equal(t, fmt.Sprint(c.chosen), Chosen{c.chosen}.Among(names), c.want)
	}
	check.Refuses(t, "nine", Chosen{names[:9]}.Validate(), "methods: 9 of them; allowed: at most 8")
	check.Refuses(t, "twice", Chosen{slices.Repeat(names[:1], 2)}.Validate(), "m0 comes twice")
	check.Refuses(t, "unknown", Chosen{[]string{"x"}}.Check(names...), "figures.methods")
}
