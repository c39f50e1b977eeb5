package dataset

import (
	"cmp"
	"fmt"
	"maps"
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
		return fmt.Errorf(`%v is not allowed; allowed: a list of column names that differ, or "all", those that `+
			`are not numbers`, v)
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
	// the mean of a training part stands for them, see Scaler; rows without a class are left out
	MissingMean Missing = "mean"
)

// Validate returns an error for an unknown word, and for a column of two kinds.
func (f Format) Validate() error {
	err := cmp.Or(f.Layout.Validate(), field.OneOf("missing", cmp.Or(f.Missing, MissingError), MissingError,
		MissingDrop, MissingMean))
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
	if err := t.fit(append([]int{class}, slices.Compact(inputs)...), append(words, t.Columns[class]),
		f.Missing); err != nil {
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
		number[row[class]] = 0
	}
	e.classes = ordered(maps.Keys(number))
	for k, name := range e.classes {
		number[name] = k
	}
	for _, row := range t.Cells {
		e.class = append(e.class, number[row[class]])
	}
	if len(e.classes) < fewest {
		return nil, fmt.Errorf("%s: %d examples of %d classes; need at least %d classes", t.File, e.Len(),
			len(e.classes), fewest)
	}
	return e, nil
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
			return fmt.Errorf("%s:%d: column %q: a class cannot be called %s, the word for no class; rename it",
				t.File, t.Line[i], t.Columns[k], name)
		}
		alike := strings.ToLower(strings.Join(strings.Fields(name), ""))
		if x, ok := t.layout.number(name); ok && !IsMissing(name) {
			alike = fmt.Sprint(x)
		}
		if other, ok := same[alike]; ok && other != name && !IsMissing(name) {
			return fmt.Errorf("%s:%d: column %q: the classes %q and %q differ only in case, blanks or the way a "+
				"number is written; write them alike",
				t.File, t.Line[i], t.Columns[k], other, name)
		}
		same[alike] = name
	}
	return nil
}
