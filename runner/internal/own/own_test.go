package own

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/classifier"
	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/runner/dataset"
)

const header = "species,length,colour,width\n"

// leaves returns the rows of a table of three kinds of leaves, in turn.
func leaves() (rows []string) {
	for i := range 60 {
		k := i % 3
		species, colour := []string{"Ash", "Elm", "Oak"}[k], []string{"green", "red"}[i%2]
		rows = append(rows, fmt.Sprintf("%s,%d,%s,%g", species, 10+7*k+i%5, colour, 2.5*float64(k)+float64(i%7)/3))
	}
	return rows
}

// tableOf returns the table of leaves with these rows.
func tableOf(rows ...string) string { return header + strings.Join(rows, "\n") + "\n" }

// write writes a file into a new folder, and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	check.OK(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

func read(path string) string {
	text, _ := os.ReadFile(path)
	return string(text)
}

func contains(t *testing.T, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		check.True(t, strings.Contains(got, w), "got %q, want %q in it", got, w)
	}
}

// trained returns the file of a network that has learned 48 leaves.
func trained(t *testing.T) string {
	t.Helper()
	format := dataset.Format{Class: "species", Categorical: []string{"colour"}}
	e := check.Must(format.Read(write(t, "leaves.csv", tableOf(leaves()[:48]...)), nil))
	scaler := check.Must(e.Scaler(dataset.Standard))
	o := classifier.Options{Inputs: 4, Classes: 3, Hidden: []int{4}}
	c := check.Must(classifier.New(o, random.Source("leaves")))
	set := scaler.Apply(e).Set(0, e.Len())
	for i, x := range set.X {
		check.OK(t, c.Learn(x, set.Class[i]))
	}
	n := Network{Classifier: c, Classes: e.Classes(), Format: format, Scaler: scaler}
	return write(t, File, string(check.Must(n.Bytes())))
}

// options returns those of the commands without flags.
func options(network, data string) Options {
	return Options{
		Network: network, Data: data, Wrong: 1, From: 1,
		Decision: classifier.Decision{Familiarity: classifier.DefaultFamiliarity},
	}
}

// predict predicts a table, and returns what is printed.
func predict(t *testing.T, o Options, rows string) (stdout, stderr string, err error) {
	t.Helper()
	o.Data = write(t, "new.csv", rows)
	var out, log bytes.Buffer
	err = errors.Join(o.Validate(), Predict(t.Context(), &out, &log, o))
	return out.String(), strings.ReplaceAll(log.String(), filepath.Dir(o.Data)+"/", ""), err
}

// A file that is not of a network for tables is refused, and names what would be.
func TestReadRefuses(t *testing.T) {
	n := check.Must(bnn.New(bnn.Default(2, 2), random.Source("test")))
	const columns = `"scaler":[{"column":"length"},{"column":"width"}]`
	for _, note := range []string{
		"", "text", `{"classes":["a"],` + columns + "}", `{"classes":["a","b"],` + columns + `,"added":3}`,
		`{"classes":["a","b"],"scaler":{"features":[],"shift":[1,0.5],"factor":[2,4]}}`,
	} {
		var saved bytes.Buffer
		check.OK(t, checkpoint.Save(&saved, n, note))
		path := write(t, "other.npz", saved.String())
		check.Refuses(t, note, check.Err(Read(path)), path+": the file does not describe its 2 inputs and 2 cl")
	}
	path := write(t, "table.npz", "length\n1\n")
	check.Refuses(t, "a table", check.Err(Read(path)), path+": checkpoint: ")
	check.Refuses(t, "no file", check.Err(Read("none.npz")), "none.npz")
}

// Show prints the classes, inputs and models.
func TestShow(t *testing.T) {
	var text strings.Builder
	check.Must(Read(trained(t))).Show(&text)
	contains(t, text.String(), "classes    3: Ash, Elm, Oak\n", "learned    48 examples, 0 of them",
		"input      colour=red: (x − 0.5", "model      weight 0.", "Layers:[4 4 3]", "some scaled rows")
}
