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

func (f Format) allWords() bool { return slices.Equal(f.Categorical, []string{AllWords}) }

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
	class, err := t.Column(cmp.Or(f.Class, "class"))
	if err != nil {
		return nil, err
	}
	columns, err := f.columns(t, class, like)
	if err != nil {
		return nil, err
	}
	rows, dropped, err := f.rows(t, class, columns)
	if err != nil {
		return nil, err
	}
	e := &Examples{source: &source{file: path}}
	if like != nil {
		e.inputs = like.inputs
	} else if e.inputs, err = f.inputs(t, rows, class, columns); err != nil {
		return nil, err
	}
	unseen, err := e.fill(t, rows, class)
	if err != nil {
		return nil, err
	}
	if n := len(e.classes); n == 0 || n == 1 && like == nil {
		return nil, fmt.Errorf("%s: %d examples of %d classes; need at least 2 classes", path, e.Len(), n)
	}
	var empty []string
	for _, k := range columns {
		if like == nil && column(rows, k).values() == nil {
			empty = append(empty, t.Columns[k])
		}
	}
	e.note("columns without a value, left out", empty)
	e.note("words that the training table does not have", unseen)
	e.note("rows dropped, with a missing value, on lines", dropped)
	e.describe(like)
	return e.present(), nil
}

// columns returns the numbers of those that become inputs.
func (f Format) columns(t *Reader, class int, like *Examples) (columns []int, err error) {
	if like != nil {
		for _, in := range like.inputs {
			k, err := t.Column(in.Column)
			if err != nil {
				return nil, err
			}
			columns = append(columns, k)
		}
		return slices.Compact(columns), nil
	}
	exist := func(key string, names []string) error {
		for _, name := range names {
			if _, err := t.Column(name); err != nil {
				return field.Errorf(key, "%v", err)
			}
		}
		return nil
	}
	words := f.Categorical
	if f.allWords() {
		words = nil
	}
	for k, name := range t.Columns {
		if k != class && !slices.Contains(f.Ignore, name) {
			columns = append(columns, k)
		}
	}
	return columns, cmp.Or(exist("ignore", f.Ignore), exist("categorical", words))
}

// rows reads the rows that are not dropped, because a cell has no value, and the lines of those that are.
func (f Format) rows(t *Reader, class int, columns []int) (rows []Row, dropped []string, err error) {
	for {
		row, err := t.Next()
		if err == io.EOF {
			return rows, dropped, nil
		} else if err = cmp.Or(err, t.check(row)); err != nil {
			return nil, nil, err
		}
		gap := func(k int) bool { return IsMissing(row.Cells[k]) }
		if gap(class) && (f.Missing == MissingDrop || f.Missing == MissingMean) ||
			f.Missing == MissingDrop && slices.ContainsFunc(columns, gap) {
			dropped = append(dropped, strconv.Itoa(row.Line))
		} else {
			rows = append(rows, row)
		}
	}
}

// fill adds rows. It returns the words that are not among the inputs.
func (e *Examples) fill(t *Reader, rows []Row, class int) (unseen []string, err error) {
	read, err := e.inputs.Inputs(t)
	if err != nil {
		return nil, err
	}
	number := map[string]int{} // of the classes
	for _, r := range rows {
		x, words, err := read(r)
		if err != nil {
			return nil, err
		}
		name := r.Cells[class]
		if _, ok := number[name]; !ok {
			number[name], e.classes = len(e.classes), append(e.classes, name)
		}
		e.rows = append(e.rows, row{class: number[name], place: r.Line, number: x})
		unseen = append(unseen, words...)
	}
	slices.Sort(unseen)
	return slices.Compact(unseen), nil
}

// About says what there is, in a line: "my.csv: 583 examples, 5 inputs, 2 classes: Ash 283, Oak 300". If
// something is odd about a table a second line says that.
func (e *Examples) About() string {
	var classes []string
	for k, n := range e.count() {
		classes = append(classes, fmt.Sprintf("%s %d", e.classes[k], n))
	}
	text := fmt.Sprintf("%s: %d examples, %d inputs, %d classes: %s", e.file, e.Len(), e.Inputs(), len(classes),
		list(classes))
	if e.notes != nil {
		text += fmt.Sprintf("\n%s: %s", e.file, strings.Join(e.notes, "; "))
	}
	return text
}

func (e *Examples) count() []int {
	count := make([]int, len(e.classes))
	for _, r := range e.rows {
		count[r.class]++
	}
	return count
}

func (e *Examples) note(what string, names []string) {
	if len(names) > 0 {
		e.notes = append(e.notes, what+": "+list(names))
	}
}

// describe notes what is odd.
func (e *Examples) describe(like *Examples) {
	var single, constant, repeated []string
	for k, n := range e.count() {
		if n == 1 {
			single = append(single, e.classes[k])
		}
	}
	mean, sd, _ := e.moments()
	for j, in := range e.inputs {
		if isConstant(mean[j], sd[j]) {
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
	e.note("classes with one example", single)
	e.note("columns with one value", constant)
	e.note("rows whose inputs repeat those of others, which may be in the other part, on lines", repeated)
}

func list(names []string) string {
	const most = 10
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("… (%d in all)", len(names)))
	}
	return strings.Join(names, ", ")
}
