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

// Missing says what becomes of cells that are empty, NA, NaN, null or ?. "" stands for
// MissingError.
type Missing string

const (
	MissingError Missing = "error" // they are errors
	MissingDrop  Missing = "drop"  // their rows are left out
	MissingMean  Missing = "mean"  // the mean of a training part stands for them, see Scaler; rows without a class are left out
)

// Validate returns an error for an unknown word, and for a column of two kinds.
func (f Format) Validate() error {
	if !slices.Contains([]Missing{"", MissingError, MissingDrop, MissingMean}, f.Missing) {
		return field.Errorf("missing", "%q is not allowed; allowed: error, drop, mean", string(f.Missing))
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
	return f.Examples(t)
}

// Examples returns the rows of a table, with the levels that its categorical columns have,
// in alphabetical order. An error has the name of the file, and the line or the key.
func (f Format) Examples(t *Table) (*Examples, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	class, err := t.column(cmp.Or(f.Class, "class"))
	if err != nil {
		return nil, err
	}
	inputs, err := f.inputs(t, class)
	if err != nil {
		return nil, err
	}
	t, dropped, err := f.complete(t, append([]int{class}, inputs...))
	if err != nil {
		return nil, err
	}
	var features []Feature
	for _, k := range inputs {
		of := f.features(t, k)
		if of == nil {
			return nil, fmt.Errorf("%s:%d: column %q has no value in %d rows; ignore = [%[3]q] leaves it out",
				t.File, t.header, t.Columns[k], len(t.Cells))
		}
		features = append(features, of...)
	}
	x, _, err := t.inputs(features)
	if err != nil {
		return nil, err
	}
	e := &Examples{values: &values{
		file: t.File, width: len(features), features: features, line: t.Line,
		impute: f.Missing == MissingMean, dropped: dropped,
	}}
	for i, row := range t.Cells {
		e.values.number = append(e.values.number, x[i]...)
		k := slices.Index(e.classes, row[class])
		if k < 0 {
			k, e.classes = len(e.classes), append(e.classes, row[class])
		}
		e.class = append(e.class, k)
	}
	if len(e.classes) < 2 {
		return nil, fmt.Errorf("%s: %d examples of %d classes; need at least 2 classes",
			t.File, len(e.class), len(e.classes))
	}
	e.row = upTo(len(e.class))
	return e.renumbered(e.present())
}

// inputs returns the numbers of the columns that are inputs.
func (f Format) inputs(t *Table, class int) (columns []int, err error) {
	for _, named := range []struct {
		key     string
		columns []string
	}{{"categorical", f.Categorical}, {"ignore", f.Ignore}} {
		for _, name := range named.columns {
			if _, err := t.column(name); err != nil {
				return nil, field.Errorf(named.key, "%v", err)
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
		at := slices.IndexFunc(columns, func(k int) bool { return missing(row[k]) })
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

// features returns the inputs that a column becomes.
func (f Format) features(t *Table, column int) (out []Feature) {
	name := t.Columns[column]
	if !slices.Contains(f.Categorical, name) {
		return []Feature{{Column: name}}
	}
	levels := map[string]bool{}
	for _, row := range t.Cells {
		levels[row[column]] = !missing(row[column])
	}
	for _, level := range slices.Sorted(maps.Keys(levels)) {
		if levels[level] {
			out = append(out, Feature{name, level})
		}
	}
	return out
}

// inputs returns the values of features, NaN where they are missing, and which levels
// the table has that are none of these, such as "colour=red".
func (t *Table) inputs(features []Feature) (x [][]float64, unknown []string, err error) {
	x = make([][]float64, len(t.Cells))
	for i := range x {
		x[i] = make([]float64, len(features))
	}
	known, columns := map[string]bool{}, map[string]int{} // the categorical ones
	for j, f := range features {
		k, err := t.column(f.Column)
		if err != nil {
			return nil, nil, err
		}
		if f.Level == "" {
			if err := t.numbers(k, func(row int, v float64) { x[row][j] = v }); err != nil {
				return nil, nil, err
			}
			continue
		}
		known[f.String()], columns[f.Column] = true, k
		for i, row := range t.Cells {
			if missing(row[k]) {
				x[i][j] = math.NaN()
			} else if row[k] == f.Level {
				x[i][j] = 1
			}
		}
	}
	for column, k := range columns {
		for _, row := range t.Cells {
			if name := (Feature{column, row[k]}).String(); !missing(row[k]) && !known[name] {
				known[name], unknown = true, append(unknown, name)
			}
		}
	}
	slices.Sort(unknown)
	return x, unknown, nil
}

// Rows returns the inputs of a table, whose columns are found by their names in any order
// among others, as the scaler makes them: ready for a network that has learned from
// examples it was applied to. A word that those did not have is 0 for all of its levels;
// unknown lists such words, as "colour=red".
func (s Scaler) Rows(t *Table) (x [][]float64, unknown []string, err error) {
	if len(s.Features) == 0 {
		return nil, nil, fmt.Errorf("%s: the scaler was not fitted to a table, and knows no columns", t.File)
	}
	if x, unknown, err = t.inputs(s.Features); err != nil {
		return nil, nil, err
	}
	for i := range x {
		if j := slices.IndexFunc(x[i], math.IsNaN); j >= 0 && s.Fill == nil {
			k, _ := t.column(s.Features[j].Column)
			return nil, nil, t.errorf(i, k, ` is missing: %q; allowed where the training had missing = "mean" only`,
				t.Cells[i][k])
		}
		s.scale(x[i])
	}
	return x, unknown, nil
}
