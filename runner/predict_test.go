package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/familiar"
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
	first := results(t, filepath.Dir(file))["network.npz"]
	remove(t, "results", "mine", "cells")
	remove(t, file) // as in a clone
	check.Equal(t, "verify prints", mustRun(t, "verify", "-exp", "mine"), "mine: same bytes\n")
	mustRun(t, "-exp", "mine")
	check.Equal(t, "another run keeps the same", results(t, filepath.Dir(file))["network.npz"] == first, true)
	network, note, err := checkpoint.Load(strings.NewReader(first))
	check.OK(t, err)
	contains(t, note, `"classes":["Ash","Elm","Oak"]`, `{"column":"colour","level":"red"}`, `"shift":[`)
	const rows = "width,notes,colour,length\n3,a,red,12\n4.25,b,green,19\n6.5,c,blue,21.5\n"
	out, text, stderr := predicted(t, file, rows)
	contains(t, stderr, "words that the training did not have, all of whose inputs are 0: colour=blue\n")
	begins(t, text, "row,class,probability,aleatoric,epistemic,mutual_information,familiarity,p_Ash,p_Elm,p_Oak")
	check.Equal(t, "rows", out.Len(), 3)
	var m struct{ Scaler dataset.Scaler }
	check.OK(t, json.Unmarshal([]byte(note), &m))
	for i, x := range [][]float64{{12, 0, 1, 3}, {19, 1, 0, 4.25}, {21.5, 0, 0, 6.5}} {
		for j := range x {
			x[j] = (x[j] - m.Scaler.Shift[j]) * m.Scaler.Factor[j]
		}
		var p bnn.Prediction
		check.OK(t, network.Predict(&p, x))
		aleatoric, epistemic := p.LabelVariance()
		check.Equal(t, "class", out.Texts("class")[i], []string{"Ash", "Elm", "Oak"}[p.Class()])
		for column, want := range map[string]float64{
			"probability": p.P[p.Class()], "aleatoric": aleatoric, "epistemic": epistemic, "p_Oak": p.P[2],
		} {
			check.Equal(t, fmt.Sprintf("row %d: %s", i+1, column), out.Nums(column)[i], want)
		}
	}
	// Into a file, with decisions: the other columns are the same.
	second := out.Nums("probability")[1]
	least := fmt.Sprint(second + 1e-9)
	_, _, err = try(t, "predict", file, "-data", "new.csv", "-to", "out.csv", "-unknown", least)
	check.OK(t, err)
	decided := check.Must(table.Read("out", strings.NewReader(read(t, "out.csv"))))
	row := []any{decided.Texts("class")[1], decided.Nums("probability")[1]}
	check.Equal(t, "decided", row, []any{"unknown", second})
	// A row that overflows is unknown, and costs no other row.
	_, text, stderr = predicted(t, file, "width,colour,length\n3,red,12\n1e308,red,12\n4.25,green,19\n")
	contains(t, text, "\n2,unknown,,,,,,,,\n3,Elm,0.")
	begins(t, stderr, "new.csv:3: ")
	check.Equal(t, "lines", strings.Count(stderr, "\n"), 1)
	// The rows that it was trained on, with their classes, which do not count.
	out, _, _ = predicted(t, file, leaves())
	right := 0
	for i, class := range out.Texts("class") {
		right += strings.Count(strings.Split(leaves(), "\n")[i+1], class)
	}
	if right < 50 {
		t.Errorf("%d of 60 rows are right", right)
	}
}

// A row times 1000 is unlike all others, however sure the network is.
func TestPredictUnknown(t *testing.T) {
	file := trained(t, mine)
	for _, c := range []struct{ flags, want, says string }{
		{"", "Ash,Oak", ""},
		{"-unknown 0.1", "Ash,unknown", ""},
		{"-unknown 0.1 -familiar 0", "Ash,Oak", ""},
		{"-familiar 0.01", "Ash,unknown", ""},
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

// Rows come packed, or by the standard input, and a column of theirs may begin the predictions.
func TestPredictFromAnywhere(t *testing.T) {
	file := trained(t, mine)
	const rows = "leaf,width,colour,length\nx7,3,red,12\ny8,4.25,green,19\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	fmt.Fprint(z, rows)
	z.Close()
	write(t, packed.String(), "new.csv.gz")
	want := mustRun(t, "predict", "-data", "new.csv.gz", file, "-id", "leaf")
	contains(t, want, "leaf,class,", "\nx7,Ash,", "\ny8,Elm,")
	withInput(t, rows)
	check.Equal(t, "from the standard input", mustRun(t, "predict", file, "-data", "-", "-id", "leaf"), want)
	withInput(t, "class"+strings.TrimPrefix(rows, "leaf"))
	fails(t, "-id class: the predictions have such a column", "predict", file, "-data", "-", "-id", "class")
	fails(t, `new.csv.gz: no column "leave"`, "predict", file, "-data", "new.csv.gz", "-id", "leave")
	fails(t, "-wrong: 0 is not allowed", "predict", file, "-data", "new.csv.gz", "-wrong", "0")
	mustRun(t, "predict", file, "-data", "new.csv.gz", "-id", "leaf", "-to", "out.csv.gz")
	unpacked := check.Must(gzip.NewReader(strings.NewReader(read(t, "out.csv.gz"))))
	check.Equal(t, "packed", string(check.Must(io.ReadAll(unpacked))), want)
}

// What a program saved by checkpoint.Save, a bank of networks, predicts the columns in their order,
// as numbers of classes.
func TestPredictBare(t *testing.T) {
	inExperiments(t, nil)
	network := check.Must(bnn.New(bnn.Default(2, 3), random.Source("one")))
	ensemble := check.Must(bnn.NewEnsemble(bnn.Default(2, 4, 3), 2, random.Source("two")))
	bank := check.Must(bnn.NewBank(network, ensemble))
	note := check.Must(json.Marshal(map[string]any{"familiar": familiar.New(2)}))
	x := []float64{0.5, -1.25}
	check.Must(bank.Observe(x, 2))
	for i, model := range []bnn.Model{network, ensemble, bank} {
		var file bytes.Buffer
		var p bnn.Prediction
		notes := []string{"", "trained on Friday", string(note)}
		check.OK(t, errors.Join(checkpoint.Save(&file, model, notes[i]), model.Predict(&p, x)))
		write(t, file.String(), "mine.npz")
		out, text, stderr := predicted(t, "mine.npz", "width,height\n0.5,-1.25\n")
		begins(t, stderr, "mine.npz: names no columns and classes")
		check.Equal(t, "no familiarity", strings.Contains(stderr, "no column familiarity"), i < 2)
		got := []any{out.Texts("class")[0], out.Nums("p_2")[0], out.Has("familiarity")}
		check.Equal(t, "class, p_2 and familiarity", got, []any{fmt.Sprint(p.Class()), p.P[2], i == 2})
		fails(t, "-wrong needs", "predict", "mine.npz", "-data", "new.csv", "-wrong", "0.1")
		// A key is not an input, all others are.
		_, keyed, _ := predicted(t, "mine.npz", "width,key,height\n0.5,k,-1.25\n", "-id", "key")
		want := strings.Replace(strings.Replace(text, "row", "key", 1), "\n1,", "\nk,", 1)
		check.Equal(t, "with a key it prints", keyed, want)
	}
}

func TestPredictRefuses(t *testing.T) {
	file := trained(t, mine)
	n := check.Must(bnn.New(bnn.Default(2, 2), random.Source("test")))
	const columns = `"scaler":{"features":[{"column":"length"},{"column":"width"}]`
	for name, note := range map[string]string{
		"plain":  "",
		"narrow": `{"classes":["a","b"],"scaler":{"features":[{"column":"length"}]}}`,
		"unsure": `{"classes":["a","unknown"],` + columns + `,"shift":[0,0],"factor":[1,1]}}`,
		"added":  `{"classes":["a","b"],` + columns + `},"counts":{"added":3}}`,
		"other":  `{"record":{"predicted":[1],"wrong":[2]}}`,
	} {
		var saved bytes.Buffer
		check.OK(t, checkpoint.Save(&saved, n, note))
		write(t, saved.String(), name+".npz")
	}
	const says = "what it says of columns and classes: "
	for _, c := range []struct{ network, rows, want string }{
		{file, "length,width\n1,2\n", `new.csv:1: no column "colour"`},
		{file, "length,width,colour\n1,2,red\n1,long,red\n", `new.csv:3: column "width": "long" is not a number`},
		{file, "length,width,colour\n1,,red\n", `new.csv:2: column "width" has no value`},
		{file, "", "new.csv: empty; need a header line"},
		{"plain.npz", "length\n1\n", "new.csv: 1 columns; the network has 2 inputs, and its file does not say"},
		{"narrow.npz", "length\n1\n", "narrow.npz: " + says + "1 inputs and 2 classes, for a network with"},
		{"new.csv", "length\n1\n", "new.csv: checkpoint: the file is truncated"},
		{"none.npz", "length\n1\n", "none.npz"},
		{"unsure.npz", "length\n1\n", "unsure.npz: has a class named unknown; rename it to use -unknown"},
		{"added.npz", "length,width\n1,1\n", "added.npz: " + says + "3 classes are new since the training, of 2"},
		{"other.npz", "length,width\n1,1\n", "other.npz: " + says + "bnn: 2 of 1 predictions are wrong"},
	} {
		write(t, c.rows, "new.csv")
		_, _, err := try(t, "predict", c.network, "-data", "new.csv", "-to", "out.csv", "-unknown", "0.9")
		check.Refuses(t, c.rows, err, c.want)
		check.Equal(t, "one line", strings.Contains(err.Error(), "\n"), false)
	}
	check.Equal(t, "an error leaves a file", exists("out.csv"), false)
	code, _, stderr := exit(t, "predict", file, "-data", "experiments/leaves.csv", "-to", "gone/out.csv")
	missing := "runner: write gone/out.csv: no such file or directory\n"
	check.Equal(t, "exit code", []any{code, stderr}, []any{1, missing})
}
