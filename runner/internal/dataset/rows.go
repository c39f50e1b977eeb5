package dataset

import (
	"fmt"
	"strconv"
	"strings"
)

// Range is a range of rows, counted from 1. Both ends are part of it.
type Range struct{ First, Last int }

// Rows are the rows of a training part.
type Rows []Range

// ParseRows reads ranges of rows such as "1-7494", "1-100,201-300" or "7".
func ParseRows(s string) (Rows, error) {
	var rows Rows
	for part := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		low, err := parseRow(first)
		high, err2 := parseRow(last)
		if err != nil || err2 != nil || low > high {
			return nil, fmt.Errorf("dataset: rows %q: %q is not a range; allowed: FIRST-LAST with 1 ≤ FIRST ≤ LAST, or several, separated by commas", s, part)
		}
		rows = append(rows, Range{low, high})
	}
	return rows, nil
}

func parseRow(s string) (int, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(s), 10, strconv.IntSize-1)
	if err == nil && n == 0 {
		err = strconv.ErrRange
	}
	return int(n), err
}

// Split returns the numbers, from 0, of those of n examples that the rows name,
// and of the rest, which is the test part, each in ascending order. It returns an
// error if a range is not within 1 to n, two ranges overlap, or one part is empty.
func (r Rows) Split(n int) (train, test []int, err error) {
	in := make([]bool, n)
	for _, rg := range r {
		if rg.First < 1 || rg.First > rg.Last || rg.Last > n {
			return nil, nil, fmt.Errorf("dataset: rows %d-%d; allowed: from 1 to %d", rg.First, rg.Last, n)
		}
		for i := rg.First - 1; i < rg.Last; i++ {
			if in[i] {
				return nil, nil, fmt.Errorf("dataset: row %d is in two ranges", i+1)
			}
			in[i] = true
		}
	}
	return split(in)
}
