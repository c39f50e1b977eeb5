package dataset

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
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

// Missing says what becomes of cells that are empty, NA, N/A, NaN, null or ?. "" stands for MissingError.
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
// categorical columns, in alphabetical order. Test examples have the inputs of like, the others, found by
// name; a word that like does not have is 0 for all levels. An error names the file, and the line or key.
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
	if err != nil {
		return nil, err
	}
	features, err := f.check(path, columns, rows)
	if err != nil {
		return nil, err
	}
	if like != nil {
		features = like.values.features
	}
	v := &values{file: path, width: len(features), impute: f.Missing == MissingMean, features: features}
	e := &Examples{values: v, row: upTo(len(rows)), classes: columns[0].levels}
	if n := len(e.classes); n == 0 || n == 1 && like == nil {
		return nil, fmt.Errorf("%s: %d examples of %d classes; need at least 2 classes", path, e.Len(), n)
	} else if v.width == 0 {
		return nil, fmt.Errorf("%s: no input has a value", path)
	}
	gaps := slices.Repeat([]float64{math.NaN()}, v.width) // stay gaps
	inputs, err := Scaler{Features: features, Fill: gaps}.Inputs(t)
	if err != nil {
		return nil, err
	}
	var unseen []string
	for _, row := range rows {
		x, words, err := inputs(row)
		if err != nil {
			return nil, err
		}
		class, _ := slices.BinarySearch(e.classes, row.Cells[columns[0].number])
		e.class = append(e.class, class)
		v.number, v.line, unseen = append(v.number, x...), append(v.line, row.Line), append(unseen, words...)
	}
	slices.Sort(unseen)
	e = e.present()
	e.note(like, columns[1:], dropped, slices.Compact(unseen))
	return e, nil
}

// About says what there is, in a line: "my.csv: 583 examples, 5 inputs, 2 classes: Ash 283, Oak 300". If
// something is odd about a table a second line says that.
func (e *Examples) About() string {
	var classes []string
	for k, n := range e.count() {
		classes = append(classes, fmt.Sprintf("%s %d", e.classes[k], n))
	}
	text := fmt.Sprintf("%s: %d examples, %d inputs, %d classes: %s", e.values.file, e.Len(), e.Inputs(),
		len(classes), list(classes))
	if e.values.notes != nil {
		text += fmt.Sprintf("\n%s: %s", e.values.file, strings.Join(e.values.notes, "; "))
	}
	return text
}

func (e *Examples) count() []int {
	count := make([]int, len(e.classes))
	for _, k := range e.class {
		count[k]++
	}
	return count
}

func (e *Examples) note(like *Examples, columns []*column, dropped int, unseen []string) {
	v, missing := e.values, 0
	var single, empty, constant []string
	for k, n := range e.count() {
		if n == 1 {
			single = append(single, e.classes[k])
		}
	}
	for _, c := range columns {
		if len(c.levels) == 0 && like == nil {
			empty = append(empty, c.name)
		} else {
			missing += c.gaps
		}
	}
	mean, sd, _ := e.moments()
	for j, f := range v.features {
		if isConstant(mean[j], sd[j]) {
			constant = append(constant, f.String())
		}
	}
	for _, note := range []struct {
		what  string
		n     int
		names []string
	}{
		{"classes with one example", 0, single},
		{"columns without a value, left out", 0, empty},
		{"columns with one value", 0, constant},
		{"rows dropped, with a missing value", dropped, nil},
		{"missing values, replaced by column means", missing, nil},
		{"rows whose inputs repeat those of others, which may be in the other part", repeats(like, e), nil},
		{"words that the training table does not have", 0, unseen},
	} {
		if note.n > 0 {
			note.names = []string{strconv.Itoa(note.n)}
		}
		if note.names != nil {
			v.notes = append(v.notes, note.what+": "+list(note.names))
		}
	}
}

// repeats returns how many rows of the last part repeat the inputs of rows before them, or of the other part.
func repeats(parts ...*Examples) (n int) {
	known := map[string]bool{}
	for _, e := range parts {
		if n = 0; e == nil {
			continue
		}
		for _, row := range e.row {
			x := fmt.Sprint(e.values.number[row*e.values.width:][:e.values.width])
			if known[x] {
				n++
			}
			known[x] = true
		}
	}
	return n
}

func list(names []string) string {
	const most = 10
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("… (%d in all)", len(names)))
	}
	return strings.Join(names, ", ")
}
