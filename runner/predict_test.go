package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/classifier"
	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/runner/dataset"
	"closedform/runner/internal/table"
)

// leaves is a table of three kinds of leaves, and mine a manifest that keeps its network.
func leaves() string {
	var b strings.Builder
	b.WriteString("species,length,colour,width\n")
	for i := range 60 {
		k := i % 3
		species, colour := []string{"Ash", "Elm", "Oak"}[k], []string{"green", "red"}[i%2]
		fmt.Fprintf(&b, "%s,%d,%s,%g\n", species, 10+7*k+i%5, colour, 2.5*float64(k)+float64(i%7)/3)
	}
	return b.String()
}

const mine = `name  = "mine"
study = "learn"
seed  = 3
[data]
file = "leaves.csv"
class = "species"
categorical = ["colour"]
test_fraction = 0.2
[model]
hidden_layers = [4]
rule = "adf"
[save]
network = true
`

// trained runs a manifest called mine that learns the leaves, and returns the file of its network.
func trained(t *testing.T, manifest string) string {
	t.Helper()
	inExperiments(t, map[string]string{"mine.toml": manifest, "leaves.csv": leaves()})
	mustRun(t, "-exp", "mine")
	return filepath.Join("results", "mine", "network.npz")
}

// predicted returns the predictions of a table by a network, and what else predict prints.
func predicted(t *testing.T, network, rows string, flags ...string) (out *table.Table, text, stderr string) {
	t.Helper()
	data := write(t, rows, "new.csv")
	text, stderr, err := try(t, append([]string{"predict", network, "-data", data}, flags...)...)
	check.OK(t, err)
	return check.Must(table.Read("out", strings.NewReader(text))), text, stderr
}

// A network that is kept predicts new rows to the bit as it does in Go, whatever other
// columns there are and in which order.
func TestPredict(t *testing.T) {
	file := trained(t, mine)
	contains(t, read(t, "results", "mine", "README.md"), "\n- `network.npz`: ")
	first := read(t, file)
	remove(t, "results", "mine", "cells")
	remove(t, file) // as in a clone
	check.Equal(t, "verify prints", mustRun(t, "verify", "-exp", "mine"), "mine: same bytes\n")
	mustRun(t, "-exp", "mine")
	check.Equal(t, "another run keeps the same", read(t, file) == first, true)
	network := check.Must(classifier.Load(strings.NewReader(first)))
	const rows = "width,notes,colour,length\n3,a,red,12\n4.25,b,green,19\n6.5,c,blue,21.5\n"
	out, text, stderr := predicted(t, file, rows)
	contains(t, stderr, "new.csv:4: colour=blue was not in the training; its inputs are 0\n")
	begins(t, text, "row,class,probability,confidence,aleatoric,epistemic,mutual_information,familiarity,"+
		"p_Ash,p_Elm,p_Oak")
	check.Equal(t, "rows", out.Len(), 3)
	var note struct{ Scaler dataset.Scaler }
	check.OK(t, json.Unmarshal(network.Note, &note))
	for i, x := range [][]float64{{12, 0, 1, 3}, {19, 1, 0, 4.25}, {21.5, 0, 0, 6.5}} {
		for j := range x {
			x[j] = (x[j] - note.Scaler[j].Shift) * note.Scaler[j].Factor
		}
		var p classifier.Prediction
		check.OK(t, network.Predict(&p, x))
		aleatoric, epistemic := p.Details.LabelVariance()
		check.Equal(t, "class", out.Texts("class")[i], []string{"unknown", "Ash", "Elm", "Oak"}[p.Class+1])
		for column, want := range map[string]float64{
			"probability": p.P[p.Details.Class()], "aleatoric": aleatoric, "epistemic": epistemic, "p_Oak": p.P[2],
			"familiarity": p.Familiarity,
		} {
			check.Equal(t, fmt.Sprintf("row %d: %s", i+1, column), out.Nums(column)[i], want)
		}
	}
	show := mustRun(t, "show", file)
	contains(t, show, "classes    3: Ash, Elm, Oak\n", "learned    48 examples, of which 0 ",
		"input      colour=red: (x − 0.5", "model      weight 0.", "Layers:[4 4 3]")
}

// A row that cannot be predicted is unknown, and costs no other row; the exit code is 1. The rows that have a
// class are scored.
func TestPredictBadRows(t *testing.T) {
	file := trained(t, mine)
	write(t, "width,colour,length,species\n1e300,red,12,Ash\n3,red,,Ash\nwide,red,12,Oak\n3,red\n"+
		"4.25,green,19,Elm\n4,red,19,Fir\n4,red,19,?\n", "new.csv")
	code, text, stderr := exit(t, "predict", file, "-data", "new.csv")
	contains(t, text, "row,class,", "\n1,unknown,0.", "\n2,unknown,,,,,,,,,\n3,unknown,,", "\n5,Elm,0.")
	contains(t, stderr, `new.csv:3: column "length" has no value`, "new.csv:4: column \"width\": \"wide\"",
		"new.csv:5: wrong number of fields", "new.csv: 4 rows with a class: error ", ", unknown 0.75\n",
		"runner: 3 of 7 rows could not be predicted\n")
	check.Equal(t, "exit code and lines", []int{code, strings.Count(text, "\n")}, []int{1, 8})
	// The scores are those of the columns, of the rows that it was trained on.
	out, _, said := predicted(t, file, leaves())
	wrong, loss := 0.0, 0.0
	for i, class := range out.Texts("class") {
		truth := []string{"Ash", "Elm", "Oak"}[i%3]
		loss -= math.Log(out.Nums("p_" + truth)[i]) / 60
		if class != truth {
			wrong++
		}
	}
	contains(t, said, fmt.Sprintf("60 rows with a class: error %.4g, log_loss %.4g, brier 0.", wrong/60, loss))
}

// A row times 1000 is unlike all others, however sure the network is.
func TestPredictUnknown(t *testing.T) {
	file := trained(t, mine)
	for _, c := range []struct{ flags, want, says string }{
		{"", "Ash,unknown", ""},
		{"-familiar 0", "Ash,Oak", ""},
		{"-unknown 0.1", "Ash,unknown", ""},
		{"-unknown 0.9 -familiar 0", "unknown,Oak", ""},
		{"-wrong 0.5", "Ash,unknown", "with 95 % confidence at most 50 % of the answers are wrong"},
		{"-wrong 0.01", "unknown,unknown", "all rows are unknown"},
	} {
		far := "width,colour,length\n3,red,12\n3000,red,12000\n"
		out, text, stderr := predicted(t, file, far, strings.Fields(c.flags)...)
		if got := strings.Join(out.Texts("class"), ","); got != c.want || out.Nums("familiarity")[1] >= 0.01 {
			t.Errorf("%s: %s, want %s\n%s", c.flags, got, c.want, text)
		}
		if !strings.Contains(stderr, c.says) || c.says == "" && stderr != "" {
			t.Errorf("%s: it says %q", c.flags, stderr)
		}
	}
}

// Rows come packed, or by the standard input.
func TestPredictFromAnywhere(t *testing.T) {
	file := trained(t, mine)
	const rows = "leaf,width,colour,length\nx7,3,red,12\ny8,4.25,green,19\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, rows)
	z.Close()
	write(t, packed.String(), "new.csv.gz")
	want := mustRun(t, "predict", "-data", "new.csv.gz", file)
	contains(t, want, "row,class,", "\n1,Ash,", "\n2,Elm,")
	withInput(t, rows)
	check.Equal(t, "from the standard input", mustRun(t, "predict", file, "-data", "-"), want)
	mustRun(t, "predict", file, "-data", "new.csv.gz", "-to", "out.csv.gz")
	unpacked := check.Must(gzip.NewReader(strings.NewReader(read(t, "out.csv.gz"))))
	check.Equal(t, "packed", string(check.Must(io.ReadAll(unpacked))), want)
}

func TestPredictRefuses(t *testing.T) {
	file := trained(t, mine)
	n := check.Must(bnn.New(bnn.Default(2, 2), random.Source("test")))
	const columns = `"scaler":[{"column":"length"},{"column":"width"}]`
	for name, note := range map[string]string{
		"plain":  "",
		"added":  `{"classes":["a","b"],` + columns + `,"added":3}`,
		"silent": `{"classes":["a","b"],` + columns + `}`,
	} {
		var saved bytes.Buffer
		check.OK(t, checkpoint.Save(&saved, n, note))
		write(t, saved.String(), name+".npz")
	}
	const says = ": a model of 2 inputs and 2 classes, of which it names "
	for _, c := range []struct{ args, rows, want string }{
		{file, "length,width\n1,2\n", `new.csv:1: no column "colour"`},
		{file, "", "new.csv: empty; need a header line"},
		{file + " -class kind", "length,width,colour\n", `new.csv:1: no column "kind"`},
		{file + " -wrong 0", "", "-wrong: 0 is not allowed"},
		{file + " -to new.csv", "", "-to new.csv is new.csv, which the predictions would replace"},
		{"plain.npz", "length\n1\n", "plain.npz" + says + "0 and 0"},
		{"added.npz", "length,width\n1,1\n", "added.npz" + says},
		{"silent.npz -wrong 0.1", "length,width\n1,1\n", "silent.npz: classifier: no record of predictions"},
		{"new.csv", "length\n1\n", "new.csv: checkpoint: the file is truncated"},
		{"none.npz", "length\n1\n", "none.npz"},
	} {
		write(t, c.rows, "new.csv")
		args := append([]string{"predict", "-data", "new.csv", "-to", "out.csv"}, strings.Fields(c.args)...)
		_, _, err := try(t, args...)
		check.Refuses(t, c.args, err, c.want)
		check.Equal(t, "one line", strings.Contains(err.Error(), "\n"), false)
	}
	check.Equal(t, "an error leaves a file", exists("out.csv"), false)
	code, _, stderr := exit(t, "predict", file, "-data", "experiments/leaves.csv", "-to", "gone/out.csv")
	check.Equal(t, "exit code", code, 1)
	contains(t, stderr, "runner: write gone/out.csv: no such file or directory\n")
}
