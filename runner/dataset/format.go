package dataset

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"closedform/internal/field"
)

// Format says how a table is written, and what its columns are.
type Format struct {
	// Separator is what separates cells, "blank" for one or more blanks or tabs; default ",".
	Separator string `toml:"separator,omitempty" words:", ; tab blank"`
	Decimal   string `toml:"decimal,omitempty" words:". ,"` // the decimal mark; default "."
	// NoHeader says that the table has no header line, and calls its columns x1, x2, …; default false.
	NoHeader bool    `toml:"no_header,omitempty" json:",omitzero"`
	Class    string  `toml:"class,omitempty"`   // column of classes; default "class"
	Missing  Missing `toml:"missing,omitempty"` // what to do with missing values; default "error"
	// Categorical are columns of words, each word an input; default none.
	Categorical []string `toml:"categorical,omitempty" check:"distinct"`
	Ignore      []string `toml:"ignore,omitempty" check:"distinct"` // columns to leave out; default none
	// Numeric are columns of numbers, also where they have leading zeros, as codes have; default none.
	Numeric []string `toml:"numeric,omitempty" json:",omitempty" check:"distinct"`
	// NoValue are words for no value, beside NA, N/A, NaN, ? and null; default none.
	NoValue []string `toml:"no_value,omitempty" json:",omitempty" check:"distinct"`
	// AsWritten takes each value in the column of classes for a class, also if two look alike; default false.
	AsWritten bool `toml:"as_written,omitempty" json:",omitzero"`

	Flags bool `toml:"-" json:"-"` // errors name the flags of the program, not the keys of a manifest
}

// key returns the name of a key, or of the flag.
func (f Format) key(key string) string {
	if f.Flags {
		return "-" + strings.ReplaceAll(key, "_", "-")
	}
	return key
}

// set writes a key with a value as a manifest has it, or as a shell takes the flag.
func (f Format) set(key string, value any) string {
	words, list := value.([]string)
	text := fmt.Sprint(value)
	switch {
	case !f.Flags && list:
		return key + " = " + strings.ReplaceAll(fmt.Sprintf("%q", words), `" "`, `", "`)
	case !f.Flags:
		return fmt.Sprintf("%s = %#v", key, value)
	case value == true:
		return f.key(key)
	case list:
		text = Line(words)
	}
	return f.key(key) + " " + Quote(text)
}

// Quote returns a word as a shell reads it.
func Quote(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var plainWord = regexp.MustCompile(`^[\w@%+=:,./-]+$`) // needs no quotes

// Line returns cells as a line of CSV, without its end.
func Line(cells []string) string {
	var line strings.Builder
	w := csv.NewWriter(&line)
	_ = w.Write(cells) // a strings.Builder has no errors
	w.Flush()
	return strings.TrimSuffix(line.String(), "\n")
}

// AllWords in Categorical stands for all columns that are not of numbers.
const AllWords = "all"

// Missing says what to do with missing values, see [IsMissing]. "" stands for MissingError.
type Missing string

const (
	MissingError Missing = "error" // return an error
	MissingDrop  Missing = "drop"  // leave out their rows
	MissingMean  Missing = "mean"  // use the mean of the training part, and leave out rows without a class
	// MissingWord is MissingMean for numbers; of a column of words, no value is one more word, ?.
	MissingWord Missing = "word"
)

// noWord is the word for no value.
const noWord = "?"

// Words returns the words of all ways to handle missing values.
func (Missing) Words() []string {
	return field.Words(MissingError, MissingDrop, MissingMean, MissingWord)
}

// Validate returns an error if one mark separates cells and decimals.
func (f Format) Validate() error {
	allowed := `"," with ` + f.set("separator", ";") + ` or "tab"`
	return field.Refuse(f.Decimal == string(f.comma()), "decimal", f.Decimal, allowed)
}

// Resolve returns an error that names the keys, or flags, with values that are not allowed.
func (f Format) Resolve() error {
	return field.Each(field.Resolve(&f), func(e field.Error) error {
		e.Key = f.key(e.Key)
		return &e
	})
}

// Read returns the examples of a file. Their inputs are the columns of numbers and the words of categorical
// columns, in alphabetical order. Words and classes that an ARFF file declares are in the order declared. Unless
// labels is "", it is the file of the classes, with one column or the column Class, and a row for each row of
// the other. If training is not nil, the examples are test examples: their inputs are those of the training
// examples, found by name, and a new word is 0 in all inputs. An error names the file, and the line or key.
func (f Format) Read(path, labels string, training *Examples) (*Examples, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	t, err := NewReader(file, path, f)
	if err != nil {
		return nil, err
	}
	if labels != "" {
		file, err := os.Open(labels)
		if err != nil {
			return nil, err
		}
		defer file.Close()
		if err := t.Join(file, labels, f); err != nil {
			return nil, err
		}
	}
	return t.examples(training)
}

// examples returns the examples of the rows of a table.
func (t *Reader) examples(training *Examples) (*Examples, error) {
	f := t.format
	class, err := t.Column(cmp.Or(f.Class, "class"))
	if err != nil {
		return nil, err
	}
	columns, err := t.inputColumns(class, training)
	if err != nil {
		return nil, err
	}
	rows, read, err := t.rows(class, columns)
	if err != nil {
		return nil, err
	} else if read == 0 {
		return nil, fmt.Errorf("%s: a header without rows, as a filter or an export leaves it that finds nothing; "+
			"need a line for each row", t.File)
	} else if rows == nil {
		return nil, fmt.Errorf("%s: each of the %d rows lacks a value that it needs, and %s leaves such rows out",
			t.File, read, f.set("missing", f.Missing))
	}
	var empty []string
	table := &source{file: t.File, declared: t.attributes[class].words}
	e := &Examples{source: table, classes: distinct(rows, class)}
	if e.inputs, empty, err = t.inputs(rows, class, columns, training); err != nil {
		return nil, err
	}
	if n := len(e.classes); n == 0 || n == 1 && training == nil {
		return nil, fmt.Errorf("%s: %d examples of %d classes; need at least 2 classes", t.File, len(rows), n)
	}
	inputs, err := e.inputs.Inputs(t)
	if err != nil {
		return nil, err
	}
	for _, r := range rows {
		x, _, err := inputs(r)
		if err != nil {
			return nil, err
		}
		k, _ := slices.BinarySearch(e.classes, r.Cells[class])
		e.rows = append(e.rows, row{class: k, place: r.Line, number: x})
	}
	e = e.present()
	e.addNotes(training, empty)
	return e, nil
}

// inputColumns returns the columns that become inputs: those of the training examples, if given, or else all
// columns but the classes and those to ignore.
func (t *Reader) inputColumns(class int, training *Examples) (columns []int, err error) {
	f, role := t.format, map[string]string{t.Columns[class]: "that of the classes"}
	for i, key := range []string{"ignore", "categorical", "numeric"} {
		for _, name := range [][]string{f.Ignore, f.Categorical, f.Numeric}[i] {
			if _, err := t.Column(name); err != nil && training == nil && (name != AllWords || key != "categorical") {
				return nil, field.Errorf(f.key(key), "%v", err)
			} else if role[name] != "" {
				return nil, field.Refuse(true, f.key(key), name, "a column that is not "+role[name])
			}
			role[name] = "in " + f.key(key)
		}
	}
	for k, name := range t.Columns {
		used := !slices.Contains(f.Ignore, name)
		if training != nil {
			used = slices.ContainsFunc(training.inputs, func(in Input) bool { return in.Column == name })
		}
		if used && k != class {
			columns = append(columns, k)
		}
	}
	return columns, nil
}

// rows reads the rows, without those that are left out because a value is missing, and counts all.
func (t *Reader) rows(class int, columns []int) (rows []Row, read int, err error) {
	missing := cmp.Or(t.format.Missing, MissingError)
	for ; ; read++ {
		row, err := t.Next()
		if err == io.EOF {
			return rows, read, nil
		} else if err = cmp.Or(err, row.Err); err != nil {
			return nil, read, err
		}
		gap := func(k int) bool { return IsMissing(row.Cells[k]) }
		drop := missing == MissingDrop && slices.ContainsFunc(columns, gap) || missing != MissingError && gap(class)
		if !drop {
			rows = append(rows, row)
		}
	}
}

// About describes the examples in a line: "my.csv: 583 examples, 5 inputs, 2 classes: Ash 283, Oak 300". A
// second line says what is odd about a table.
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

// addNotes notes the empty columns, and the rows that are also among the training examples, if given.
func (e *Examples) addNotes(training *Examples, empty []string) {
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
	for _, part := range []*Examples{training, e} {
		for i := 0; part != nil && i < part.Len(); i++ {
			x := fmt.Sprint(part.rows[i].number)
			if known[x] && part == e {
				repeated = append(repeated, strconv.Itoa(e.Row(i)))
			}
			known[x] = true
		}
	}
	for _, name := range empty {
		e.omitted = append(e.omitted, "column "+name)
	}
	e.note("classes with one example", single)
	e.note("columns without a value, left out", empty)
	e.note("columns with one value", constant)
	e.note("inputs that repeat those of other rows, which may be in the other part, on lines", repeated)
}

// note adds a note on what has these names, if any.
func (e *Examples) note(what string, names []string) {
	if names != nil {
		e.notes = append(slices.Clip(e.notes), what+": "+list(names, 10))
	}
}
