package own

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"closedform/core/classifier"
	check "closedform/internal/checktest"
	"closedform/runner/internal/table"
)

// New rows are predicted to the bit as in Go, whatever other columns there are and in which order.
func TestPredict(t *testing.T) {
	o := options(trained(t), "")
	const rows = "width,notes,colour,length\n3,a,red,12\n4.25,b,green,19\n6.5,c,blue,21.5\n"
	text, log, err := predict(t, o, rows)
	check.OK(t, err)
	check.Equal(t, "it says", log, "new.csv:4: colour=blue is not in the training table; its inputs are 0\n")
	out, n := check.Must(table.Read("out", strings.NewReader(text))), check.Must(Read(o.Network))
	check.Equal(t, "columns", strings.Join(table.Names(out.Columns), " "), "row class probability confidence "+
		"aleatoric epistemic mutual_information familiarity p_Ash p_Elm p_Oak")
	for i, x := range [][]float64{{12, 0, 1, 3}, {19, 1, 0, 4.25}, {21.5, 0, 0, 6.5}} {
		for j := range x {
			x[j] = (x[j] - n.Scaler[j].Shift) * n.Scaler[j].Factor
		}
		var p classifier.Prediction
		check.OK(t, n.Predict(&p, x))
		aleatoric, epistemic := p.Details.LabelVariance()
		check.Equal(t, "class", out.Texts("class")[i], []string{"unknown", "Ash", "Elm", "Oak"}[p.Class+1])
		for column, want := range map[string]float64{
			"probability": p.P[p.Details.Class()], "aleatoric": aleatoric, "epistemic": epistemic, "p_Oak": p.P[2],
			"familiarity": p.Familiarity, "row": float64(i + 1),
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
	contains(t, text, "row,class,", "\n1,unknown,0.", "\n2,unknown,,,,,,,,,\n3,unknown,,", "\n5,Elm,0.")
	contains(t, log, `new.csv:3: column "length" has no value`, "new.csv:4: column \"width\": \"wide\"",
		"new.csv:5: wrong number of fields", "new.csv: 4 rows with a class: error ", ", unknown 0.75\n")
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
	contains(t, log, fmt.Sprintf("60 rows with a class: error %.4g, log_loss %.4g, brier 0.", wrong/60, loss))
	for rows, want := range map[string]string{
		"": "new.csv: empty; need a header line", "length,width\n1,2\n": `new.csv:1: no column "colour"`,
	} {
		_, _, err = predict(t, o, rows)
		check.Refuses(t, rows, err, want)
	}
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
		{0.1, 1, 0.001, "Ash,unknown", ""},
		{0.9, 1, 0, "unknown,Oak", ""},
		{0, 0.5, 0.001, "Ash,unknown", "with 95 % confidence at most 50 % of the answers are wrong"},
		{0, 0.01, 0.001, "unknown,unknown", "all rows are unknown"},
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
