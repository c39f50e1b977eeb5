package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"

	"closedform/internal/field"
)

// Format says how a table is written, and which columns are what.
type Format struct {
	Layout
	// Class is the column of classes, by default "class".
	Class   string  `toml:"class,omitempty" json:"class,omitempty"`
	Missing Missing `toml:"missing,omitempty" json:"missing,omitempty"`
	// Categorical are columns of words, each of which becomes an input, 1 or 0; see AllWords.
	Categorical []string `toml:"categorical,omitempty" json:"categorical,omitempty"`
	// Ignore are columns that are no inputs. All others are numbers.
	Ignore []string `toml:"ignore,omitempty" json:"ignore,omitempty"`
}

// AllWords as the only one in Categorical stands for all columns that are not numbers.
const AllWords = "all"

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
	t, err := ReadTable(file, path, f.Layout)
	if err != nil {
		return nil, err
	}
	return f.Examples(t, like)
}

// Examples returns the examples of a table, as Read does.
func (f Format) Examples(t *Table, like *Examples) (*Examples, error) {
	class, columns, err := f.columns(t, like)
	if err != nil {
		return nil, err
	}
	e := &Examples{row: f.complete(t, class, columns)}
	v := &values{file: t.File, impute: f.Missing == MissingMean}
	e.values = v
	if like != nil {
		v.features = like.Features()
	} else if v.features, v.empty = t.features(columns, e.row); v.features == nil && e.row != nil {
		return nil, fmt.Errorf("%s: no input has a value", t.File)
	}
	if err := v.read(t, e.row); err != nil {
		return nil, err
	}
	names := map[string]bool{}
	for _, i := range e.row {
		names[t.Rows[i].Cells[class]] = true
	}
	e.classes = ordered(maps.Keys(names))
	for _, i := range e.row {
		e.class = append(e.class, slices.Index(e.classes, t.Rows[i].Cells[class]))
	}
	if n := len(e.classes); n == 0 || n == 1 && like == nil {
		return nil, fmt.Errorf("%s: %d examples of %d classes; need at least 2 classes", t.File, e.Len(), n)
	}
	return e, nil
}

// read reads the inputs of rows of a table.
func (v *values) read(t *Table, rows []int) error {
	in, err := Scaler{Features: v.features}.Inputs(t)
	if err != nil {
		return err
	}
	v.width = len(v.features)
	v.number = make([]float64, v.width*len(t.Rows))
	unknown := map[string]bool{}
	for _, i := range rows {
		unseen, err := in.read(v.number[i*v.width:][:v.width], t.Rows[i])
		if err != nil {
			return err
		}
		for _, word := range unseen {
			unknown[word] = true
		}
	}
	for _, row := range t.Rows {
		v.line = append(v.line, row.Line)
	}
	v.unknown = slices.Sorted(maps.Keys(unknown))
	return nil
}
