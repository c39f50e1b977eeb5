package closedform

import (
	"bytes"
	"encoding/csv"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"closedform/internal/check"
)

// Times, which are measured apart from the results ("runner time"), are of the methods that the results have.
func TestTimesOfResults(t *testing.T) {
	methods := func(file string) []string {
		rows := check.Must(csv.NewReader(bytes.NewReader(check.Must(os.ReadFile(file)))).ReadAll())
		seen := map[string]bool{}
		for _, row := range rows[1:] {
			seen[row[slices.Index(rows[0], "method")]] = true
		}
		return slices.Sorted(maps.Keys(seen))
	}
	files := check.Must(filepath.Glob("results/*/timing_methods.csv"))
	check.Equal(t, "no times", len(files) == 0, false)
	for _, file := range files {
		check.Equal(t, file+": methods", methods(file), methods(filepath.Join(filepath.Dir(file), "runs.csv")))
	}
}
