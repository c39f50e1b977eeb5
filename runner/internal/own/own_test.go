package own

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
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

// The manifest of a table has all that was said of the table.
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
	other := Table{File: "Ж.csv.gz", Format: dataset.Format{Class: "kind"}, AllRows: true}
	other.Test = filepath.Join("new", "rows.csv")
	check.Write(t, "size,kind\n1,a\n2,b\n", other.File)
	check.Contains(t, check.Read(check.Must(other.Manifest(&out, ""))), `name  = "own_af01de54"`,
		`test_file = "new/rows.csv"`, "all_rows = true")
	stream := Table{File: "a.data", Labels: "a.labels", Format: dataset.Format{Separator: "blank", NoHeader: true}}
	check.Write(t, "1 2\n3 4\n", stream.File)
	check.Write(t, "a\nb\n", stream.Labels)
	check.Contains(t, check.Read(check.Must(stream.Manifest(&out, ""))), `labels = "a.labels"`, "no_header = true")
}

// New rows are predicted to the bit as in Go, whatever other columns there are and in which order.
func TestPredict(t *testing.T) {
	o := options(trained(t), "")
	const rows = "width,notes,colour,length\n3,a,red,12\n4.25,b,green,19\n6.5,c,blue,21.5\n"
	text, log, err := predict(t, o, rows)
	check.OK(t, err)
	check.Equal(t, "it says", log, "new.csv:4: colour=blue is not in the training table; its inputs are 0\n")
	out, n := check.Must(table.Read("out", strings.NewReader(text))), check.Must(Read(o.Network))
	snapshot := check.Must(n.Snapshot())
	check.Equal(t, "columns", strings.Join(table.Names(out.Columns), " "), "row class probability confidence "+
		"aleatoric epistemic mutual_information familiarity p_Ash p_Elm p_Oak")
	for i, x := range [][]float64{{12, 0, 1, 3}, {19, 1, 0, 4.25}, {21.5, 0, 0, 6.5}} {
		for j := range x {
			x[j] = (x[j] - n.Scaler[j].Shift) * n.Scaler[j].Factor
		}
		var p classifier.Prediction
		check.OK(t, snapshot.Predict(&p, x))
		aleatoric, epistemic := p.Details.LabelVariance()
		check.Equal(t, "class", out.Texts("class")[i], []string{"unknown", "Ash", "Elm", "Oak"}[p.Class+1])
		for column, want := range map[string]float64{
			"probability": p.P[p.Details.Class()], "aleatoric": aleatoric, "epistemic": epistemic, "p_Oak": p.P[2],
			"familiarity": p.Familiarity, "row": float64(i + 2),
		} {
			check.Equal(t, fmt.Sprintf("row %d: %s", i+1, column), out.Nums(column)[i], want)
		}
	}
}

// A row that cannot be predicted is unknown, and costs no other row. The rows that have a class are scored.
func TestPredictBadRows(t *testing.T) {
	o := options(trained(t), "")
	text, log, err := predict(t, o, "width,colour,length,species\n1e300,red,12,Ash\n3,red,,Ash\n"+
		"wide,red,12,Oak\n3,red\n4.25,green,19,Elm\n4,red,19,Fir\n4,red,19,?\n")
	check.Refuses(t, "bad rows", err, "3 of 7 rows could not be predicted")
	check.Contains(t, text, "row,class,", "\n2,unknown,0.", "\n3,unknown,,,,,,,,,\n4,unknown,,", "\n6,Elm,0.")
	check.Contains(t, log, `new.csv:3: column "length": "" has no value`, "new.csv:4: column \"width\": \"wide\"",
		"new.csv:5: wrong number of fields",
		"new.csv: 5 rows with a class: 2 answered, 1 of the answers wrong (50 %)\n",
		"new.csv: rows of classes that the network did not have when it predicted them, which count as wrong: "+
			"\"Fir\" (1)\n", "new.csv: scores of 3 rows, unknown ones included: error 0.6667, log_loss +Inf, ")
	// The scores are those of the columns.
	text, log, err = predict(t, o, tableOf(leaves()...))
	check.OK(t, err)
	out, wrong, loss := check.Must(table.Read("out", strings.NewReader(text))), 0.0, 0.0
	for i, class := range out.Texts("class") {
		truth := []string{"Ash", "Elm", "Oak"}[i%3]
		loss -= math.Log(out.Nums("p_" + truth)[i]) / 60
		if class != truth {
			wrong++
		}
	}
	check.Contains(t, log, fmt.Sprintf("scores of 60 rows, unknown ones included: error %.4g, log_loss %.4g, ",
		wrong/60, loss))
	for rows, want := range map[string]string{
		"": "new.csv: empty; need a header line", "length,width\n1,2\n": `new.csv:1: no column "colour"`,
	} {
		_, _, err = predict(t, o, rows)
		check.Refuses(t, rows, err, want)
	}
	_, log, err = predict(t, o, "length,width,colour\n")
	check.OK(t, err)
	check.Equal(t, "no rows", log, "new.csv: a header without rows\n")
	o.Format.Class = "kind"
	_, _, err = predict(t, o, "length,width,colour\n")
	check.Refuses(t, "-class", err, `new.csv:1: no column "kind"`)
}

// A row times 1000 is unlike all others, however sure the network is.
func TestPredictUnknown(t *testing.T) {
	network := trained(t)
	for _, c := range []struct {
		unknown, wrong, familiar float64
		want, says               string
	}{
		{0, 1, 0.001, "Ash,unknown", ""},
		{0, 1, 0, "Ash,Oak", ""},
		{0.9, 1, 0, "unknown,Oak", ""},
		{0, 0.5, 0.001, "Ash,unknown", "promised with 95 % confidence: at most 50 % of the answers are wrong, "},
		{0, 0.01, 0.001, "unknown,unknown", "-wrong 0.01 cannot be promised, and all rows are unknown"},
	} {
		o := options(network, "")
		o.Probability, o.Wrong, o.Familiarity = c.unknown, c.wrong, c.familiar
		text, log, err := predict(t, o, "width,colour,length\n3,red,12\n3000,red,12000\n")
		check.OK(t, err)
		got := strings.Join(check.Must(table.Read("out", strings.NewReader(text))).Texts("class"), ",")
		if got != c.want || !strings.Contains(log, c.says) || c.says == "" && log != "" {
			t.Errorf("%+v: %s, and it says %q", c, got, log)
		}
	}
}

// The share of wrong answers is printed beside the promise. A promise that cannot be given names the smallest
// one that can be.
func TestPredictPromise(t *testing.T) {
	o := options(trained(t), "")
	o.Wrong = 0.01
	_, log, err := predict(t, o, tableOf(leaves()...))
	check.OK(t, err)
	check.Contains(t, log, " rows with a class: 0 answered, 0 of the answers wrong (0 %)\n")
	_, log, _ = strings.Cut(log, " too few or too often wrong; -wrong ")
	fmt.Sscanf(log, "%g could be promised\n", &o.Wrong)
	rows := leaves()
	for i := range 9 {
		rows[i] = strings.Replace(rows[i], "Elm", []string{"Ash", "Fir", "?"}[i/3], 1)
	}
	text, log, err := predict(t, o, tableOf(rows...))
	check.OK(t, err)
	answered := -1 // without the row that has no class
	for _, class := range check.Must(table.Read("out", strings.NewReader(text))).Texts("class") {
		if class != "unknown" {
			answered++
		}
	}
	check.Contains(t, log, fmt.Sprintf("confidence: at most %.4g %% of the answers are wrong, ", 100*o.Wrong),
		fmt.Sprintf(" 59 rows with a class: %d answered, 2 of the answers wrong (%.3g %%); promised: at most "+
			"%.4g %%\n", answered, 200/float64(answered), 100*o.Wrong))
	n := check.Must(Read(o.Network))
	n.Record = nil
	o.Network = check.Write(t, string(check.Must(n.Bytes())), t.TempDir(), File)
	_, _, err = predict(t, o, header)
	check.Refuses(t, "no record", err, fmt.Sprintf("%s: -wrong %g: ", o.Network, o.Wrong), "no record")
}

// learn lets a network learn a table from the standard input, and returns what is printed.
func learn(t *testing.T, o Options, rows string) (stdout, stderr string, err error) {
	t.Helper()
	in := check.Must(os.Open(check.Write(t, rows, t.TempDir(), "in.csv")))
	defer in.Close()
	defer func(was *os.File) { os.Stdin = was }(os.Stdin)
	os.Stdin, o.Data = in, "-"
	var out, log bytes.Buffer
	_, err = Learn(t.Context(), &out, &log, o)
	return out.String(), log.String(), err
}

// to returns the options by which a network learns and is saved to another file.
func to(t *testing.T, network string) Options {
	o := options(network, "-")
	o.To = filepath.Join(t.TempDir(), "to.npz")
	return o
}

// Classes that the network does not have are added, and the user is told; it predicts them after some rows.
func TestLearnNewClasses(t *testing.T) {
	whole := to(t, trained(t))
	var rows []string
	for part := range slices.Chunk(slices.Repeat(leaves(), 2), 4) {
		rows = append(append(rows, part...), "Fir,4,green,9", "Fir,5,red,9.5")
	}
	rows = append(rows, "Yew,40,red,0", "unknown,40,red,0", "F\xe9,40,red,0")
	before := check.Read(whole.Network)
	out, log, err := learn(t, whole, tableOf(rows...))
	check.Refuses(t, "two labels that are not classes", err, "2 of 183 rows could not be learned")
	check.Equal(t, "the network has changed", check.Read(whole.Network), before)
	check.Contains(t, out, "row,class,probability,confidence,", ",mutual_information,familiarity\n2,")
	check.Contains(t, log, `standard input:6: new class "Fir"`, `standard input:182: new class "Yew"`,
		`standard input:183: class "unknown": the word for no class is not allowed; rename the class; the row is not`,
		"standard input:184: the line is not in UTF-8; ", whole.To+": 183 rows, 181 learned\n",
		"standard input: 183 rows with a class: 180 answered, ", `which count as wrong: "Fir" (1), "Yew" (1), "unknown" (1)`,
		"standard input: scores of 182 rows, ")
	n := check.Must(Read(whole.To))
	check.Equal(t, "classes", n.Classes, []string{"Ash", "Elm", "Oak", "Fir", "Yew"})
	check.Equal(t, "counts", []int{n.Rows, n.Learned, n.Added}, []int{183, 181, 2})
	text, _, err := predict(t, options(whole.To, ""), "length,colour,width\n4,red,9.2\n")
	check.OK(t, err)
	check.Contains(t, text, ",p_Ash,p_Elm,p_Oak,p_Fir,p_Yew\n2,Fir,0.9")
}

// A label that looks like another class, or no value, is no new class, unless a flag says so, which the network
// keeps.
func TestLabelsOfNewRows(t *testing.T) {
	o := to(t, trained(t))
	rows := tableOf("Ash,12,red,1", "ash,12,red,1", "Fir,9,red,9", "F i r,9,red,9", "#N/A,9,red,9", "-,9,red,9")
	_, log, err := learn(t, o, rows)
	check.Refuses(t, "labels that look alike", err, "3 of 6 rows could not be learned")
	check.Contains(t, log, `input:3: class "ash": differs from "Ash" only in case; write`,
		"by -as-written; the row is not learned\n", `class "F i r": differs from "Fir" only in blanks;`, "-no-value '#N/A' says so")
	n := check.Must(Read(o.To))
	check.Equal(t, "classes and rows", []any{n.Classes[3:], n.Learned}, []any{[]string{"Fir", "-"}, 3})
	_, log, err = predict(t, options(o.Network, ""), rows)
	check.OK(t, err)
	check.Contains(t, log, `new.csv:3: class "ash": differs from "Ash" only in case;`, "are wrong\n")
	check.Equal(t, "not more of the new class", strings.Count(log, `class "Fir"`), 0)

	o.Format.AsWritten, o.Format.NoValue = true, []string{"-"}
	_, _, err = learn(t, o, rows)
	check.OK(t, err)
	n = check.Must(Read(o.To))
	check.Equal(t, "as written", []any{n.Classes[3:], n.Learned}, []any{[]string{"ash", "Fir", "F i r", "#N/A"}, 5})
	again := to(t, o.To)
	_, log, err = learn(t, again, rows)
	check.OK(t, err)
	check.Contains(t, log, ": 12 rows, 11 learned\n")
	check.True(t, !strings.Contains(log, "differs"), "the network does not keep the flag: %s", log)
}

// A row, or a label, that cannot be read is not learned, and the rest is.
func TestLearnPassesOver(t *testing.T) {
	o := to(t, trained(t))
	out, log, err := learn(t, o, tableOf("Ash,wide,red,1", "Ash,12,red", "Ash,12,red,1", "Oak,1e300,red,1"))
	check.Refuses(t, "two rows", err, "2 of 4 rows could not be learned")
	check.Equal(t, "lines", strings.Count(out, "\n"), 5)
	check.Contains(t, log, `standard input:2: column "length": "wide" is not a number; the row is unknown`,
		"standard input:3: wrong number of fields", ": 4 rows, 2 learned\n")
	o.Network = o.To
	_, log, err = learn(t, o, "length,colour,width\n12,blue,1\nA\"sh\n12,blue,1\nAsh\n12,red,2\n?\n1,red,2\n")
	check.Refuses(t, "a label", err, "1 of 3 rows could not be learned")
	check.Equal(t, "reports of a new word", strings.Count(log, "colour=blue"), 1)
	check.Contains(t, log, `standard input:3: bare "`, ": 7 rows, 3 learned\n")
	_, _, err = learn(t, o, "length,colour,width\n12,red,1\n12,green,2\n13,red,1\n")
	check.Refuses(t, "no classes", err, `:3: found the row ["12" "green" "2"], need the class`)
	o.To = filepath.Join(t.TempDir(), "no", "file.npz")
	out, _, err = learn(t, o, header)
	check.Refuses(t, "no folder", err, o.To)
	check.Equal(t, "it prints", out, "")
}

// The network is saved unless another program has changed the file; a run replaces it unless it has learned.
func TestSaveAndReplace(t *testing.T) {
	path := trained(t)
	n, save := check.Must(Read(path)), saver(path)
	release := check.Must(Replace(filepath.Dir(path)))
	check.Refuses(t, "run", check.Err(Replace(filepath.Dir(path))), path+" is held by ")
	o := options(path, "-")
	o.To = path
	check.Refuses(t, "learn", check.Err(Learn(t.Context(), nil, nil, o)), path+" is held by ")
	release()
	n.Learned = 7
	check.OK(t, save(n))
	check.OK(t, save(n))
	check.Refuses(t, "learned", check.Err(Replace(filepath.Dir(path))), path+" has learned 7 rows since")
	check.Write(t, "", path)
	check.Refuses(t, "changed", save(n), path+" was changed by another program")
	check.Equal(t, "the changed file", check.Read(path), "")
	check.Must(Replace(t.TempDir()))()
}
