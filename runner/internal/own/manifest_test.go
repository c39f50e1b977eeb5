package own

import (
	"testing"

	"closedform/internal/check"
	"closedform/runner/dataset"
	"closedform/runner/internal/config"
	"closedform/runner/internal/studies/learn"
)

// The manifest of a large table, whose rows one split is enough for, is one that runs.
func TestLargeTable(t *testing.T) {
	large := &dataset.Table{Columns: []string{"x", "class"}, Cells: make([][]string, 6000)}
	text := check.Must(manifest("large.csv", "", large, &dataset.Profile{Format: dataset.Format{Class: "class"}}))
	m := check.Must(config.Parse("large.toml", []byte(text), nil))
	check.Must(learn.Kind.New(m))
}
