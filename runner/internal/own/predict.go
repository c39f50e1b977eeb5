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

// Problem says what is not allowed.
func (r *Rows) Problem() error {
	switch {
	case r.Data == "":
		return errors.New("need -data FILE")
	case r.Unknown != 0 && r.Wrong != 0:
		return errors.New("-unknown and -wrong exclude each other")
	}
	return cmp.Or(r.Layout.Validate(), field.Within("-unknown", r.Unknown, 0, 1),
		field.Fraction("-wrong", r.Wrong), field.Within("-familiar", r.Familiar, 0, 1))
}

// opened is a network and the rows that it is for.
type opened struct {
	*trained.Network
	decide trained.Decision
	data   io.Reader
	name   string // of the rows, in messages
	layout dataset.Layout
}

// open reads the network and opens the table.
func (r *Rows) open() (*opened, error) {
	n, err := trained.Read(r.Network)
	if err != nil {
		return nil, err
	}
	o := &opened{Network: n, decide: trained.Decision{Probability: r.Unknown}, name: "standard input"}
	o.layout.Separator = cmp.Or(r.Layout.Separator, n.Layout.Separator)
	o.layout.Decimal = cmp.Or(r.Layout.Decimal, n.Layout.Decimal)
	switch {
	case r.Decides && slices.Contains(n.Classes, trained.Unknown):
		return nil, fmt.Errorf("%s: has a class named %s; rename it to use -unknown, -wrong or -familiar",
			r.Network, trained.Unknown)
	case r.Wrong > 0 && n.Record == nil:
		return nil, fmt.Errorf("%s: has no record of predictions before learning, which -wrong needs; "+
			"train the network again in one pass by [save]", r.Network)
	case r.Wrong > 0:
		if o.decide.Probability, err = n.Record.Threshold(r.Wrong, confidence); err != nil {
			return nil, err
		}
	}
	if r.Decides {
		o.decide.Familiarity = r.Familiar
	}
	file := os.Stdin
	if r.Data != "-" {
		o.name = r.Data
		if file, err = os.Open(r.Data); err != nil { // it is closed when the program ends
			return nil, err
		}
	}
	if o.data, err = dataset.Unpack(file); err != nil {
		return nil, fmt.Errorf("%s: %w", o.name, err)
	}
	return o, nil
}

// Predict returns what the network says of each row, after the value of the row in the column id, or without
// one its number.
func (r *Rows) Predict(id string) (*table.Table, error) {
	o, err := r.open()
	if err != nil {
		return nil, err
	}
	text, err := io.ReadAll(o.data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", o.name, err)
	}
	rows, err := dataset.ParseTable(text, o.name, o.layout)
	if err != nil {
		return nil, err
	}
	ids, err := takeID(rows, id, o.Bare)
	if err != nil {
		return nil, err
	}
	out, unseen, failed, err := o.Network.Predict(rows, o.decide)
	if err != nil {
		return nil, err
	}
	if out.Has(ids.Name) {
		return nil, fmt.Errorf("-id %s: the predictions have such a column, too; rename it in %s", id, o.name)
	}
	out.Columns = slices.Insert(out.Columns, 0, ids)
	say := func(format string, args ...any) {
		fmt.Fprintf(r.Stderr, "%s: %s\n", r.Network, fmt.Sprintf(format, args...))
	}
	if o.Bare {
		say("names no columns and classes: all columns are inputs, in their order and unscaled, " +
			"and classes are numbers from 0")
	}
	if !out.Has("familiarity") {
		say("has no model of the training inputs: the predictions have no column familiarity")
	}
	switch {
	case r.Wrong > 0 && math.IsInf(o.decide.Probability, 1):
		say("the predictions before learning are too few, or too often wrong, for -wrong %g: all rows are unknown",
			r.Wrong)
	case r.Wrong > 0:
		say("least probability of an answer: %.6g; with %g %% confidence at most %g %% of the answers are wrong",
			o.decide.Probability, 100*confidence, 100*r.Wrong)
	}
	if len(unseen) > 0 {
		fmt.Fprintf(r.Stderr, "%s: words that the training did not have, all of whose inputs are 0: %s\n",
			o.name, strings.Join(unseen, ", "))
	}
	for _, err := range failed {
		fmt.Fprintln(r.Stderr, err)
	}
	return out, nil
}

// takeID returns the column of a name; with an empty name, the numbers of the rows. Where inputs is true every
// column of the table is an input, so takeID removes the column from the table.
func takeID(rows *dataset.Table, name string, inputs bool) (ids table.Column, err error) {
	if name == "" {
		ids = table.Int("row", "")
		for i := range rows.Cells {
			ids.Nums = append(ids.Nums, float64(i+1))
		}
		return ids, nil
	}
	column := slices.Index(rows.Columns, name)
	if column < 0 {
		return ids, fmt.Errorf("%s: no column %q; the columns are %q", rows.File, name, rows.Columns)
	}
	ids = table.Text(name, "")
	for i, cells := range rows.Cells {
		if ids.Texts = append(ids.Texts, cells[column]); inputs {
			rows.Cells[i] = slices.Delete(cells, column, column+1)
		}
	}
	if inputs {
		rows.Columns = slices.Delete(rows.Columns, column, column+1)
	}
	return ids, nil
}
