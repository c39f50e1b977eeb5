package dataset

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"closedform/internal/field"
)

// Format says how a table is written, and which columns are what.
type Format struct {
	Layout
	Class   string  `toml:"class,omitempty" json:"class,omitempty"`     // column of classes; default "class"
	Missing Missing `toml:"missing,omitempty" json:"missing,omitempty"` // cells without a value; default "error"
	// Categorical are columns of words, each of which becomes an input, 1 or 0; default none.
	Categorical []string `toml:"categorical,omitempty" json:"categorical,omitempty"`
	// Ignore are columns that are not used; default none.
	Ignore []string `toml:"ignore,omitempty" json:"ignore,omitempty"`
}

// AllWords as the only one in Categorical stands for all columns that are not numbers.
const AllWords = "all"

// Missing says what becomes of cells that are empty, NA, N/A, NaN, null or ?. "" stands for
// MissingError.
type Missing string

const (
	MissingError Missing = "error" // they are an error
	MissingDrop  Missing = "drop"  // their rows are left out
	// MissingMean: the mean of the training part replaces them; rows without a class are left out.
	MissingMean Missing = "mean"
)

// Validate returns an error for an unknown word, and for a column of two kinds.
func (f Format) Validate() error {
	for _, c := range f.Categorical {
		if slices.Contains(f.Ignore, c) {
			return field.Errorf("ignore", "%q is in categorical, too; allowed: in one of them", c)
		}
	}
	if class := cmp.Or(f.Class, "class"); slices.Contains(slices.Concat(f.Categorical, f.Ignore), class) {
		return field.Errorf("class", "%q is in categorical or ignore, too; allowed: a column of its own", class)
	}
	return cmp.Or(f.Layout.Validate(), field.OneOf("missing", cmp.Or(f.Missing, MissingError), MissingError,
		MissingDrop, MissingMean))
}

// Read returns the examples of a file. Their inputs are its columns of numbers, and the levels of its
// categorical columns, in alphabetical order. If these are test examples for others, like is not nil: they
// have the inputs of those, whose columns are found by their names, and a word that those do not have is 0
// for all of its levels. An error has the name of the file, and the line or the key.
func (f Format) Read(path string, like *Examples) (*Examples, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return f.read(file, path, like)
}

func (f Format) read(file io.Reader, path string, like *Examples) (*Examples, error) {
	if err := f.Validate(); err != nil {
		return nil, err
	}
	t, err := NewReader(file, path, f.Layout)
	if err != nil {
		return nil, err
	}
	columns, err := f.columns(t, like)
	if err != nil {
		return nil, err
	}
	rows, dropped, err := f.rows(t, columns)
	if err == nil {
		err = f.check(path, columns, rows)
	}
	if err != nil {
		return nil, err
	}
	v := &values{file: path, impute: f.Missing == MissingMean}
	if v.features = features(columns[1:]); like != nil {
		v.features = like.values.features
	}
	e := &Examples{values: v, row: upTo(len(rows)), classes: columns[0].levels}
	if n := len(e.classes); n == 0 || n == 1 && like == nil {
		return nil, fmt.Errorf("%s: %d examples of %d classes; need at least 2 classes", path, e.Len(), n)
	} else if v.width = len(v.features); v.width == 0 {
		return nil, fmt.Errorf("%s: no input has a value", path)
	}
	in, err := Scaler{Features: v.features}.Inputs(t)
	if err != nil {
		return nil, err
	}
	var unseen []string
	for _, row := range rows {
		x, words, err := in.read(row)
		if err != nil {
			return nil, err
		}
		class, _ := slices.BinarySearch(e.classes, row.Cells[columns[0].number])
		e.class = append(e.class, class)
		v.number, v.line, unseen = append(v.number, x...), append(v.line, row.Line), append(unseen, words...)
	}
	e = e.present()
	v.notes = e.odd(columns[1:], like, dropped, unseen)
	return e, nil
}

// About says what there is, in a line: "my.csv: 583 examples, 5 inputs, 2 classes: Oak 300, Ash 283". If
// something is odd about a table a second line says that.
func (e *Examples) About() string {
	names, count := slices.Clone(e.classes), e.count()
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(count[b], count[a]) })
	for k, name := range names {
		names[k] = fmt.Sprintf("%s %d", name, count[name])
	}
	text := fmt.Sprintf("%s: %d examples, %d inputs, %d classes: %s", e.values.file, e.Len(), e.Inputs(),
		len(names), list(names))
	if e.values.notes != nil {
		text += fmt.Sprintf("\n%s: %s", e.values.file, strings.Join(e.values.notes, "; "))
	}
	return text
}

// count returns the number of examples of each class.
func (e *Examples) count() map[string]int {
	count := map[string]int{}
	for _, k := range e.class {
		count[e.classes[k]]++
	}
	return count
}

// odd says what is odd about a table that was read.
func (e *Examples) odd(columns []*column, like *Examples, dropped int, unseen []string) (notes []string) {
	v, count := e.values, e.count()
	single := slices.DeleteFunc(slices.Clone(e.classes), func(class string) bool { return count[class] > 1 })
	var empty, constant []string
	for _, c := range columns {
		if c.levels == nil && like == nil {
			empty = append(empty, c.name)
		}
	}
	mean, sd, _ := e.moments()
	for j, f := range v.features {
		if isConstant(mean[j], sd[j]) {
			constant = append(constant, f.String())
		}
	}
	missing := 0
	for _, x := range v.number {
		if math.IsNaN(x) {
			missing++
		}
	}
	repeat := "rows whose inputs repeat rows of the training table"
	if like == nil {
		repeat = "rows whose inputs repeat those of others, which may be in the other part"
	}
	slices.Sort(unseen)
	for _, note := range []struct {
		what  string
		names []string
		n     int
	}{
		{"classes with one example", single, 0},
		{"columns without a value, left out", empty, 0},
		{"columns with one value", constant, 0},
		{"rows dropped, with a missing value", nil, dropped},
		{"missing values, replaced by column means", nil, missing},
		{repeat, nil, e.repeats(like)},
		{"words that the training table does not have", slices.Compact(unseen), 0},
	} {
		if note.n > 0 {
			notes = append(notes, fmt.Sprintf("%s: %d", note.what, note.n))
		} else if len(note.names) > 0 {
			notes = append(notes, note.what+": "+list(note.names))
		}
	}
	return notes
}

// repeats returns how many rows have the inputs of a row of the training table or, if that is nil, of a row
// before them.
func (e *Examples) repeats(train *Examples) (n int) {
	known := map[string]bool{}
	text := func(v *values, row int) string { return fmt.Sprint(v.number[row*v.width:][:v.width]) }
	if train != nil {
		for _, row := range train.row {
			known[text(train.values, row)] = true
		}
	}
	for _, row := range e.row {
		x := text(e.values, row)
		if known[x] {
			n++
		}
		known[x] = known[x] || train == nil
	}
	return n
}

// list joins names, and cuts a long list.
func list(names []string) string {
	const most = 10
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("… (%d in all)", len(names)))
	}
	return strings.Join(names, ", ")
}
