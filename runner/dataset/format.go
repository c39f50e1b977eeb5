package dataset

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"

	"closedform/internal/field"
)

// Format says how a table is written, and which columns are what.
type Format struct {
	Separator   string   `toml:"separator,omitempty"`   // ",", ";" or "tab"; default ","
	Decimal     string   `toml:"decimal,omitempty"`     // the decimal mark, "." or ","; default "."
	Class       string   `toml:"class,omitempty"`       // column of classes; default "class"
	Missing     Missing  `toml:"missing,omitempty"`     // cells without a value; default "error"
	Categorical []string `toml:"categorical,omitempty"` // columns of words, each an input, 0 or 1; default none
	Ignore      []string `toml:"ignore,omitempty"`      // columns that are not used; default none
}

// AllWords in Categorical stands for all columns that are not numbers.
const AllWords = "all"

// Missing says what becomes of cells that are empty, NA, N/A, NaN, null or ?. "" stands for MissingError.
type Missing string

const (
	MissingError Missing = "error" // they are an error
	MissingDrop  Missing = "drop"  // their rows are left out
	// MissingMean: the mean of the training part replaces them; rows without a class are left out.
	MissingMean Missing = "mean"
)

// Validate returns an error for an unknown word.
func (f Format) Validate() error {
	return cmp.Or(field.OneOf("separator", cmp.Or(f.Separator, ","), ",", ";", "tab"),
		field.OneOf("decimal", cmp.Or(f.Decimal, "."), ".", ","),
		field.OneOf("missing", cmp.Or(f.Missing, MissingError), MissingError, MissingDrop, MissingMean),
		field.Refuse(f.Decimal == string(f.comma()), "decimal", `"," with separator = ";" or "tab"`))
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
	t, err := NewReader(file, path, f)
	if err != nil {
		return nil, err
	}
	class, err := t.Column(cmp.Or(f.Class, "class"))
	if err != nil {
		return nil, err
	}
	role := map[string]string{t.Columns[class]: "the column of the classes"}
	for i, key := range []string{"ignore", "categorical"} {
		for _, name := range [][]string{f.Ignore, f.Categorical}[i] {
			if _, err := t.Column(name); err != nil && like == nil && name != AllWords {
				return nil, field.Errorf(key, "%v", err)
			} else if role[name] != "" {
				return nil, field.Errorf(key, "%q is %s; allowed: others", name, role[name])
			}
			role[name] = "in " + key
		}
	}
	var columns []int // that become inputs
	for k, name := range t.Columns {
		used := role[name] != "in ignore"
		if like != nil {
			used = slices.ContainsFunc(like.inputs, func(in Input) bool { return in.Column == name })
		}
		if used && k != class {
			columns = append(columns, k)
		}
	}
	rows, err := f.rows(t, class, columns)
	if err != nil {
		return nil, err
	}
	var empty []string
	e := &Examples{source: &source{file: path}, classes: values(rows, class)}
	if like != nil {
		e.inputs = like.inputs
	} else if e.inputs, empty, err = f.inputs(t, rows, class, columns); err != nil {
		return nil, err
	}
	if n := len(e.classes); n == 0 || n == 1 && like == nil {
		return nil, fmt.Errorf("%s: %d examples of %d classes; need at least 2 classes", path, len(rows), n)
	}
	read, err := e.inputs.Inputs(t)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		x, _, err := read(r)
		if err != nil {
			return nil, err
		}
		k, _ := slices.BinarySearch(e.classes, r.Cells[class])
		e.rows = append(e.rows, row{class: k, place: r.Line, number: x})
	}
	e = e.present()
	e.describe(like, empty)
	return e, nil
}

// rows reads the rows that are not dropped because a cell has no value.
func (f Format) rows(t *Reader, class int, columns []int) (rows []Row, err error) {
	for {
		row, err := t.Next()
		if err == io.EOF {
			return rows, nil
		} else if err = cmp.Or(err, row.Err); err != nil {
			return nil, err
		}
		gap := func(k int) bool { return IsMissing(row.Cells[k]) }
		keep := f.Missing != MissingDrop || !slices.ContainsFunc(columns, gap)
		if keep && (cmp.Or(f.Missing, MissingError) == MissingError || !gap(class)) {
			rows = append(rows, row)
		}
	}
}

// About says what there is, in a line: "my.csv: 583 examples, 5 inputs, 2 classes: Ash 283, Oak 300". If
// something is odd about a table a second line says that.
func (e *Examples) About() string {
	var classes []string
	for k, rows := range e.members() {
		classes = append(classes, fmt.Sprintf("%s %d", e.classes[k], len(rows)))
	}
	text := fmt.Sprintf("%s: %d examples, %d inputs, %d classes: %s", e.file, e.Len(), e.Inputs(), len(classes),
		list(classes, 10))
	if e.notes != nil {
		text += fmt.Sprintf("\n%s: %s", e.file, strings.Join(e.notes, "; "))
	}
	return text
}

// describe notes what is odd, such as rows that the other part like has, too.
func (e *Examples) describe(like *Examples, empty []string) {
	var single, constant, repeated []string
	for k, rows := range e.members() {
		if len(rows) == 1 {
			single = append(single, e.classes[k])
		}
	}
	for j, in := range e.inputs {
		if mean, sd := moments(e.values(j)); isConstant(mean, sd) {
			constant = append(constant, in.String())
		}
	}
	known := map[string]bool{}
	for _, part := range []*Examples{like, e} {
		for i := 0; part != nil && i < part.Len(); i++ {
			x := fmt.Sprint(part.rows[i].number)
			if known[x] && part == e {
				repeated = append(repeated, strconv.Itoa(e.Row(i)))
			}
			known[x] = true
		}
	}
	note := func(what string, names []string) {
		if names != nil {
			e.notes = append(e.notes, what+": "+list(names, 10))
		}
	}
	note("classes with one example", single)
	note("columns without a value, left out", empty)
	note("columns with one value", constant)
	note("inputs that repeat those of other rows, which may be in the other part, on lines", repeated)
}
