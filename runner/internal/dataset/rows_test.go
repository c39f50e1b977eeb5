package dataset

import (
	"fmt"
	"slices"
	"testing"
)

func TestParseRows(t *testing.T) {
	for s, want := range map[string]Rows{
		"1-7494":               {{1, 7494}},
		"1-100,201-300":        {{1, 100}, {201, 300}},
		" 201 - 300 , 1-100,7": {{201, 300}, {1, 100}, {7, 7}},
	} {
		got, err := ParseRows(s)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%q: %v, %v, want %v", s, got, err, want)
		}
	}
	for s, part := range map[string]string{
		"":                      "",
		"1-2,":                  "",
		"a":                     "a",
		"1-2,-3":                "-3",
		"5-":                    "5-",
		"1-2-3":                 "1-2-3",
		"0-3":                   "0-3",
		"7-3":                   "7-3",
		"1-+3":                  "1-+3",
		"1-1e3":                 "1-1e3",
		"1-9223372036854775808": "1-9223372036854775808",
		"9223372036854775809-9223372036854775810": "9223372036854775809-9223372036854775810",
		"1–3": "1–3",
	} {
		got, err := ParseRows(s)
		refuses(t, s, err, fmt.Sprintf("dataset: rows %q: %q is not a range; allowed: FIRST-LAST with 1 ≤ FIRST ≤ LAST, or several, separated by commas", s, part))
		if got != nil {
			t.Errorf("%q: %v beside an error", s, got)
		}
	}
}

func TestRowsSplit(t *testing.T) {
	for _, c := range []struct {
		rows        Rows
		train, test []int
	}{
		{Rows{{1, 3}}, []int{0, 1, 2}, []int{3, 4, 5}},
		{Rows{{6, 6}, {1, 1}, {3, 4}}, []int{0, 2, 3, 5}, []int{1, 4}},
		{Rows{{2, 6}}, []int{1, 2, 3, 4, 5}, []int{0}},
	} {
		train, test, err := c.rows.Split(6)
		if err != nil || !slices.Equal(train, c.train) || !slices.Equal(test, c.test) {
			t.Errorf("%v: %v and %v, %v, want %v and %v", c.rows, train, test, err, c.train, c.test)
		}
	}
	for _, c := range []struct {
		rows Rows
		want string
	}{
		{nil, "dataset: no rows of 6 are for training"},
		{Rows{{1, 6}}, "dataset: no rows of 6 are left for testing"},
		{Rows{{4, 6}, {1, 3}}, "dataset: no rows of 6 are left for testing"},
		{Rows{{1, 7}}, "dataset: rows 1-7; allowed: from 1 to 6"},
		{Rows{{0, 3}}, "dataset: rows 0-3; allowed: from 1 to 6"},
		{Rows{{3, 2}}, "dataset: rows 3-2; allowed: from 1 to 6"},
		{Rows{{1, 1 << 62}}, "dataset: rows 1-4611686018427387904; allowed: from 1 to 6"},
		{Rows{{1, 3}, {3, 4}}, "dataset: row 3 is in two ranges"},
		{Rows{{2, 2}, {1, 3}}, "dataset: row 2 is in two ranges"},
	} {
		train, test, err := c.rows.Split(6)
		refuses(t, fmt.Sprint(c.rows), err, c.want)
		if train != nil || test != nil {
			t.Errorf("%v: %v and %v beside an error", c.rows, train, test)
		}
	}
}

// What is read splits into parts that have every row once, or not at all.
func FuzzParseRows(f *testing.F) {
	for _, s := range []string{"1-7494", "1-100,201-300", "7", "3-2", ",", " 1 - 2 , 5-9"} {
		f.Add(s, 300)
	}
	f.Fuzz(func(t *testing.T, s string, n int) {
		rows, err := ParseRows(s)
		if err != nil || n < 0 || n > 1e4 {
			return
		}
		var named int
		for _, r := range rows {
			named += r.Last - r.First + 1
		}
		train, test, err := rows.Split(n)
		if err != nil {
			return
		}
		all := slices.Sorted(slices.Values(slices.Concat(train, test)))
		if len(train) != named || len(test) == 0 || !slices.Equal(all, upTo(n)) {
			t.Fatalf("%q of %d: %v and %v", s, n, train, test)
		}
	})
}
