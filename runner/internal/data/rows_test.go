package data

import (
	"slices"
	"testing"

	"closedform/runner/dataset"
)

func TestSplitRows(t *testing.T) {
	e := dataset.NewExamples(Set{X: make([][]float64, 6), Class: []int{0, 1, 0, 1, 0, 1}}, 2)
	for text, want := range map[string][2][]int{
		"1-3": {{0, 1, 2}, {3, 4, 5}},
		"3-4": {{2, 3}, {0, 1, 4, 5}},
		"2-6": {{1, 2, 3, 4, 5}, {0}},
	} {
		train, test, err := splitRows(e, text)
		if err != nil || !slices.Equal(train, want[0]) || !slices.Equal(test, want[1]) {
			t.Errorf("%s: %v and %v, %v, want %v", text, train, test, err, want)
		}
	}
	for _, text := range []string{"", "a", "1-2-3", "0-3", "4-3", "1-7", "1-6", "5-", "-5", "1-1e1", "1–3", "9223372036854775809-9223372036854775810"} {
		train, test, err := splitRows(e, text)
		refuses(t, text, err, "allowed: ")
		if train != nil || test != nil {
			t.Errorf("%q: %v and %v beside an error", text, train, test)
		}
	}
}
