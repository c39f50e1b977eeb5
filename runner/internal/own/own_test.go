package own

import (
	"bytes"
	"errors"
	"fmt"
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

// trained returns the file of a network that has learned 48 leaves.
func trained(t *testing.T) string {
	t.Helper()
	format := dataset.Format{Class: "species", Categorical: []string{"colour"}}
	e := check.Must(format.Read(check.Write(t, tableOf(leaves()[:48]...), t.TempDir(), "leaves.csv"), "", nil))
	scaler := check.Must(e.Scaler(dataset.Standard))
	o := classifier.Options{Inputs: 4, Classes: 3, Hidden: []int{4}}
	c := check.Must(classifier.New(o, random.Source("leaves")))
	set := scaler.Apply(e).Set(0, e.Len())
	for i, x := range set.X {
		check.OK(t, c.Learn(x, set.Class[i]))
	}
	n := Network{Classifier: c, Classes: e.Classes(), Format: format, Scaler: scaler}
	return check.Write(t, string(check.Must(n.Bytes())), t.TempDir(), File)
}

// options returns those of the commands without flags.
func options(network, data string) Options {
	return Options{
		Network: network, Data: data, Wrong: 1, From: 1, Save: 1000,
		Decision: classifier.Decision{Familiarity: classifier.DefaultFamiliarity},
	}
}

// predict predicts a table, and returns what is printed.
func predict(t *testing.T, o Options, rows string) (stdout, stderr string, err error) {
	t.Helper()
	o.Data = check.Write(t, rows, t.TempDir(), "new.csv")
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
		path := check.Write(t, saved.String(), t.TempDir(), "other.npz")
		check.Refuses(t, note, check.Err(Read(path)), path+": the file does not describe its 2 inputs and 2 cl")
	}
	path := check.Write(t, "length\n1\n", t.TempDir(), "table.npz")
	check.Refuses(t, "a table", check.Err(Read(path)), path+": checkpoint: ")
	check.Refuses(t, "no file", check.Err(Read("none.npz")), "none.npz")
}

// Show prints the classes, inputs and models.
func TestShow(t *testing.T) {
	var text strings.Builder
	check.Must(Read(trained(t))).Show(&text)
	check.Contains(t, text.String(), "classes    3: Ash, Elm, Oak\n", "learned    48 examples, 0 of them",
		"input      colour=red: (x − 0.5", "model      weight 0.", ": layers = [4, 4, 3], bias = true, rule = ",
		"alpha = 0.0, beta = 1.0, lambda = 0.", ": on 512 features: output = \"ridge\", inputs = 512",
		"some scaled rows")
}

// The manifest of a table has all that was said of the table, and is kept from then on.
func TestManifest(t *testing.T) {
	t.Chdir(t.TempDir())
	const messy = "id;length;colour;species\n1;10,5;red;Ash\n2;NA;green;Elm\n"
	check.Write(t, messy, "my leaves.csv")
	var out strings.Builder
	my := Table{File: "my leaves.csv", Format: dataset.Format{Class: "species", Separator: ";"}}
	check.Refuses(t, "a messy table", check.Err(my.Manifest(&out, "")), "my leaves.csv: 2 columns do not fit:\n",
		`decimal = "," reads them`)
	my.Format.Decimal, my.Format.Missing = ",", dataset.MissingMean
	my.Format.Categorical, my.Format.Ignore = []string{"colour"}, []string{"id"}
	text := check.Read(check.Must(my.Manifest(&out, "")))
	check.Equal(t, "it prints", out.String(), "manifest: my leaves.toml\n")
	check.Contains(t, text, `name  = "my_leaves"`, `categorical = ["colour"]`, `ignore = ["id"]`,
		`missing = "mean"`, `separator = ";"`, `decimal = ","`, "test_fraction = 0.25", "all_rows = false")
	check.Must(my.Manifest(&out, ""))
	my.Test = filepath.Join("new", "rows.csv")
	check.Refuses(t, "other values", check.Err(my.Manifest(&out, "")), "my leaves.toml exists and differs")
	check.Equal(t, "the manifest", check.Read("my leaves.toml"), text)
	other := Table{File: "Ж.csv.gz", Test: my.Test, Format: dataset.Format{Class: "kind"}, AllRows: true}
	check.Write(t, "size,kind\n1,a\n2,b\n", other.File)
	check.Contains(t, check.Read(check.Must(other.Manifest(&out, ""))), `name  = "own_af01de54"`,
		`test_file = "new/rows.csv"`, "all_rows = true")
	stream := Table{File: "a.data", Labels: "a.labels", Format: dataset.Format{Separator: "blank", NoHeader: true}}
	check.Write(t, "1 2\n3 4\n", stream.File)
	check.Write(t, "a\nb\n", stream.Labels)
	check.Contains(t, check.Read(check.Must(stream.Manifest(&out, ""))), `labels = "a.labels"`, "no_header = true")
}
