// Package own is for tables of a user's own: a manifest for a table, and what a trained network predicts of
// the rows of one and learns of them.
package own

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/table"
	"closedform/runner/internal/trained"
)

// confidence is that of the promise of -wrong.
const confidence = 0.95

// Rows are those of a table, for a trained network, and when one is unknown.
type Rows struct {
	Network  string    // its file
	Data     string    // the CSV file; - is the standard input
	Unknown  float64   // least probability of an answer
	Wrong    float64   // in place of Unknown, most share of wrong answers
	Familiar float64   // least familiarity of an answer
	Decides  bool      // answers may be unknown: one of these three is given
	Stderr   io.Writer // for what looks wrong

	Layout dataset.Layout // of the CSV file; empty: that of the training table
}

// layout returns how the file of the rows is read.
func (r *Rows) layout(n *trained.Network) dataset.Layout {
	return dataset.Layout{
		Separator: cmp.Or(r.Layout.Separator, n.Layout.Separator), Decimal: cmp.Or(r.Layout.Decimal, n.Layout.Decimal),
	}
}

// Problem says what is not allowed.
func (r *Rows) Problem() error {
	switch {
	case r.Data == "":
		return errors.New("need -data FILE")
	case r.Unknown != 0 && r.Wrong != 0:
		return errors.New("-unknown and -wrong exclude each other")
	}
	return cmp.Or(r.Layout.Validate(), field.Within("-unknown", r.Unknown, 0, 1), field.Fraction("-wrong", r.Wrong), field.Within("-familiar", r.Familiar, 0, 1))
}

// decision returns what the network decides by.
func (r *Rows) decision(n *trained.Network) (trained.Decision, error) {
	decide := trained.Decision{Probability: r.Unknown}
	if r.Wrong > 0 {
		if n.Record == nil {
			return decide, fmt.Errorf("%s: has no record of predictions before learning, which -wrong needs; train the network again in one pass by [save]", r.Network)
		}
		decide.Probability = n.Record.Threshold(r.Wrong, confidence)
	}
	if r.Decides {
		if slices.Contains(n.Classes, trained.Unknown) {
			return decide, fmt.Errorf("%s: has a class named %s; rename it to use -unknown, -wrong or -familiar", r.Network, trained.Unknown)
		}
		decide.Familiarity = r.Familiar
	}
	return decide, nil
}

// open reads the network, and opens the table, whose name in messages it returns.
func (r *Rows) open() (n *trained.Network, d trained.Decision, data io.Reader, name string, err error) {
	if n, err = trained.Read(r.Network); err != nil {
		return nil, d, nil, "", err
	}
	if d, err = r.decision(n); err != nil {
		return nil, d, nil, "", err
	}
	file, name := os.Stdin, "standard input"
	if r.Data != "-" {
		if file, err = os.Open(r.Data); err != nil { // it is closed when the program ends
			return nil, d, nil, "", err
		}
		name = r.Data
	}
	if data, err = dataset.Unpack(file); err != nil {
		err = fmt.Errorf("%s: %w", name, err)
	}
	return n, d, data, name, err
}

// Predict returns what the network says of each row, after the value of the row in a column, id, or without one its number.
func (r *Rows) Predict(id string) (*table.Table, error) {
	network, decide, data, name, err := r.open()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	rows, err := dataset.ParseTable(text, name, r.layout(network))
	if err != nil {
		return nil, err
	}
	ids, err := takeID(rows, id, network.Bare)
	if err != nil {
		return nil, err
	}
	out, unseen, failed, err := network.Predict(rows, decide)
	if err != nil {
		return nil, err
	}
	if out.Has(ids.Name) {
		return nil, fmt.Errorf("-id %s: the predictions have such a column, too; rename it in %s", id, name)
	}
	out.Columns = slices.Insert(out.Columns, 0, ids)
	say := func(format string, args ...any) {
		fmt.Fprintf(r.Stderr, "%s: %s\n", r.Network, fmt.Sprintf(format, args...))
	}
	if network.Bare {
		say("names no columns and classes: all columns are inputs, in their order and unscaled, and classes are numbers from 0")
	}
	if !out.Has("familiarity") {
		say("has no model of the training inputs: the predictions have no column familiarity")
	}
	switch {
	case r.Wrong > 0 && math.IsInf(decide.Probability, 1):
		say("the predictions before learning are too few, or too often wrong, for -wrong %g: all rows are unknown", r.Wrong)
	case r.Wrong > 0:
		say("least probability of an answer: %.6g; with %g %% confidence at most %g %% of the answers are wrong",
			decide.Probability, 100*confidence, 100*r.Wrong)
	}
	if len(unseen) > 0 {
		fmt.Fprintf(r.Stderr, "%s: words that the training did not have, all of whose inputs are 0: %s\n", name, strings.Join(unseen, ", "))
	}
	for _, err := range failed {
		fmt.Fprintln(r.Stderr, err)
	}
	return out, nil
}

// takeID returns the column of that name, or the numbers of the rows if the name is empty. If all columns of the
// table are inputs, it takes the column out.
func takeID(rows *dataset.Table, name string, inputs bool) (ids table.Column, err error) {
	column := slices.Index(rows.Columns, name)
	switch {
	case name == "":
		ids = table.Int("row", "")
	case column < 0:
		return ids, fmt.Errorf("%s: no column %q; the columns are %q", rows.File, name, rows.Columns)
	default:
		ids = table.Text(name, "")
	}
	for i, cells := range rows.Cells {
		if name == "" {
			ids.Nums = append(ids.Nums, float64(i+1))
			continue
		}
		ids.Texts = append(ids.Texts, cells[column])
		if inputs {
			rows.Cells[i] = slices.Delete(cells, column, column+1)
		}
	}
	if inputs && name != "" {
		rows.Columns = slices.Delete(rows.Columns, column, column+1)
	}
	return ids, nil
}
