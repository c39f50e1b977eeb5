package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
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
		fmt.Fprintf(&b, "%s,%d,%s,%g\n", []string{"Ash", "Elm", "Oak"}[k], 10+7*k+i%5, []string{"green", "red"}[i%2], 2.5*float64(k)+float64(i%7)/3)
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
	if got := results(t, filepath.Dir(file))["network.npz"]; got != first || first == "" {
		t.Error("another run keeps other bytes")
	}
	network, note, err := checkpoint.Load(strings.NewReader(first))
	check.OK(t, err)
	for _, want := range []string{`"classes":["Ash","Elm","Oak"]`, `{"column":"colour","level":"red"}`, `"shift":[`} {
		contains(t, note, want)
	}
	write(t, "width,notes,colour,length\n3,a,red,12\n4.25,b,green,19\n6.5,c,blue,21.5\n", "new.csv")
	stdout, stderr, err := try(t, "predict", file, "-data", "new.csv")
	if err != nil || stderr != "new.csv: words that the training did not have, all of whose inputs are 0: colour=blue\n" {
		t.Fatalf("%v, and it says %q", err, stderr)
	}
	out, err := table.Read("out", strings.NewReader(stdout))
	if err != nil || out.Len() != 3 || !strings.HasPrefix(stdout, "row,class,probability,aleatoric,epistemic,mutual_information,familiarity,p_Ash,p_Elm,p_Oak\n") {
		t.Fatalf("%v: %s", err, stdout)
	}
	var m struct{ Scaler dataset.Scaler }
	check.OK(t, json.Unmarshal([]byte(note), &m))
	for i, x := range [][]float64{{12, 0, 1, 3}, {19, 1, 0, 4.25}, {21.5, 0, 0, 6.5}} {
		for j := range x {
			x[j] = (x[j] - m.Scaler.Shift[j]) * m.Scaler.Factor[j]
		}
		var p bnn.Prediction
		check.OK(t, network.Predict(&p, x))
		aleatoric, epistemic := p.LabelVariance()
		name := []string{"Ash", "Elm", "Oak"}[p.Class()]
		for column, want := range map[string]float64{"probability": p.P[p.Class()], "aleatoric": aleatoric, "epistemic": epistemic, "p_Ash": p.P[0], "p_Elm": p.P[1], "p_Oak": p.P[2]} {
			if got := out.Nums(column)[i]; got != want || out.Texts("class")[i] != name {
				t.Errorf("row %d: %s is %g, want %g; class %s, want %s", i+1, column, got, want, out.Texts("class")[i], name)
			}
		}
	}
	// Into a file, with decisions: the other columns are the same.
	least := out.Nums("probability")[1]
	_, _, err = try(t, "predict", file, "-data", "new.csv", "-to", "out.csv", "-unknown", fmt.Sprint(least+1e-9))
	check.OK(t, err)
	decided := check.Must(table.Read("out", strings.NewReader(read(t, "out.csv"))))
	check.Equal(t, "decided", []any{decided.Texts("class")[1], decided.Nums("probability")[1]}, []any{"unknown", least})
	// A row that overflows is unknown, and costs no other row.
	write(t, "width,colour,length\n3,red,12\n1e308,red,12\n4.25,green,19\n", "large.csv")
	stdout, stderr, err = try(t, "predict", file, "-data", "large.csv")
	if lines := strings.Split(stdout, "\n"); err != nil || len(lines) != 5 || lines[2] != "2,unknown,,,,,,,," || !strings.HasPrefix(lines[3], "3,Elm,0.") ||
		!strings.HasPrefix(stderr, "large.csv:3: ") || strings.Count(stderr, "\n") != 1 {
		t.Errorf("%v: %s%s", err, stdout, stderr)
	}
	// A row times 1000 is unlike all others, however sure the network is.
	write(t, "width,colour,length\n3,red,12\n3000,red,12000\n", "far.csv")
	for flags, want := range map[string]string{"": "Ash,Oak", "-unknown 0.1": "Ash,unknown", "-unknown 0.1 -familiar 0": "Ash,Oak", "-familiar 0.01": "Ash,unknown", "-wrong 0.5": "Ash,unknown", "-wrong 0.01": "unknown,unknown"} {
		stdout, stderr, err := try(t, append([]string{"predict", file, "-data", "far.csv"}, strings.Fields(flags)...)...)
		out, failed := table.Read("out", strings.NewReader(stdout))
		check.OK(t, errors.Join(err, failed))
		if got := strings.Join(out.Texts("class"), ","); got != want || out.Nums("familiarity")[1] >= 0.01 {
			t.Errorf("%s: %s, want %s\n%s", flags, got, want, stdout)
		}
		says := map[string]string{"-wrong 0.5": "with 95 % confidence at most 50 % of the answers are wrong", "-wrong 0.01": "all rows are unknown"}[flags]
		if !strings.Contains(stderr, says) || says == "" && stderr != "" {
			t.Errorf("%s: it says %q", flags, stderr)
		}
	}
	// The rows that it was trained of, with their classes, which do not count.
	stdout = mustRun(t, "predict", file, "-data", filepath.Join("experiments", "leaves.csv"))
	right := 0
	for i, line := range strings.Split(strings.TrimSpace(leaves()), "\n")[1:] {
		if strings.HasPrefix(strings.Split(stdout, "\n")[i+1], fmt.Sprintf("%d,%s,", i+1, strings.Split(line, ",")[0])) {
			right++
		}
	}
	if right < 50 {
		t.Errorf("%d of 60 rows are right", right)
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
	if !strings.HasPrefix(want, "leaf,class,") || !strings.Contains(want, "\nx7,Ash,") || !strings.Contains(want, "\ny8,Elm,") {
		t.Errorf("it prints %s", want)
	}
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

// An ensemble that is kept predicts as one network does, with what its members disagree about.
func TestPredictEnsemble(t *testing.T) {
	file := trained(t, strings.Replace(mine, "[model]", "[model]\nmembers = 3", 1))
	out := check.Must(table.Read("out", strings.NewReader(mustRun(t, "predict", file, "-data", filepath.Join("experiments", "leaves.csv")))))
	for i, information := range out.Nums("mutual_information") {
		if p := out.Nums("probability")[i]; !(0 < information && information < math.Log(3)) || !(p > 0 && p < 1) {
			t.Errorf("row %d: mutual information %g, probability %g", i+1, information, p)
		}
	}
	network, _, err := checkpoint.Load(strings.NewReader(results(t, filepath.Dir(file))["network.npz"]))
	check.OK(t, err)
	check.Equal(t, "members", len(network.Members()), 3)
	fails(t, "model.members: 65 is not allowed; allowed: 0 to 64", "-exp", "mine", "-set", "model.members=65")
}

// What a program saved by checkpoint.Save, a bank of networks, predicts the columns in their order,
// as numbers of classes.
func TestPredictBare(t *testing.T) {
	inExperiments(t, nil)
	network := check.Must(bnn.New(bnn.Default(2, 3), random.Source("one")))
	ensemble := check.Must(bnn.NewEnsemble(bnn.Default(2, 4, 3), 2, random.Source("two")))
	bank := check.Must(bnn.NewBank(network, ensemble))
	seen := familiar.New(2)
	note := check.Must(json.Marshal(map[string]any{"familiar": seen}))
	x := []float64{0.5, -1.25}
	check.Must(bank.Observe(x, 2))
	for i, model := range []bnn.Model{network, ensemble, bank} {
		var file bytes.Buffer
		var p bnn.Prediction
		check.OK(t, errors.Join(checkpoint.Save(&file, model, []string{"", "trained on Friday", string(note)}[i]), model.Predict(&p, x)))
		write(t, file.String(), "mine.npz")
		write(t, "width,height\n0.5,-1.25\n", "new.csv")
		stdout, stderr, err := try(t, "predict", "mine.npz", "-data", "new.csv")
		if err != nil || !strings.HasPrefix(stderr, "mine.npz: names no columns and classes") || strings.Contains(stderr, "no column familiarity") == (i == 2) {
			t.Fatalf("%v, and it says %q", err, stderr)
		}
		fails(t, "-wrong needs", "predict", "mine.npz", "-data", "new.csv", "-wrong", "0.1")
		write(t, "width,key,height\n0.5,k,-1.25\n", "new.csv") // all others are inputs
		keyed, _, err := try(t, "predict", "mine.npz", "-data", "new.csv", "-id", "key")
		if got := strings.Replace(keyed, "key", "row", 1); got != strings.Replace(stdout, "\n1,", "\nk,", 1) || err != nil {
			t.Errorf("with a key it prints %s", got)
		}
		out := check.Must(table.Read("out", strings.NewReader(stdout)))
		check.Equal(t, "class, p_2 and familiarity", []any{out.Texts("class")[0], out.Nums("p_2")[0], out.Has("familiarity")}, []any{fmt.Sprint(p.Class()), p.P[2], (i == 2)})
	}
}

func TestPredictRefuses(t *testing.T) {
	file := trained(t, mine)
	var plain, added, narrow, unsure, other bytes.Buffer
	n, err := bnn.New(bnn.Default(2, 2), random.Source("test"))
	if err == nil {
		e, failed := bnn.Combine(n)
		err = errors.Join(failed, checkpoint.Save(&plain, n, ""),
			checkpoint.Save(&narrow, e, `{"classes":["a","b"],"scaler":{"features":[{"column":"length"}]}}`),
			checkpoint.Save(&added, n, `{"classes":["a","b"],"scaler":{"features":[{"column":"length"},{"column":"width"}]},"counts":{"added":3}}`),
			checkpoint.Save(&other, n, `{"record":{"predicted":[1],"wrong":[2]}}`),
			checkpoint.Save(&unsure, e, `{"classes":["a","unknown"],"scaler":{"features":[{"column":"length"},{"column":"width"}],"shift":[0,0],"factor":[1,1]}}`))
	}
	check.OK(t, err)
	write(t, plain.String(), "plain.npz")
	write(t, narrow.String(), "narrow.npz")
	write(t, unsure.String(), "unsure.npz")
	write(t, added.String(), "added.npz")
	write(t, other.String(), "other.npz")
	for _, c := range []struct{ network, rows, want string }{
		{file, "length,width\n1,2\n", `new.csv:1: no column "colour"`},
		{file, "length,width,colour\n1,2,red\n1,long,red\n", `new.csv:3: column "width": "long" is not a number`},
		{file, "length,width,colour\n1,,red\n", `new.csv:2: column "width" has no value`},
		{file, "", "new.csv: empty; need a header line"},
		{"plain.npz", "length\n1\n", "new.csv: 1 columns; the network has 2 inputs, and its file does not say which columns they are"},
		{"narrow.npz", "length\n1\n", "narrow.npz: what it says of columns and classes: 1 inputs and 2 classes, for a network with"},
		{"new.csv", "length\n1\n", "new.csv: checkpoint: the checksum"},
		{"none.npz", "length\n1\n", "none.npz"},
		{"unsure.npz", "length\n1\n", "unsure.npz: has a class named unknown; rename it to use -unknown, -wrong or -familiar"},
		{"added.npz", "length,width\n1,1\n", "added.npz: what it says of columns and classes: 3 classes are new since the training, of 2"},
		{"other.npz", "length,width\n1,1\n", "other.npz: what it says of columns and classes: bnn: 2 of 1 predictions are wrong"},
	} {
		write(t, c.rows, "new.csv")
		code, stdout, stderr := exit(t, "predict", c.network, "-data", "new.csv", "-to", "out.csv", "-unknown", "0.9")
		if code != 1 || stdout != "" || !strings.Contains(stderr, c.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("exit code %d, it prints %q, want %q", code, stdout+stderr, c.want)
		}
	}
	if _, err := os.Stat("out.csv"); err == nil {
		t.Error("an error leaves a file")
	}
	to := filepath.Join("gone", "out.csv")
	if code, _, stderr := exit(t, "predict", file, "-data", filepath.Join("experiments", "leaves.csv"), "-to", to); code != 1 || stderr != "runner: write "+to+": no such file or directory\n" {
		t.Errorf("exit code %d: %s", code, stderr)
	}
}
