package dataset

import (
	"fmt"
	"maps"
	"math"
	"slices"
)

// complete returns the table without the rows that are left out, and their number: those with a missing
// cell, or with missing = "mean" those without a class, the first of the columns.
func (f Format) complete(t *Table, columns []int) (_ *Table, dropped int) {
	whole := *t
	whole.Cells, whole.Line = nil, nil
	for i, row := range t.Cells {
		first := slices.IndexFunc(columns, func(k int) bool { return IsMissing(row[k]) })
		if first < 0 || f.Missing == MissingMean && first > 0 {
			whole.Cells, whole.Line = append(whole.Cells, row), append(whole.Line, t.Line[i])
		} else {
			dropped++
		}
	}
	return &whole, dropped
}

// features returns the inputs that the columns become, and the names of the columns without a value, which
// are left out.
func (t *Table) features(columns []int, words []string) (features []Feature, empty []string) {
	for _, k := range columns {
		name, levels := t.Columns[k], map[string]bool{}
		for _, row := range t.Cells {
			if IsMissing(row[k]) {
				continue
			}
			level := row[k]
			if !slices.Contains(words, name) {
				level = "" // a number
			}
			levels[level] = true
		}
		if len(levels) == 0 {
			empty = append(empty, name)
		}
		for _, level := range slices.Sorted(maps.Keys(levels)) {
			features = append(features, Feature{name, level})
		}
	}
	return features, empty
}

// columns returns the numbers of the columns of features.
func (t *Table) columns(features []Feature) ([]int, error) {
	columns := make([]int, len(features))
	for j, f := range features {
		k, err := t.column(f.Column)
		if err != nil {
			return nil, err
		}
		columns[j] = k
	}
	return columns, nil
}

// inputs returns the values of features, row by row, NaN where they are missing, and which
// levels the table has that are none of these, such as "colour=red".
func (t *Table) inputs(features []Feature) (x []float64, unknown []string, err error) {
	columns, err := t.columns(features)
	if err != nil {
		return nil, nil, err
	}
	n := len(features)
	x = make([]float64, len(t.Cells)*n)
	known := map[Feature]bool{}
	for j, k := range columns {
		f := features[j]
		known[f] = true
		if f.Level == "" {
			numbers, wrong := t.numbers(k, t.layout)
			if wrong != nil {
				i := wrong[0]
				return nil, nil, fmt.Errorf("%s:%d: column %q: %.40q is not a number",
					t.File, t.Line[i], t.Columns[k], t.Cells[i][k])
			}
			for i, v := range numbers {
				x[i*n+j] = v
			}
			continue
		}
		for i, row := range t.Cells {
			switch {
			case row[k] == f.Level:
				x[i*n+j] = 1
			case IsMissing(row[k]):
				x[i*n+j] = math.NaN()
			}
		}
	}
	for j, k := range columns {
		for _, row := range t.Cells {
			if f := (Feature{t.Columns[k], row[k]}); features[j].Level != "" && !known[f] && !IsMissing(row[k]) {
				unknown = append(unknown, f.String())
			}
		}
	}
	slices.Sort(unknown)
	return x, slices.Compact(unknown), nil
}

// Rows returns the inputs of a table, whose columns are found by their names in any order
// among others, as the scaler makes them: ready for a network that has learned from
// examples it was applied to. A word that those did not have is 0 for all of its levels;
// unknown lists such words, as "colour=red".
func (s Scaler) Rows(t *Table) (x [][]float64, unknown []string, err error) {
	n := len(s.Features)
	if n == 0 {
		return nil, nil, fmt.Errorf("%s: the scaler was not fitted to a table, and knows no columns", t.File)
	}
	all, unknown, err := t.inputs(s.Features)
	if err != nil {
		return nil, nil, err
	}
	for i := range t.Cells {
		row := all[i*n : (i+1)*n : (i+1)*n]
		if j := slices.IndexFunc(row, math.IsNaN); j >= 0 && s.Fill == nil {
			k, _ := t.column(s.Features[j].Column)
			return nil, nil, fmt.Errorf(`%s:%d: column %q has no value: %q; allowed only after a training with `+
				`missing = "mean"`,
				t.File, t.Line[i], t.Columns[k], t.Cells[i][k])
		}
		s.scale(row)
		x = append(x, row)
	}
	return x, unknown, nil
}
