package trained

import (
	"bytes"
	"fmt"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/familiar"
	"closedform/runner/dataset"
)

// Recorder records the first pass of a training for the network that is kept.
type Recorder struct {
	network Network
	train   *dataset.Examples
}

// NewRecorder returns the recorder of a training part, which is of files of this format.
func NewRecorder(train *dataset.Examples, f dataset.Format) *Recorder {
	return &Recorder{train: train, network: Network{
		Classes: train.Classes(), Column: f.Class, Layout: f.Layout,
		Familiar: familiar.New(train.Inputs()), Record: new(bnn.TrackRecord),
	}}
}

// Observe records the prediction p of an example before the network learns it; x is scaled.
func (r *Recorder) Observe(x, p []float64, class int) {
	n := &r.network
	if n.Familiar.Observe(x) == nil && n.Familiar.Seen > r.train.Len()/2 {
		n.Record.Add(floats.Max(p), floats.MaxIdx(p) != class)
	}
}

// File returns the file of the network after so many passes.
func (r *Recorder) File(m bnn.Model, scaler dataset.Scaler, passes int) ([]byte, error) {
	n := r.network
	n.Model, n.Scaler = m, scaler
	if len(r.train.Features()) == 0 { // of a generator, and of images
		for j := range r.train.Inputs() {
			n.Scaler.Features = append(n.Scaler.Features, dataset.Feature{Column: fmt.Sprint("x", j+1)})
		}
	}
	if passes > 1 { // which make the network more confident than it was in the first
		n.Record = nil
	}
	var file bytes.Buffer
	err := n.Write(&file)
	return file.Bytes(), err
}
