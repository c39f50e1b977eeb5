package own

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"closedform/core/bnn"
	"closedform/core/classifier"
	"closedform/core/random"
	"closedform/internal/checktest"
	"closedform/runner/dataset"
)

// A file with the former note reads its rows as it did. A note whose lengths do not fit is not read in part.
func TestFormerNote(t *testing.T) {
	network := checktest.Must(bnn.New(bnn.Default(2, 2), random.Source("former")))
	c := classifier.From(network, &classifier.History{})
	path := filepath.Join(t.TempDir(), File)
	read := func(note string) (*Network, error) {
		var file bytes.Buffer
		c.Note = json.RawMessage(note)
		checktest.OK(t, c.Save(&file))
		checktest.OK(t, os.WriteFile(path, file.Bytes(), 0o666))
		return Read(path)
	}
	note := `{"classes": ["a", "b"], "column": "kind", "layout": {"separator": ";"},
		"scaler": {"features": [{"column": "x"}, {"column": "colour", "level": "red"}],
			"fill": [3, 0], "shift": [1, 0.5], "factor": [2, 4]},
		"counts": {"rows": 9, "unknown": 1, "learned": 8, "wrong": 2, "loss": 1.5}}`
	for _, short := range []string{"[3, 0]", "[1, 0.5]", "[2, 4]"} {
		_, err := read(strings.Replace(note, short, "[3]", 1))
		checktest.Refuses(t, short, err)
	}
	n := checktest.Must(read(note))
	three, zero := 3.0, 0.0
	checktest.Equal(t, "inputs", n.Scaler, dataset.Scaler{
		{Column: "x", Fill: &three, Shift: 1, Factor: 2},
		{Column: "colour", Level: "red", Fill: &zero, Shift: 0.5, Factor: 4},
	})
	checktest.Equal(t, "format", n.Format, dataset.Format{Class: "kind", Separator: ";"})
	checktest.Equal(t, "counts", []int{n.Rows, n.Learned, n.Added}, []int{9, 8, 0})
	var shown strings.Builder
	n.Show(&shown)
	checktest.True(t, strings.Contains(shown.String(), "some rows of the training table"), "%s", &shown)
}
