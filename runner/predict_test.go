package main

import (
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

// keeping is a manifest called moons that keeps its network.
const keeping = `name = "moons"
study = "learn"
seed = 3
data = {generator = "moons", train = 48, test = 12}
[model]
hidden_layers = [4]
[save]
network = true
`

// trained runs a manifest called moons, and returns the file of its network.
func trained(t *testing.T, manifest string) string {
	t.Helper()
	inExperiments(t, map[string]string{"moons.toml": manifest})
	mustRun(t, "-exp", "moons")
	return filepath.Join("results", "moons", "network.npz")
}

// withInput makes a text the standard input.
func withInput(t *testing.T, text string) {
	t.Helper()
	file := check.Must(os.Open(write(t, text)))
	was := os.Stdin
	t.Cleanup(func() { os.Stdin = was; file.Close() })
	os.Stdin = file
}

// A run keeps the same network each time. It is shown, and predicts rows to the standard output or a file.
func TestPredict(t *testing.T) {
	file := trained(t, keeping)
	contains(t, read(t, "results", "moons", "README.md"), "\n- `network.npz`: ")
	before := read(t, file)
	remove(t, "results", "moons", "cells")
	remove(t, file) // as in a clone
	check.Equal(t, "verify prints", mustRun(t, "verify", "-exp", "moons"), "moons: same bytes\n")
	mustRun(t, "-exp", "moons")
	check.Equal(t, "another run keeps the same", read(t, file) == before, true)
	contains(t, mustRun(t, "show", file), "classes    2: 1, 2\n", "input      x2: (x ", "Layers:[2 4 2]")

	const rows = "note,x2,x1\na,0.5,0\nb,0,1\n"
	write(t, rows, "new.csv")
	want := mustRun(t, "predict", "-data", "new.csv", file)
	contains(t, want, "row,class,", "familiarity,p_1,p_2\n1,", "\n2,")
	withInput(t, rows)
	check.Equal(t, "from the standard input", mustRun(t, "predict", file, "-data", "-"), want)
	mustRun(t, "predict", file, "-data", "new.csv", "-to", "out.csv.gz")
	unpacked := check.Must(gzip.NewReader(strings.NewReader(read(t, "out.csv.gz"))))
	check.Equal(t, "packed", string(check.Must(io.ReadAll(unpacked))), want)
	write(t, "x1,x2\n1,2\nwide,1\n", "bad.csv")
	for args, says := range map[string]string{
		"-data new.csv -to new.csv":      "-to new.csv is new.csv, which the predictions would replace",
		"-data new.csv -to gone/out.csv": "write gone/out.csv: no such file or directory",
		"-data bad.csv":                  "1 of 2 rows could not be predicted",
	} {
		code, _, stderr := exit(t, append([]string{"predict", file}, strings.Fields(args)...)...)
		check.Equal(t, args+": exit code", code, 1)
		contains(t, stderr, "runner: "+says)
	}
}
