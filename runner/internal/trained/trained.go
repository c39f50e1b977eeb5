// Package trained keeps a network that has learned, with what it takes to predict the rows
// of a table: which columns its inputs are, how they are scaled, and what its classes are
// called. All is in one file, a checkpoint whose note is a JSON object.
package trained

import (
	"encoding/json"
	"fmt"
	"io"
	"os"

	"closedform/core/bnn"
	"closedform/core/checkpoint"
	"closedform/runner/dataset"
	"closedform/runner/internal/table"
)

// Network is a network, an ensemble or a bank for the rows of a table.
type Network struct {
	bnn.Model `json:"-"`
	Classes   []string       `json:"classes"` // their names, in the order of their numbers
	Scaler    dataset.Scaler `json:"scaler"`  // of the inputs

	// Bare says that the file does not have these, as another program wrote it by
	// checkpoint.Save: inputs are the columns in their order, and classes are their numbers from 0.
	Bare bool `json:"-"`
}

// Write writes the network. Equal ones make equal files.
func (n *Network) Write(w io.Writer) error {
	note, err := json.Marshal(n)
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
	if json.Unmarshal([]byte(note), n) != nil || n.Classes == nil {
		*n = Network{Bare: true} // the note of another program
		_, classes := ends(model)
		for class := range classes {
			n.Classes = append(n.Classes, fmt.Sprint(class))
		}
	}
	if n.Model = model; !n.Bare {
		err = n.check()
	}
	if err != nil {
		return nil, fmt.Errorf("%s: what it says of columns and classes: %w; need the network.npz of a run with [save]",
			path, err)
	}
	return n, nil
}

// ends returns the numbers of inputs and classes of a model.
func ends(m bnn.Model) (inputs, classes int) {
	layers := m.Members()[0].Config().Layers
	return layers[0], layers[len(layers)-1]
}

// check returns an error unless all is of the same size.
func (n *Network) check() error {
	in, out := ends(n.Model)
	if inputs := len(n.Scaler.Features); inputs != in || len(n.Classes) != out {
		return fmt.Errorf("%d inputs and %d classes, for a network with %d and %d", inputs, len(n.Classes), in, out)
	}
	for _, of := range [][]float64{n.Scaler.Fill, n.Scaler.Shift, n.Scaler.Factor} {
		if len(of) != 0 && len(of) != in || len(n.Scaler.Shift) != len(n.Scaler.Factor) {
			return fmt.Errorf("a scaler that does not fit %d inputs", in)
		}
	}
	return nil
}

// Unknown is the class where no probability is large enough.
const Unknown = "unknown"

// Predict returns a row for each of the rows. The class is Unknown where the largest
// probability is below least. Levels of categorical columns that the network has not seen
// are zeros, and returned, such as "colour=red". An error has the file and the line.
func (n *Network) Predict(rows *dataset.Table, least float64) (out *table.Table, unseen []string, err error) {
	scaler := n.Scaler
	if n.Bare {
		if in, _ := ends(n.Model); len(rows.Columns) != in {
			return nil, nil, fmt.Errorf("%s: %d columns; the network has %d inputs, and its file does not say which columns they are; need these alone, in their order",
				rows.File, len(rows.Columns), in)
		}
		for _, name := range rows.Columns {
			scaler.Features = append(scaler.Features, dataset.Feature{Column: name})
		}
	}
	x, unseen, err := scaler.Rows(rows)
	if err != nil {
		return nil, nil, err
	}
	out = table.New("predictions", table.Text("class", ""), table.Num("probability", ""),
		table.Num("aleatoric", ""), table.Num("epistemic", ""))
	mixture := len(n.Members()) > 1
	if mixture {
		out.Columns = append(out.Columns, table.Num("mutual_information", ""))
	}
	for _, name := range n.Classes {
		out.Columns = append(out.Columns, table.Num("p_"+name, ""))
	}
	var p bnn.Prediction
	for i := range x {
		if err := n.Model.Predict(&p, x[i]); err != nil {
			return nil, nil, fmt.Errorf("%s:%d: %w", rows.File, rows.Line[i], err)
		}
		name := Unknown
		if class := p.Decide(bnn.Probability, least); class != bnn.Unknown {
			name = n.Classes[class]
		}
		aleatoric, epistemic := p.LabelVariance()
		row := []any{name, p.P[p.Class()], aleatoric, epistemic}
		if mixture {
			row = append(row, p.MutualInformation())
		}
		out.Add(append(row, p.P)...)
	}
	return out, unseen, nil
}
