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
	Network bool   `toml:"network,omitempty"` // that of the first seed
	Method  string `toml:"method,omitempty"`  // of this closed-form method; empty: of the first
}

// savedFile is the file of the network.
const savedFile = "network.npz"

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

// saved returns the file of the network.
func (s streamSpec) saved(n *trained.Network, l *learner.Tolerant, train *data.Examples) (_ *table.Table, err error) {
	n.Model = l.Model()
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
	return &table.Table{Name: savedFile, File: file.Bytes()}, nil
}
