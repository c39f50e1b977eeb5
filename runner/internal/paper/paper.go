// Package paper writes what a LaTeX text needs of the published tables: a macro for each
// number and a file for each table that a list such as paper/numbers.toml names.
package paper

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/runner/internal/quote"
	"closedform/runner/internal/store"
)

// List is the name of the file that lists numbers and tables.
const List = "numbers.toml"

// list is that file.
type list struct {
	Number map[string]number // by the names of their macros, which are letters
	Table  []tabular
	Plot   []plot
	Readme struct{ Findings, Output []string } // which a test compares with README.md

	file string
	text []byte
}

// number is a field of a published table as the text quotes it or, without a column, the number of rows.
type number struct {
	quote.Source
	Of       string // greatest or median of all rows, or how many are positive or infinite; else one row has the field
	Format   string // %.Nf, %.Ne, %.Ng, or %s of text
	Interval bool   // with the ends of its interval, from COLUMN_low and COLUMN_high
}

// Write writes numbers.tex and, in tables/, a file for each table and each plot that the list of the folder
// names, from the published tables in results; others there are removed. Nothing is written
// if any number is not there.
func Write(folder, results string) error {
	l, err := read(filepath.Join(folder, List))
	if err != nil {
		return err
	}
	files, err := l.files(quote.Open(results))
	if err != nil {
		return err
	}
	tables := filepath.Join(folder, "tables")
	if err := cmp.Or(os.RemoveAll(tables), os.MkdirAll(tables, 0o777)); err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if err := store.WriteFile(filepath.Join(folder, name), []byte(files[name])); err != nil {
			return err
		}
	}
	return nil
}

// read reads a list. Unknown keys are errors.
func read(file string) (*list, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	l := &list{file: file, text: text}
	meta, err := toml.Decode(string(text), l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	for _, key := range meta.Undecoded() {
		name := key[len(key)-1]
		return nil, l.errorf(name, "%s is not a key; allowed in [number]: from, row, column, factor, of, format, interval; "+
			"in [[table]]: name, from, row, rows, label, and [[table.column]] with head, align, best, none and the keys of a number; "+
			"in [[plot]]: name, from, row, rows, columns", key)
	}
	return l, nil
}

// errorf is an error at the first line that has a word.
func (l *list) errorf(word, format string, args ...any) error {
	at := regexp.MustCompile(`\b` + regexp.QuoteMeta(word) + `\b`).FindIndex(l.text)
	line := 1
	if at != nil {
		line += strings.Count(string(l.text[:at[0]]), "\n")
	}
	return fmt.Errorf("%s:%d: %w", l.file, line, fmt.Errorf(format, args...))
}

var letters = regexp.MustCompile(`^[A-Za-z]+$`)

// files returns the files by their names. The error has all that is wrong.
func (l *list) files(results *quote.Results) (map[string]string, error) {
	var failed []error
	macros := "% Written from the results by the runner; see " + List + ".\n"
	for _, name := range slices.Sorted(maps.Keys(l.Number)) {
		text, err := l.Number[name].tex(results)
		if !letters.MatchString(name) {
			err = errors.New("need a name of letters, for a macro")
		}
		if err != nil {
			failed = append(failed, l.errorf(name, "number.%s: %w", name, err))
		}
		macros += fmt.Sprintf("\\newcommand{\\%s}{%s\\xspace}\n", name, text)
	}
	out := map[string]string{"numbers.tex": macros}
	for _, t := range l.Table {
		text, err := t.tex(results)
		if err != nil {
			failed = append(failed, l.errorf(t.Name, "table %s: %w", t.Name, err))
		}
		out[filepath.Join("tables", t.Name+".tex")] = text
	}
	for _, p := range l.Plot {
		text, err := p.data(results)
		if err != nil {
			failed = append(failed, l.errorf(p.Name, "plot %s: %w", p.Name, err))
		}
		out[filepath.Join("tables", p.Name+".dat")] = text
	}
	return out, errors.Join(failed...)
}
