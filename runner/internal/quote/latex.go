package quote

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

// List is the name of the file that lists what a LaTeX text quotes.
const List = "numbers.toml"

// list is that file.
type list struct {
	Number map[string]string // references by the names of their macros, which are letters
	Table  []tabular
	Plot   []plot
	Readme struct{ Findings, Output []string } // texts of README.md, for Fill
}

// plot is the data of a figure that LaTeX draws: columns for pgfplots, after the index of their series.
type plot struct {
	Name, From string
	Rows       []string // the fields of each series
	Columns    []string
}

// published are the tables in the folder of all results, EXPERIMENT/TABLE, each read once, and why some cannot
// be read.
type published struct {
	folder string
	tables map[string]*table.Table
	failed map[string]error
}

func newPublished(folder string) published {
	return published{folder, map[string]*table.Table{}, map[string]error{}}
}

// Get returns nil also for a table that does not match its checksum.
func (p published) Get(name string) *table.Table {
	experiment, file, _ := strings.Cut(name, "/")
	if p.tables[name] == nil && p.failed[name] == nil {
		results, err := store.OpenResults(filepath.Join(p.folder, experiment))
		if err == nil {
			p.tables[name], err = results.Table(file)
		}
		p.failed[name] = err
	}
	return p.tables[name]
}

// errors returns why tables cannot be read.
func (p published) errors() (all error) {
	for _, name := range slices.Sorted(maps.Keys(p.failed)) {
		all = errors.Join(all, p.failed[name])
	}
	return all
}

// WriteLaTeX writes numbers.tex and, in tables/, a file for each table and each plot that the list of the
// folder names, from the published tables in results; others there are removed. Nothing is written
// if any number is not there.
func WriteLaTeX(folder, results string) error {
	file := filepath.Join(folder, List)
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	from := newPublished(results)
	files, err := latex(file, string(text), from)
	if err != nil {
		return errors.Join(err, from.errors())
	}
	tables := filepath.Join(folder, "tables")
	if err := cmp.Or(os.RemoveAll(tables), os.MkdirAll(tables, 0o777)); err != nil {
		return err
	}
	for name, text := range files {
		if err := store.WriteFile(filepath.Join(folder, name), []byte(text)); err != nil {
			return err
		}
	}
	return nil
}

// latex returns the files that a list names. The error has all that is wrong, each with its line.
func latex(file, text string, tables Tables) (files map[string]string, failed error) {
	var l list
	meta, err := toml.Decode(text, &l)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	check := func(name string, err error) {
		if err != nil { // at the line where it is a key, or a value at the end
			before := regexp.MustCompile(`(?m)\b`+regexp.QuoteMeta(name)+`( *=|["']$)`).Split(text, 2)
			err = fmt.Errorf("%s:%d: %s: %w", file, 1+strings.Count(before[0], "\n"), name, err)
		}
		failed = errors.Join(failed, err)
	}
	for _, key := range meta.Undecoded() {
		check(key[len(key)-1], fmt.Errorf("%s is not a key; allowed in [[table]]: name, align, head, rows, "+
			"and columns with cell and none; in [[plot]]: name, from, rows, columns", key))
	}
	macros := "% Written from the results by the runner; see " + List + ".\n"
	for _, name := range slices.Sorted(maps.Keys(l.Number)) {
		number, err := quote(l.Number[name], tables, `\ensuremath{%s}`,
			`\ensuremath{%s} [\ensuremath{%s},~\ensuremath{%s}]`)
		check(name, err)
		macros += fmt.Sprintf("\\newcommand{\\%s}{%s\\xspace}\n", name, number)
	}
	files = map[string]string{"numbers.tex": macros}
	for _, t := range l.Table {
		files["tables/"+t.Name+".tex"], err = t.tex(tables)
		check(t.Name, err)
	}
	for _, p := range l.Plot {
		files["tables/"+p.Name+".dat"], err = p.data(tables)
		check(p.Name, err)
	}
	return files, failed
}

// data returns the rows of all series under a header. A field without a value is nan.
func (p plot) data(tables Tables) (string, error) {
	text := "series " + strings.Join(p.Columns, " ") + "\n"
	for series, fields := range p.Rows {
		words := strings.Fields(p.From + " " + fields)
		rows, err := find(tables, words[0], words[1:], p.Columns...)
		if err != nil {
			return "", err
		}
		for row := range rows.Len() {
			text += strconv.Itoa(series)
			for _, column := range p.Columns {
				text += " " + cmp.Or(rows.Texts(column)[row], "nan")
			}
			text += "\n"
		}
	}
	return text, nil
}
