package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"closedform/internal/field"
)

// Format says how a table is written, and which columns are what.
type Format struct {
	Layout
	// Class is the column of classes, by default "class".
	Class   string  `toml:"class,omitempty" json:"class,omitempty"`
	Missing Missing `toml:"missing,omitempty" json:"missing,omitempty"`
	// Categorical are columns of words, each of which becomes an input, 1 or 0.
	Categorical Words `toml:"categorical,omitempty" json:"categorical,omitempty"`
	// Ignore are columns that are no inputs. All others are numbers.
	Ignore []string `toml:"ignore,omitempty" json:"ignore,omitempty"`
}

// Words are names of columns of words. [AllWords] stands for all columns that are not numbers.
type Words []string

// AllWords are all columns that are not numbers.
var AllWords = Words{"*"}

// UnmarshalTOML reads a list of names, or "all".
func (w *Words) UnmarshalTOML(v any) error {
	*w = nil
	if v == "all" {
		*w = AllWords
		return nil
	}
	names, ok := v.([]any)
	for _, x := range names {
		name, text := x.(string)
		if ok = ok && text && !slices.Contains(*w, name); ok {
			*w = append(*w, name)
		}
	}
	if !ok {
		return fmt.Errorf(`%v is not allowed; allowed: a list of column names that differ, or "all", those that are not numbers`, v)
	}
	return nil
}

// MarshalTOML writes what UnmarshalTOML reads.
func (w Words) MarshalTOML() ([]byte, error) {
	if slices.Equal(w, AllWords) {
		return []byte(`"all"`), nil
	}
	return fmt.Appendf(nil, "[%s]", strings.Join(quoted(w), ", ")), nil
}

// quoted returns the names in quotes.
func quoted(names []string) (texts []string) {
	for _, name := range names {
		texts = append(texts, fmt.Sprintf("%q", name))
	}
	return texts
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
	err := cmp.Or(f.Layout.Validate(), field.OneOf("missing", cmp.Or(f.Missing, MissingError), MissingError, MissingDrop, MissingMean))
	if err != nil {
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
	t, err := ReadTable(path, f.Layout)
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
	if err := t.checkClasses(class); err != nil {
		return nil, err
	}
	var inputs []int // columns
	var features []Feature
	fewest := 1 // classes
	if like == nil {
		inputs, err = f.inputs(t, class)
		fewest = 2
	} else {
		features = like.Features()
		inputs, err = t.columns(features)
	}
	if err != nil {
		return nil, err
	}
	words := f.words(t, inputs)
	if err := t.fit(append([]int{class}, slices.Compact(inputs)...), append(words, t.Columns[class]), f.Missing); err != nil {
		return nil, err
	}
	t, dropped := f.complete(t, append([]int{class}, inputs...))
	var empty []string
	if like == nil {
		if features, empty = t.features(inputs, words); features == nil && len(t.Cells) > 0 {
			return nil, fmt.Errorf("%s: no input has a value", t.File)
		}
	}
	e := &Examples{row: upTo(len(t.Cells)), values: &values{
		file: t.File, width: len(features), features: features, line: t.Line,
		impute: f.Missing == MissingMean, dropped: dropped, empty: empty,
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
	if len(e.classes) < fewest {
		return nil, fmt.Errorf("%s: %d examples of %d classes; need at least %d classes", t.File, e.Len(), len(e.classes), fewest)
	}
	return e.renumbered(e.present())
}

// inputs returns the numbers of the columns that are inputs.
func (f Format) inputs(t *Table, class int) (columns []int, err error) {
	named := map[string][]string{"categorical": f.Categorical, "ignore": f.Ignore}
	if slices.Equal(f.Categorical, AllWords) {
		delete(named, "categorical")
	}
	for _, key := range slices.Sorted(maps.Keys(named)) {
		for _, name := range named[key] {
			if _, err := t.column(name); err != nil {
				return nil, field.Errorf(key, "%v", err)
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

// words returns the names of the columns of words among the inputs.
func (f Format) words(t *Table, inputs []int) []string {
	if !slices.Equal(f.Categorical, AllWords) {
		return slices.Clone(f.Categorical)
	}
	var words []string
	for _, k := range inputs {
		if _, wrong := t.numbers(k, t.layout); wrong != nil {
			words = append(words, t.Columns[k])
		}
	}
	return words
}

// Unknown is the word for no class, which no class can have as its name.
const Unknown = "unknown"

// checkClasses returns an error if a class is called Unknown, or if classes differ only in case, in blanks
// or in how a number is written.
func (t *Table) checkClasses(k int) error {
	same := map[string]string{}
	for i, row := range t.Cells {
		name := row[k]
		if name == Unknown {
			return fmt.Errorf("%s:%d: column %q: a class cannot be called %s, the word for no class; rename it", t.File, t.Line[i], t.Columns[k], name)
		}
		alike := strings.ToLower(strings.Join(strings.Fields(name), ""))
		if x, ok := t.layout.number(name); ok && !IsMissing(name) {
			alike = fmt.Sprint(x)
		}
		if other, ok := same[alike]; ok && other != name && !IsMissing(name) {
			return fmt.Errorf("%s:%d: column %q: the classes %q and %q differ only in case, blanks or the way a number is written; write them alike",
				t.File, t.Line[i], t.Columns[k], other, name)
		}
		same[alike] = name
	}
	return nil
}

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
	words := map[int]map[string]int{} // the input of each level, by column
	for j, k := range columns {
		if level := features[j].Level; level == "" {
			all, wrong := t.numbers(k, t.layout)
			if wrong != nil {
				return nil, nil, fmt.Errorf("%s:%d: column %q: %.40q is not a number", t.File, t.Line[wrong[0]], t.Columns[k], t.Cells[wrong[0]][k])
			}
			for i, v := range all {
				x[i*n+j] = v
			}
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
			return nil, nil, fmt.Errorf(`%s:%d: column %q has no value: %q; allowed only after a training with missing = "mean"`,
				t.File, t.Line[i], t.Columns[k], t.Cells[i][k])
		}
		s.scale(row)
		x = append(x, row)
	}
	return x, unknown, nil
}
