// Package trained keeps a network that has learned, with what it takes to predict the rows
// of a table: which columns its inputs are, how they are scaled, and what its classes are
// called. All is in one file, a checkpoint whose note is a JSON object.
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

	// Bare says that the file does not have these, as another program wrote it by
	// checkpoint.Save: inputs are the columns in their order, without Column, and classes are
	// their numbers from 0.
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
		return nil, fmt.Errorf("%s: what it says of columns and classes: %w; need the network.npz of a run with [save]",
			path, err)
	}
	return n, nil
}

// check returns an error unless all is of the same size.
func (n *Network) check() error {
	in, out := n.Shape()
	if n.Familiar != nil && len(n.Familiar.Low) != in {
		return fmt.Errorf("the familiarity of %d inputs, for a network with %d", len(n.Familiar.Low), in)
	}
	if n.Record != nil {
		if err := n.Record.Validate(); err != nil {
			return err
		}
	}
	if n.Bare {
		return nil
	}
	if inputs := len(n.Scaler.Features); inputs != in || len(n.Classes) != out {
		return fmt.Errorf("%d inputs and %d classes, for a network with %d and %d", inputs, len(n.Classes), in, out)
	}
	if added := n.Counts.Added; added < 0 || added > len(n.Classes) {
		return fmt.Errorf("%d classes are new since the training, of %d", added, len(n.Classes))
	}
	for _, of := range [][]float64{n.Scaler.Fill, n.Scaler.Shift, n.Scaler.Factor} {
		if len(of) != 0 && len(of) != in || len(n.Scaler.Shift) != len(n.Scaler.Factor) {
			return fmt.Errorf("a scaler that does not fit %d inputs", in)
		}
	}
	return nil
}

// scaler returns that of the inputs. If the file of the network names no columns, they are all of
// the table but the column of classes.
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
		return s, fmt.Errorf("%s: %d columns; the network has %d inputs, and its file does not say which columns they are; need these alone, in their order",
			rows.File, len(s.Features), in)
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

// familiarity returns a p-value of the hypothesis that x, whose prediction is of, is like the learned
// inputs. The distribution of the inputs gives one p-value and an output layer another; of two, the result is
// twice the smaller one (Bonferroni). It is 1 if there is neither.
func (n *Network) familiarity(x []float64, of *bnn.Prediction) float64 {
	p := 1.0
	if n.Familiar != nil {
		p = n.Familiar.P(x)
	}
	l := n.layer()
	if l == nil {
		return p
	}
	if f, ok := n.Model.(features.Model); ok {
		z := make([]float64, f.Size)
		_ = f.Standard(z, x) // an error was that of the prediction
		x = z
	}
	q, _, err := l.Familiarity([][]float64{x}, []int{of.Class()})
	switch {
	case err != nil || math.IsNaN(q[0]): // too few examples of the class
		return p
	case n.Familiar == nil:
		return q[0]
	}
	return min(1, 2*p, 2*q[0])
}

// decide returns the decision for a prediction, given the familiarity of its input.
func (n *Network) decide(p *bnn.Prediction, familiarity float64, d Decision) string {
	if class := p.Decide(bnn.Probability, d.Probability); class != bnn.Unknown && familiarity >= d.Familiarity {
		return n.Classes[class]
	}
	return Unknown
}

// Unknown is the class where no probability is large enough.
const Unknown = dataset.Unknown

// Decision says when the class is Unknown. The zero value is never.
type Decision struct {
	Probability float64 // below this one
	Familiarity float64 // or below this one, if there is one
}

// Predict returns a row for each of the rows. Levels of categorical columns that the network has not seen
// are zeros, and returned, such as "colour=red". A row for which the network overflows is Unknown,
// without numbers, and its error is among those that failed. An error has the file and the line.
func (n *Network) Predict(rows *dataset.Table, d Decision) (out *table.Table, unseen []string, failed []error, err error) {
	scaler, err := n.scaler(rows)
	if err != nil {
		return nil, nil, nil, err
	}
	x, unseen, err := scaler.Rows(rows)
	if err != nil {
		return nil, nil, nil, err
	}
	out = table.New("predictions", table.Text("class", ""), table.Num("probability", ""),
		table.Num("aleatoric", ""), table.Num("epistemic", ""))
	inputs, _ := n.Shape()
	var p bnn.Prediction
	_ = n.Model.Predict(&p, make([]float64, inputs)) // tells whether it has members
	mixture := len(p.Members) > 1
	if mixture {
		out.Columns = append(out.Columns, table.Num("mutual_information", ""))
	}
	familiar := n.Familiar != nil || n.layer() != nil
	if familiar {
		out.Columns = append(out.Columns, table.Num("familiarity", ""))
	}
	for _, name := range n.Classes {
		out.Columns = append(out.Columns, table.Num("p_"+name, ""))
	}
	for i := range x {
		if err := n.Model.Predict(&p, x[i]); err != nil {
			failed = append(failed, fmt.Errorf("%s:%d: %w; the row is %s", rows.File, rows.Line[i], err, Unknown))
			out.Add(Unknown, table.Gaps(len(out.Columns)-1))
			continue
		}
		familiarity := n.familiarity(x[i], &p)
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
