package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"closedform/internal/field"
)

// Format says which columns of a table are what.
type Format struct {
	// Class is the column of classes, by default "class".
	Class   string  `toml:"class,omitempty" json:"class,omitempty"`
	Missing Missing `toml:"missing,omitempty" json:"missing,omitempty"`
	// Categorical are columns of words, each of which becomes an input, 1 or 0.
	Categorical []string `toml:"categorical,omitempty" json:"categorical,omitempty"`
	// Ignore are columns that are no inputs. All others are numbers.
	Ignore []string `toml:"ignore,omitempty" json:"ignore,omitempty"`
}

// Missing says what becomes of cells that are empty, NA, N/A, NaN, null or ?. "" stands for
// MissingError.
type Missing string

const (
	MissingError Missing = "error" // they are errors
	MissingDrop  Missing = "drop"  // their rows are left out
	MissingMean  Missing = "mean"  // the mean of a training part stands for them, see Scaler; rows without a class are left out
)

// Validate returns an error for an unknown word, and for a column of two kinds.
func (f Format) Validate() error {
	if err := field.OneOf("missing", cmp.Or(f.Missing, MissingError), MissingError, MissingDrop, MissingMean); err != nil {
		return err
	}
	for _, c := range f.Categorical {
		if slices.Contains(f.Ignore, c) {
			return field.Errorf("ignore", "%q is in categorical, too; allowed: in one of them", c)
		}
	}
	if class := cmp.Or(f.Class, "class"); slices.Contains(slices.Concat(f.Categorical, f.Ignore), class) {
		return field.Errorf("class", "%q is in categorical or ignore, too; allowed: a column of its own", class)
	}
	return nil
}

// Feature is where an input comes from: a column of numbers, or a level of a categorical
// one, which is 1 where the cell has it and else 0.
type Feature struct {
	Column string `json:"column"`
	Level  string `json:"level,omitempty"`
}

func (f Feature) String() string {
	if f.Level == "" {
		return f.Column
	}
	return f.Column + "=" + f.Level
}

// Read returns the examples of a file.
func (f Format) Read(path string) (*Examples, error) {
	t, err := ReadTable(path)
	if err != nil {
		return nil, err
	}
	return f.Examples(t, nil)
}

// Examples returns the rows of a table, with the levels that its categorical columns have,
// in alphabetical order. If these are test examples for others, like is not nil: they have the
// inputs of those, whose columns are found by their names, and a word that those do not have
// is 0 for all of its levels. An error has the name of the file, and the line or the key.
func (f Format) Examples(t *Table, like *Examples) (*Examples, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	class, err := t.column(cmp.Or(f.Class, "class"))
	if err != nil {
		return nil, err
	}
	var inputs []int // columns
	var features []Feature
	least := 1 // classes
	if like == nil {
		inputs, err = f.inputs(t, class)
		least = 2
	} else {
		features = like.Features()
		inputs, err = t.columns(features)
	}
	if err != nil {
		return nil, err
	}
	t, dropped, err := f.complete(t, append([]int{class}, inputs...))
	if err != nil {
		return nil, err
	}
	if like == nil {
		if features, err = f.features(t, inputs); err != nil {
			return nil, err
		}
	}
	e := &Examples{row: upTo(len(t.Cells)), values: &values{
		file: t.File, width: len(features), features: features, line: t.Line,
		impute: f.Missing == MissingMean, dropped: dropped,
	}}
	if e.values.number, e.values.unknown, err = t.inputs(features); err != nil {
		return nil, err
	}
	number := map[string]int{}
	for _, row := range t.Cells {
		k, ok := number[row[class]]
		if !ok {
			k = len(number)
			number[row[class]], e.classes = k, append(e.classes, row[class])
		}
		e.class = append(e.class, k)
	}
	if len(e.classes) < least {
		return nil, fmt.Errorf("%s: %d examples of %d classes; need at least %d classes", t.File, e.Len(), len(e.classes), least)
	}
	return e.renumbered(e.present())
}

// inputs returns the numbers of the columns that are inputs.
func (f Format) inputs(t *Table, class int) (columns []int, err error) {
	for i, names := range [][]string{f.Categorical, f.Ignore} {
		for _, name := range names {
			if _, err := t.column(name); err != nil {
				return nil, field.Errorf([]string{"categorical", "ignore"}[i], "%v", err)
			}
		}
	}
	for k, name := range t.Columns {
		if k != class && !slices.Contains(f.Ignore, name) {
			columns = append(columns, k)
		}
	}
	if columns == nil {
		return nil, fmt.Errorf("%s:%d: no inputs beside the class %q", t.File, t.header, t.Columns[class])
	}
	return columns, nil
}

// complete returns the table without the rows that are left out, and their number. The
// class is the first of the columns.
func (f Format) complete(t *Table, columns []int) (_ *Table, dropped int, err error) {
	whole := *t
	whole.Cells, whole.Line = nil, nil
	for i, row := range t.Cells {
		at := slices.IndexFunc(columns, func(k int) bool { return IsMissing(row[k]) })
		switch {
		case at < 0, f.Missing == MissingMean && at > 0:
			whole.Cells, whole.Line = append(whole.Cells, row), append(whole.Line, t.Line[i])
		case f.Missing == MissingDrop, f.Missing == MissingMean:
			dropped++
		default:
			k := columns[at]
			return nil, 0, t.errorf(i, k, ` is missing: %q; allowed: values, or missing = "drop" (the row) or "mean"`+
				` (of inputs) in place of "error"`, row[k])
		}
	}
	return &whole, dropped, nil
}

// features returns the inputs that the columns become.
func (f Format) features(t *Table, columns []int) (features []Feature, err error) {
	for _, k := range columns {
		name, levels := t.Columns[k], map[string]bool{"": true} // "": a number
		if slices.Contains(f.Categorical, name) {
			clear(levels)
			for _, row := range t.Cells {
				if !IsMissing(row[k]) {
					levels[row[k]] = true
				}
			}
		}
		if len(levels) == 0 {
			return nil, fmt.Errorf("%s:%d: column %q has no value in %d rows; ignore = [%[3]q] leaves it out",
				t.File, t.header, name, len(t.Cells))
		}
		for _, level := range slices.Sorted(maps.Keys(levels)) {
			features = append(features, Feature{name, level})
		}
	}
	return features, nil
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
	words := map[int]map[string]int{} // the input of each level, by column
	for j, k := range columns {
		if level := features[j].Level; level == "" {
			err = cmp.Or(err, t.numbers(k, func(row int, v float64) { x[row*n+j] = v }))
		} else if words[k] == nil {
			words[k] = map[string]int{level: j}
		} else {
			words[k][level] = j
		}
	}
	for k, input := range words {
		for i, row := range t.Cells {
			if j, ok := input[row[k]]; ok {
				x[i*n+j] = 1
			} else if !IsMissing(row[k]) {
				unknown = append(unknown, Feature{t.Columns[k], row[k]}.String())
			} else {
				for _, j := range input {
					x[i*n+j] = math.NaN()
				}
			}
		}
	}
	slices.Sort(unknown)
	return x, slices.Compact(unknown), err
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
			return nil, nil, t.errorf(i, k, ` is missing: %q; allowed where the training had missing = "mean" only`,
				t.Cells[i][k])
		}
		s.scale(row)
		x = append(x, row)
	}
	return x, unknown, nil
}
