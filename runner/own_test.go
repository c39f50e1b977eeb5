package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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
	check.InExperiments(t, map[string]string{"moons.toml": manifest})
	program.Run(t, "-exp", "moons")
	return filepath.Join("results", "moons", "network.npz")
}

// withInput makes a text the standard input.
func withInput(t *testing.T, text string) {
	t.Helper()
	file := check.Must(os.Open(check.Write(t, text)))
	was := os.Stdin
	t.Cleanup(func() { os.Stdin = was; file.Close() })
	os.Stdin = file
}

// A run keeps the same network each time. It is shown, and predicts rows to the standard output or a file.
func TestPredict(t *testing.T) {
	file := trained(t, keeping)
	check.Contains(t, check.Read("results", "moons", "README.md"), "\n- `network.npz`: ")
	before := check.Read(file)
	check.Remove(t, "results", "moons", "cells")
	check.Remove(t, file) // as in a clone
	check.Equal(t, "verify prints", program.Run(t, "verify", "-exp", "moons"), "moons: same bytes\n")
	program.Run(t, "-exp", "moons")
	check.Equal(t, "another run keeps the same", check.Read(file) == before, true)
	check.Contains(t, program.Run(t, "show", file), "classes    2: 1, 2\n", ": layers = [2, 4, 2], ")

	const rows = "note,x2,x1\na,0.5,0\nb,0,1\n"
	check.Write(t, rows, "new.csv")
	want := program.Run(t, "predict", "-data", "new.csv", file)
	check.Contains(t, want, "row,class,", "familiarity,p_1,p_2\n2,", "\n3,")
	withInput(t, rows)
	check.Equal(t, "from the standard input", program.Run(t, "predict", file, "-data", "-"), want)
	program.Run(t, "predict", file, "-data", "new.csv", "-to", "out.csv.gz")
	unpacked := check.Must(gzip.NewReader(strings.NewReader(check.Read("out.csv.gz"))))
	check.Equal(t, "packed", string(check.Must(io.ReadAll(unpacked))), want)
	check.Write(t, "kind\n1\n2\n", "kinds.csv")
	_, stderr := says(t, "predict", file, "-data", "new.csv", "-labels", "kinds.csv")
	check.Contains(t, stderr, "new.csv: 2 rows with a class: ")
	_, stderr = says(t, "learn", file, "-data", "new.csv", "-labels", "kinds.csv", "-to", "more.npz")
	check.Contains(t, stderr, "more.npz: 2 rows, 2 learned")
	check.Write(t, "kind\n1\n", "few.csv")
	check.Write(t, "x1,x2\n1,2\nwide,1\n", "bad.csv")
	for args, says := range map[string]string{
		"-data new.csv -to new.csv":      "new.csv is the input new.csv, which would be lost",
		"-data new.csv -to gone/out.csv": "write gone/out.csv: no such file or directory",
		"-data bad.csv":                  "1 of 2 rows could not be predicted",
		"-data new.csv -labels few.csv":  "new.csv:3: few.csv has ended",
	} {
		code, _, stderr := exit(t, append([]string{"predict", file}, strings.Fields(args)...)...)
		check.Equal(t, args+": exit code", code, 1)
		check.Contains(t, stderr, "runner: "+says)
	}
}

// A table needs no manifest: one is written and run, and its network predicts and learns other rows.
func TestOwnTable(t *testing.T) {
	rows := strings.SplitAfter(check.Read("..", "experiments", "own_data.csv"), "\n")
	table := strings.Join(rows[:91], "")
	check.InExperiments(t, map[string]string{"x.toml": keeping})
	check.Write(t, table, "my leaves.csv")
	command := []string{"run", "-data", "my leaves.csv", "-class", "species"}
	out, said := says(t, command...)
	const network = "closedform-results/my_leaves/network.npz"
	rowsOf := check.Proposed(t, out)
	check.Contains(t, out+said, "manifest: my leaves.toml\n", "my leaves.csv: 90 examples, ",
		"\n  network  ", "\n  majority  ", "\n  linear  ", "predict "+network)
	check.Contains(t, program.Run(t, command...), "is up to date")
	// What is called linear cannot learn which signs differ: its log loss is that of a coin.
	signs := "a,b,class\n"
	for i := range 80 {
		a, b := float64(i%9)-4.5, float64(i*5%11)-5.5
		signs += fmt.Sprintf("%g,%g,%t\n", a, b, a*b > 0)
	}
	check.Write(t, signs, "signs.csv")
	var wrong, loss float64
	_, row, _ := strings.Cut(program.Run(t, "run", "-data", "signs.csv"), "\n  linear ")
	_, err := fmt.Sscanf(strings.NewReplacer("[", "", "]", "", ",", "").Replace(row), "%g %g %g %g", &wrong, new(float64), new(float64), &loss)
	check.OK(t, err)
	check.True(t, loss > 0.6, "log loss of a linear network: %g", loss)
	_, _, err = program.Try(t, append(command, "-all-rows")...)
	check.Refuses(t, "another manifest", err, "my leaves.toml exists and differs from")
	check.Contains(t, program.Run(t, check.Proposed(t, err.Error())...), "is up to date")
	rowsOf[slices.Index(rowsOf, "FILE")] = "my leaves.csv"
	says(t, rowsOf...)
	_, said = says(t, "predict", network, "-data", "my leaves.csv")
	check.Contains(t, said, "my leaves.csv: 90 rows with a class: ",
		": scores of 90 rows, unknown ones included: error 0.0")
	check.Write(t, strings.NewReplacer(",", ";", ".", ",").Replace(table), "other.csv")
	program.Fails(t, "-separator ';' makes 5 of it", "predict", network, "-data", "other.csv")
	_, again := says(t, "predict", network, "-data", "other.csv", "-separator", ";", "-decimal", ",")
	check.Equal(t, "it says", again, strings.ReplaceAll(said, "my leaves.csv", "other.csv"))

	check.Write(t, table, "other", "My leaves.CSV") // its results would replace those of the first table
	command[2] = "other/My leaves.CSV"
	program.Fails(t, "closedform-results/my_leaves has the results of /",
		append(command, "-out", "closedform-results")...)
	says(t, "learn", network, "-data", "my leaves.csv")
	check.Remove(t, "closedform-results", "my_leaves", "cells")
	program.Fails(t, "network.npz has learned 90 rows since it was trained", "run", "-exp", "my leaves.toml")
	program.Fails(t, "need -data", "run", "-exp", "x", "-ignore", "a")
}

// A table in a folder that cannot be written to has its manifest in the folder of -out.
func TestOwnTableReadOnly(t *testing.T) {
	file, err := os.Open(filepath.Join("..", "experiments", "own_data.csv"))
	check.OK(t, err)
	defer file.Close()
	table := fmt.Sprintf("/proc/self/fd/%d", file.Fd()) // nobody can make a file there
	if !check.Exists(table) {
		t.Skip("no folder " + filepath.Dir(table))
	}
	labels := strings.Repeat("a\nb\n", 150)
	check.InExperiments(t, map[string]string{"x.toml": keeping})
	check.Write(t, "class\n"+labels, "labels.csv")
	command := []string{"run", "-data", table, "-labels", "labels.csv", "-ignore", "species", "-quiet"}
	program.Fails(t, "-out FOLDER", command...)
	command = append(command, "-out", "new folder")
	check.Contains(t, program.Run(t, command...), "manifest: new folder/", ".toml\n", "predict 'new folder/")
	check.Contains(t, program.Run(t, command...), "is up to date")
	_, _, err = program.Try(t, append(command, "-all-rows")...)
	check.Refuses(t, "another manifest", err, ".toml exists and differs from")
	check.Contains(t, program.Run(t, check.Proposed(t, err.Error())...), "is up to date")
}

// Each table has a results folder of its own, or is refused, whatever its name is.
func TestOwnTablesDoNotCollide(t *testing.T) {
	table := strings.Join(strings.SplitAfter(check.Read("..", "experiments", "own_data.csv"), "\n")[:31], "")
	check.InExperiments(t, map[string]string{"x.toml": keeping})
	long := strings.Repeat("sensor", 12)
	for _, c := range []struct{ first, second, says string }{
		{"a.b", "a_b", "a_b has the results of "},
		{"数据", "温度", ""},
		{long + "_2023", long + "_2024", ""},
	} {
		check.Remove(t, "closedform-results")
		for _, name := range []string{c.first, c.second} {
			check.Write(t, table, name+".csv")
			_, _, err := program.Try(t, "run", "-data", name+".csv", "-class", "species", "-quiet")
			if name == c.second && c.says != "" {
				check.Refuses(t, name, err, c.says, c.first+".toml, not of "+name+".toml")
				_, _, err = program.Try(t, "run", "-data", name+".csv", "-class", "species", "-quiet", "-out", "else")
			}
			check.OK(t, err)
		}
		made := len(check.Glob("closedform-results", "*", "network.npz")) + len(check.Glob("else", "*", "network.npz"))
		check.Equal(t, c.first+": networks", made, 2)
		check.Remove(t, "else")
	}
}

// A packed table is learned, and tested by another one, whose errors name it.
func TestOwnTestTable(t *testing.T) {
	lines := strings.SplitAfter(check.Read("..", "experiments", "own_data.csv"), "\n")
	check.InExperiments(t, map[string]string{"x.toml": keeping})
	check.Write(t, check.Gzip(strings.Join(lines[:61], "")), "leaves.csv.gz")
	command := strings.Fields("run -data leaves.csv.gz -test new/rows.csv -class species")
	program.Fails(t, "leaves: no file new/rows.csv", command...)
	check.Write(t, lines[0]+strings.Join(lines[60:91], ""), "new", "rows.csv")
	_, said := says(t, command...)
	check.Contains(t, said, "rows.csv: inputs that repeat those of other rows")
	check.Contains(t, check.Read("closedform-results/leaves/runs.csv"), "network,1,60,31,")
	check.Write(t, lines[0]+"1,2,3,4,yew\n", "new", "rows.csv")
	program.Fails(t, `new/rows.csv:2: class "yew" is not in the training part`, command...)
}
