// Package own is for tables of a user's own: a manifest for a table, and the network that it keeps, which
// predicts the rows of other tables and learns them.
package own

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/classifier"
	"closedform/core/features"
	"closedform/core/readout"
	"closedform/runner/dataset"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/store"
)

// File is the name of the file of a network in a results folder.
const File = "network.npz"

// Network is a trained classifier for the rows of tables. It is kept in one file, whose note has what the
// classifier does not know.
type Network struct {
	*classifier.Classifier `json:"-"`

	Classes []string       `json:"classes"`          // their names, in the order of their numbers
	Column  string         `json:"column,omitempty"` // that of the class in the table
	Scaler  dataset.Scaler `json:"scaler"`           // of the inputs
	Layout  dataset.Layout `json:"layout,omitzero"`  // of the file of the table
	Counts  Counts         `json:"counts,omitzero"`
}

// Counts are those of rows that were predicted before they were learned.
type Counts struct {
	Rows    int     `json:"rows"`            // that were read
	Unknown int     `json:"unknown"`         // that were answered dataset.Unknown
	Learned int     `json:"learned"`         // whose class was known
	Wrong   int     `json:"wrong"`           // of these the ones whose most probable class was another
	Loss    float64 `json:"loss"`            // −Σ log p of their classes, in nats
	Added   int     `json:"added,omitempty"` // classes, the last ones
}

func (c *Counts) scores() (wrong, loss float64) {
	return float64(c.Wrong) / float64(c.Learned), c.Loss / float64(c.Learned)
}

// Bytes returns the file of the network. Equal ones make equal files.
func (n *Network) Bytes() ([]byte, error) {
	if len(n.Scaler.Features) == 0 { // of a generator, and of images
		inputs, _ := n.Model().Shape()
		for j := range inputs {
			n.Scaler.Features = append(n.Scaler.Features, dataset.Feature{Column: fmt.Sprint("x", j+1)})
		}
	}
	c, err := *n.Classifier, error(nil)
	c.Decision = classifier.Decision{Familiarity: classifier.DefaultFamiliarity}
	var file bytes.Buffer
	if c.Note, err = json.Marshal(n); err == nil {
		err = c.Save(&file)
	}
	return file.Bytes(), err
}

// Recorder records the training of the network that is kept.
type Recorder struct {
	network Network
	history *classifier.History
}

// NewRecorder returns the recorder of a training part, which is of files of this format.
func NewRecorder(train *dataset.Examples, f dataset.Format) *Recorder {
	n := Network{Classes: train.Classes(), Column: f.Class, Layout: f.Layout}
	return &Recorder{n, classifier.NewHistory(train.Inputs())}
}

// Observe records the prediction of an example before the network learns it in the first pass; x is scaled.
func (r *Recorder) Observe(x []float64, p learner.Prediction, class int) {
	r.history.Add(x, p.Confidence, floats.MaxIdx(p.P) != class)
}

// File returns the file of the network after so many passes.
func (r *Recorder) File(m bnn.Model, scaler dataset.Scaler, passes int) ([]byte, error) {
	if passes > 1 { // which make the network more confident than it was in the first
		r.history.Record = nil
	}
	n := r.network
	n.Classifier, n.Scaler = classifier.From(m, r.history), scaler
	return n.Bytes()
}

// Read reads the file of a network.
func Read(path string) (*Network, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	n := new(Network)
	if n.Classifier, err = classifier.Load(file); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	_ = json.Unmarshal(n.Note, n) // what is not there does not fit
	in, out := n.Model().Shape()
	s, fits := n.Scaler, func(list []float64) bool { return len(list) == 0 || len(list) == in }
	if len(s.Features) != in || !fits(s.Fill) || !fits(s.Shift) || len(s.Shift) != len(s.Factor) ||
		len(n.Classes) != out || slices.Contains(n.Classes, dataset.Unknown) || n.Counts.Added < 0 ||
		n.Counts.Added > out {
		return nil, fmt.Errorf("%s: a model of %d inputs and %d classes, of which it names %d and %d, or does not "+
			"say how they are scaled; need the %s of a run with [save]",
			path, in, out, len(s.Features), len(n.Classes), File)
	}
	return n, nil
}

// Show says in lines what the network is.
func (n *Network) Show(w io.Writer) {
	say := func(name, format string, args ...any) {
		fmt.Fprintf(w, "%-10s "+format+"\n", append([]any{name}, args...)...)
	}
	c, s, known := n.Counts, n.Scaler, len(n.Classes)
	say("classes", "%d: %s", known, strings.Join(n.Classes, ", "))
	say("added", "%d of them since the training: %q", c.Added, n.Classes[known-c.Added:])
	if n.Familiar != nil {
		say("learned", "%d examples, of which %d are from the %d rows of learn", n.Familiar.Seen, c.Learned, c.Rows)
	}
	for j, f := range s.Features {
		scaling := "as it is"
		if s.Shift != nil {
			scaling = fmt.Sprintf("(x − %.6g) · %.6g", s.Shift[j], s.Factor[j])
		}
		if s.Fill != nil {
			scaling += fmt.Sprintf(", without a value %.6g", s.Fill[j])
		}
		say("input", "%s: %s", f, scaling)
	}
	var models func(prefix string, m bnn.Model)
	models = func(prefix string, m bnn.Model) {
		switch m := m.(type) {
		case *bnn.Bank:
			for k, member := range m.Models() {
				models(fmt.Sprintf("%sweight %.3f: ", prefix, m.Weights()[k]), member)
			}
		case features.Model:
			models(fmt.Sprintf("%son %d features: ", prefix, m.Size), m.Model)
		case *bnn.Network:
			say("model", "%s%+v", prefix, m.Config())
		case *readout.Layer:
			say("model", "%s%+v", prefix, m.Config())
		}
	}
	models("", n.Model())
	say("stored", "the range of each input and, unless the model is one network, some rows of the training "+
		"table, scaled: whoever has the file can read them")
}

// Replace locks the network of a results folder, if there is one, before a run replaces it. It returns an
// error if it has learned rows since the run that made it.
func Replace(dir string) (release func(), err error) {
	path := filepath.Join(dir, File)
	if _, err := os.Stat(path); err != nil {
		return func() {}, nil
	}
	if release, err = store.Hold(path); err != nil {
		return nil, err
	}
	if n, err := Read(path); err == nil && n.Counts.Learned > 0 {
		release()
		return nil, fmt.Errorf("%s has learned %d rows since it was trained, and the run would replace it: "+
			"move or remove it", path, n.Counts.Learned)
	}
	return release, nil
}
