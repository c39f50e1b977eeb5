// Package quote reads the numbers of published tables that texts quote: the READMEs
// and the paper.
package quote

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

// Source is a field of a published table.
type Source struct {
	From   string  // the table, as EXPERIMENT/TABLE; EXPERIMENT/manifest is the resolved manifest
	Row    string  // the fields that tell its row, as "method=adf k=25"
	Column string  // of a manifest a key, as "method.adf.lambda"
	Factor float64 // of a number, such as 100 for per cent; 0 is 1
}

// Results are published tables, each read once.
type Results struct {
	dir  string
	read map[string]*table.Table
}

// Open returns the tables in the folder of all results. A table is read when it is first needed.
func Open(dir string) *Results { return &Results{dir, map[string]*table.Table{}} }

// Get returns a published table by its name EXPERIMENT/TABLE, nil if it cannot be read.
func (r *Results) Get(from string) *table.Table {
	t, _ := r.Rows(from, "")
	return t
}

// Rows returns the rows of a table with these fields, "key=value" separated by spaces. It is
// an error if the table does not match its checksum, or lacks a column.
func (r *Results) Rows(from, fields string) (*table.Table, error) {
	rows := r.read[from]
	if rows == nil {
		experiment, name, _ := strings.Cut(from, "/")
		results, err := store.OpenResults(filepath.Join(r.dir, experiment))
		if err != nil {
			return nil, err
		}
		if rows, err = results.Table(name); err != nil {
			return nil, err
		}
		r.read[from] = rows
	}
	selected, err := where(rows, fields)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	return selected, nil
}

func noColumn(from, name string, t *table.Table) error {
	var names []string
	for _, c := range t.Columns {
		names = append(names, c.Name)
	}
	return fmt.Errorf("%s has no column %q; allowed: %s", from, name, strings.Join(names, ", "))
}

// ErrEmpty is the error of a field without a value.
var ErrEmpty = errors.New("is empty")

// Text returns a field as it is stored. It is an error if not exactly one row has it, or if
// it is empty.
func (r *Results) Text(s Source) (string, error) {
	if experiment, isSetting := strings.CutSuffix(s.From, "/manifest"); isSetting {
		return r.setting(experiment, s.Column)
	}
	return s.text(r.Rows(s.From, s.Row))
}

// text returns the field of the rows that have the fields, which must be one.
func (s Source) text(rows *table.Table, err error) (string, error) {
	switch {
	case err != nil:
		return "", err
	case rows.Len() != 1:
		return "", fmt.Errorf("%d rows of %s have %q; need one", rows.Len(), s.From, s.Row)
	case !rows.Has(s.Column):
		return "", noColumn(s.From, s.Column, rows)
	}
	text := rows.Texts(s.Column)[0]
	if text == "" {
		return "", fmt.Errorf("%s %w in the row of %s with %q", s.Column, ErrEmpty, s.From, s.Row)
	}
	return text, nil
}

// setting returns a value of a resolved manifest. Elements of lists go by their names.
func (r *Results) setting(experiment, key string) (string, error) {
	file := filepath.Join(r.dir, experiment, "manifest.toml")
	tree := map[string]any{}
	if _, err := toml.DecodeFile(file, &tree); err != nil {
		return "", err
	}
	var at any = tree
	for _, k := range strings.Split(key, ".") {
		switch node := at.(type) {
		case map[string]any:
			at = node[k]
		case []map[string]any:
			i := slices.IndexFunc(node, func(e map[string]any) bool { return e["name"] == k })
			if i < 0 {
				return "", fmt.Errorf("%s: no element of %s is called %s", file, key, k)
			}
			at = node[i]
		}
	}
	switch at.(type) {
	case string, int64, float64:
		return fmt.Sprint(at), nil
	}
	return "", fmt.Errorf("%s: %s must be a number or a string", file, key)
}

// Number returns a field times the factor.
func (r *Results) Number(s Source) (float64, error) { return s.number(r.Text(s)) }

func (s Source) number(text string, err error) (float64, error) {
	if err != nil {
		return 0, err
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return 0, fmt.Errorf("%s is %q in the row of %s with %q; need a number", s.Column, text, s.From, s.Row)
	}
	return x * cmp.Or(s.Factor, 1), nil
}
