package learn

import (
	"bytes"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/familiar"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
	"closedform/runner/internal/trained"
)

// save says whether a trained network is kept.
type save struct {
	Network bool `toml:"network,omitempty"` // that of the first closed-form method and the first seed
}

// savedTable is the name of the table in which a cell hands on its network, as bytes.
const savedTable = "network.npz"

// keep returns what is kept of a network before it learns, and how it takes note of an
// example of the first pass and its prediction.
func (s streamSpec) keep(train *data.Examples) (*trained.Network, func(x, p []float64, class int)) {
	n := &trained.Network{Classes: train.Classes(), Column: s.Data.Class, Familiar: familiar.New(train.Inputs()), Record: new(bnn.TrackRecord)}
	return n, func(x, p []float64, class int) {
		if err := n.Familiar.Observe(x); err == nil && n.Familiar.Seen > train.Len()/2 {
			n.Record.Add(floats.Max(p), floats.MaxIdx(p) != class)
		}
	}
}

// saved returns the network as a table.
func (s streamSpec) saved(n *trained.Network, l *learner.Tolerant, train *data.Examples) (_ *table.Table, err error) {
	if n.Model, err = learner.ModelOf(l); err != nil {
		return nil, err
	}
	if n.Scaler, err = train.Scaler(s.Data.Scale); err != nil {
		return nil, err
	}
	if len(train.Features()) == 0 { // of a generator, and of images
		for j := range train.Inputs() {
			n.Scaler.Features = append(n.Scaler.Features, dataset.Feature{Column: fmt.Sprint("x", j+1)})
		}
	}
	if s.Method.Passes > 1 { // which make the network surer than it was in the first
		n.Record = nil
	}
	var file bytes.Buffer
	if err := n.Write(&file); err != nil {
		return nil, err
	}
	t := table.New(savedTable, table.Text("content", ""))
	t.Add(file.String())
	return t, nil
}

// Saved implements [study.Saving].
func (s *stream) Saved(cells []table.Set) map[string][]byte {
	files := map[string][]byte{}
	for _, c := range cells {
		if t := c.Get(savedTable); t != nil {
			files[savedTable] = []byte(t.Texts("content")[0])
		}
	}
	return files
}
