package store

import (
	"path/filepath"
	"strings"

	"closedform/runner/internal/table"
)

// Published returns a function that reads the tables in a folder of results, by names EXPERIMENT/TABLE. It
// reads each table once.
func Published(results string) func(name string) (*table.Table, error) {
	tables := map[string]*table.Table{}
	return func(name string) (t *table.Table, err error) {
		if t = tables[name]; t != nil {
			return t, nil
		}
		experiment, file, _ := strings.Cut(name, "/")
		r, err := OpenResults(filepath.Join(results, experiment))
		if err == nil {
			t, err = r.Table(file)
		}
		tables[name] = t
		return t, err
	}
}
