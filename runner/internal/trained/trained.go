// Package trained keeps a network that has learned, with what it takes to predict the rows of a table: which
// columns its inputs are, how they are scaled, and what its classes are called. All is in one file, a
// checkpoint whose note is a JSON object.
package trained

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/core/familiar"
	"closedform/core/features"
	"closedform/core/readout"
	"closedform/runner/dataset"
	"closedform/runner/internal/table"
)

// Network is a network, an ensemble or a bank for the rows of a table.
type Network struct {
	bnn.Model `json:"-"`
	Classes   []string       `json:"classes"`          // their names, in the order of their numbers
	Column    string         `json:"column,omitempty"` // that of the class in the table
	Scaler    dataset.Scaler `json:"scaler"`           // of the inputs
	Layout    dataset.Layout `json:"layout,omitzero"`  // of the file of the table

	// Of the first pass; nil in the file of a program that does not write them.
	Familiar *familiar.Inputs `json:"familiar,omitempty"`
	Record   *bnn.TrackRecord `json:"record,omitempty"` // of the second half; nil after several passes

	Counts Counts `json:"counts,omitzero"` // of a Stream

	// Bare says that another program wrote the file, by checkpoint.Save: inputs are the columns in their order,
	// without Column, and classes are their numbers from 0.
	Bare bool `json:"-"`
}

// Write writes the network. Equal ones make equal files.
func (n *Network) Write(w io.Writer) error {
	named := *n
	if n.Bare {
		named.Classes = nil
	}
	note, err := json.Marshal(named)
	if err != nil {
		return err
	}
	return checkpoint.Save(w, n.Model, string(note))
}

// Read reads the file that Write has written.
func Read(path string) (*Network, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	model, note, err := checkpoint.Load(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	n := new(Network)
	if err := json.Unmarshal([]byte(note), n); err != nil {
		*n = Network{}
	}
	if n.Classes == nil {
		*n = Network{Bare: true, Familiar: n.Familiar, Record: n.Record} // the note of another program
		_, classes := model.Shape()
		for class := range classes {
			n.Classes = append(n.Classes, fmt.Sprint(class))
		}
	}
	n.Model = model
	if err := n.check(); err != nil {
		return nil, fmt.Errorf("%s: what it says of columns and classes: %w; "+
			"need the network.npz of a run with [save]", path, err)
	}
	return n, nil
}

// check returns an error unless all is of the same size.
func (n *Network) check() error {
	in, out := n.Shape()
	s, fits := n.Scaler, func(list []float64) bool { return len(list) == 0 || len(list) == in }
	switch inputs, added := len(s.Features), n.Counts.Added; {
	case n.Familiar != nil && len(n.Familiar.Low) != in:
		return fmt.Errorf("the familiarity of %d inputs, for a network with %d", len(n.Familiar.Low), in)
	case n.Bare:
	case inputs != in || len(n.Classes) != out:
		return fmt.Errorf("%d inputs and %d classes, for a network with %d and %d", inputs, len(n.Classes), in, out)
	case added < 0 || added > out:
		return fmt.Errorf("%d classes are new since the training, of %d", added, out)
	case !fits(s.Fill) || !fits(s.Shift) || len(s.Shift) != len(s.Factor):
		return fmt.Errorf("a scaler that does not fit %d inputs", in)
	}
	if n.Record != nil {
		return n.Record.Validate()
	}
	return nil
}

// scaler returns that of the inputs. If the file of the network names no columns, they are all of the table
// but the column of classes.
func (n *Network) scaler(rows *dataset.Table) (dataset.Scaler, error) {
	s := n.Scaler
	if !n.Bare {
		return s, nil
	}
	for _, name := range rows.Columns {
		if name != n.Column {
			s.Features = append(s.Features, dataset.Feature{Column: name})
		}
	}
	if in, _ := n.Shape(); len(s.Features) != in {
		return s, fmt.Errorf("%s: %d columns; the network has %d inputs, and its file does not say which "+
			"columns they are; need these alone, in their order", rows.File, len(s.Features), in)
	}
	return s, nil
}

// layer returns the output layer of the network, nil without one.
func (n *Network) layer() *readout.Layer {
	model := n.Model
	if f, ok := model.(features.Model); ok {
		model = f.Model
	}
	l, _ := model.(*readout.Layer)
	return l
}

// familiarity returns a p-value of the hypothesis that x, whose most probable class is given, is like the
// learned inputs. The distribution of the inputs gives one p-value and an output layer another; of two, the
// result is twice the smaller one (Bonferroni). It is 1 if there is neither.
func (n *Network) familiarity(x []float64, class int) float64 {
	p, l := 1.0, n.layer()
	if n.Familiar != nil {
		p = n.Familiar.P(x)
	}
	if l == nil {
		return p
	}
	if f, ok := n.Model.(features.Model); ok {
		z := make([]float64, f.Size)
		_ = f.Standard(z, x) // an error was that of the prediction
		x = z
	}
	q, _, err := l.Familiarity([][]float64{x}, []int{class})
	if err != nil || math.IsNaN(q[0]) { // too few examples of the class
		return p
	}
	if n.Familiar == nil {
		return q[0]
	}
	return min(1, 2*p, 2*q[0])
}

// Unknown is the class where no probability is large enough.
const Unknown = dataset.Unknown

// Decision says when the class is Unknown. The zero value is never.
type Decision struct {
	Probability float64 // below this one
	Familiarity float64 // or below this one, if there is one
}

// decide returns the decision for a prediction, given the familiarity of its input.
func (n *Network) decide(p *bnn.Prediction, familiarity float64, d Decision) string {
	class := p.Decide(bnn.Probability, d.Probability)
	if class == bnn.Unknown || familiarity < d.Familiarity {
		return Unknown
	}
	return n.Classes[class]
}

// Predict returns a row for each of the rows. Levels of categorical columns that the network has not seen are
// zeros, and returned, such as "colour=red". A row for which the network overflows is Unknown, without
// numbers, and its error is among those that failed. An error has the file and the line.
func (n *Network) Predict(rows *dataset.Table, d Decision) (
	out *table.Table, unseen []string, failed []error, err error,
) {
	scaler, err := n.scaler(rows)
	if err != nil {
		return nil, nil, nil, err
	}
	x, unseen, err := scaler.Rows(rows)
	if err != nil {
		return nil, nil, nil, err
	}
	var p bnn.Prediction
	inputs, _ := n.Shape()
	_ = n.Model.Predict(&p, make([]float64, inputs)) // tells whether it has members
	mixture, familiar := len(p.Members) > 1, n.Familiar != nil || n.layer() != nil
	names := []string{"probability", "aleatoric", "epistemic"}
	if mixture {
		names = append(names, "mutual_information")
	}
	if familiar {
		names = append(names, "familiarity")
	}
	for _, class := range n.Classes {
		names = append(names, "p_"+class)
	}
	out = table.New("predictions", table.Text("class", ""))
	for _, name := range names {
		out.Columns = append(out.Columns, table.Num(name, ""))
	}
	for i := range x {
		if err := n.Model.Predict(&p, x[i]); err != nil {
			err = fmt.Errorf("%s:%d: %w; the row is %s", rows.File, rows.Line[i], err, Unknown)
			failed = append(failed, err)
			out.Add(Unknown, table.Gaps(len(names)))
			continue
		}
		familiarity := n.familiarity(x[i], p.Class())
		aleatoric, epistemic := p.LabelVariance()
		row := []any{n.decide(&p, familiarity, d), p.P[p.Class()], aleatoric, epistemic}
		if mixture {
			row = append(row, p.MutualInformation())
		}
		if familiar {
			row = append(row, familiarity)
		}
		out.Add(append(row, p.P)...)
	}
	return out, unseen, failed, nil
}
