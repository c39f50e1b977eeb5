package study

import (
	"slices"
	"testing"

	store "closedform/runner/internal/oldstore"
)

func TestBrokenDown(t *testing.T) {
	rows := frame{&store.Table{Name: "summary", Header: []string{"variant", "failed"}, Rows: [][]string{
		{"a", "1"}, {"b", "0"}, {"a", "0"}, {"c", "1"}, {"c", "1"},
	}}}
	want := []string{
		"a broke down in 1 of 2 cells, and is scored there as equal probabilities",
		"c broke down in 2 of 2 cells, and is scored there as equal probabilities",
	}
	if got := brokenDown(rows, "variant"); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
