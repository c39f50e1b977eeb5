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
	"strings"

	"closedform/core/bnn"
	"closedform/core/classifier"
	"closedform/core/features"
	"closedform/core/mixture"
	"closedform/core/readout"
	"closedform/runner/dataset"
	"closedform/runner/internal/store"
)

// File is the name of the file of a network in a results folder.
const File = "network.npz"

// Network is a trained classifier for the rows of tables. It is kept in one file, whose note has what the
// classifier does not know.
type Network struct {
	*classifier.Classifier `json:"-"`

	Classes []string       `json:"classes"` // their names, in the order of their numbers
	Format  dataset.Format `json:"format"`  // of the training table
	Scaler  dataset.Scaler `json:"scaler"`  // of the inputs

	// Numbers of rows that learn has read, that it has learned, and of classes that it has added, the last ones.
	Rows, Learned, Added int
}

// Bytes returns the file of the network. Equal ones make equal files.
func (n *Network) Bytes() ([]byte, error) {
	c, err := *n.Classifier, error(nil)
	c.Decision = classifier.Decision{Familiarity: classifier.DefaultFamiliarity}
	var file bytes.Buffer
	if c.Note, err = json.Marshal(n); err == nil {
		err = c.Save(&file)
	}
	return file.Bytes(), err
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
	if json.Unmarshal(n.Note, n) != nil {
		n.readFormer()
	}
	in, out := n.Model().Shape()
	if len(n.Scaler) != in || len(n.Classes) != out || n.Added < 0 || n.Added > out {
		return nil, fmt.Errorf("%s: a model of %d inputs and %d classes, of which it names %d and %d; need the %s "+
			"of a run with [save]", path, in, out, len(n.Scaler), len(n.Classes), File)
	}
	return n, nil
}

// former is the note of files that were written before 26 November 2026.
type former struct {
	Column string
	Layout struct{ Separator, Decimal string }
	Scaler struct {
		Features            []dataset.Input
		Fill, Shift, Factor []float64
	}
	Counts struct{ Rows, Learned, Added int }
}

// readFormer sets what a former note says, if the lengths fit.
func (n *Network) readFormer() {
	var old former
	err := json.Unmarshal(n.Note, &old)
	s, inputs := old.Scaler, old.Scaler.Features
	fits := func(list []float64) bool { return len(list) == 0 || len(list) == len(inputs) }
	if err != nil || !fits(s.Fill) || !fits(s.Shift) || len(s.Factor) != len(s.Shift) {
		return
	}
	for j := range inputs {
		inputs[j].Factor = 1
		if s.Shift != nil {
			inputs[j].Shift, inputs[j].Factor = s.Shift[j], s.Factor[j]
		}
		if s.Fill != nil {
			inputs[j].Fill = &s.Fill[j]
		}
	}
	n.Scaler, n.Rows, n.Learned, n.Added = inputs, old.Counts.Rows, old.Counts.Learned, old.Counts.Added
	n.Format = dataset.Format{Class: old.Column, Separator: old.Layout.Separator, Decimal: old.Layout.Decimal}
}

// Show says in lines what the network is.
func (n *Network) Show(w io.Writer) {
	fmt.Fprintf(w, "classes    %d: %s\n", len(n.Classes), strings.Join(n.Classes, ", "))
	fmt.Fprintf(w, "added      %d of them since the training: %q\n", n.Added, n.Classes[len(n.Classes)-n.Added:])
	if n.Familiar != nil {
		fmt.Fprintf(w, "learned    %d examples, of which %d are from the %d rows of learn\n", n.Familiar.Seen,
			n.Learned, n.Rows)
	}
	for _, in := range n.Scaler {
		fmt.Fprintf(w, "input      %s: (x − %.6g) · %.6g\n", in, in.Shift, in.Factor)
		if in.Fill != nil {
			fmt.Fprintf(w, "           without a value %.6g\n", *in.Fill)
		}
	}
	show(w, "", n.Model())
	fmt.Fprintln(w, "stored     the range of each input and, unless the model is one network, some rows of the "+
		"training table, scaled: whoever has the file can read them")
}

func show(w io.Writer, prefix string, m bnn.Model) {
	switch m := m.(type) {
	case *mixture.Mixture:
		for k, member := range m.Members() {
			show(w, fmt.Sprintf("%sweight %.3f: ", prefix, m.Weights()[k]), member)
		}
	case features.Model:
		show(w, fmt.Sprintf("%son %d features: ", prefix, m.Size), m.Model)
	case *bnn.Network:
		fmt.Fprintf(w, "model      %s%+v\n", prefix, m.Config())
	case *readout.Layer:
		fmt.Fprintf(w, "model      %s%+v\n", prefix, m.Config())
	}
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
	if n, err := Read(path); err == nil && n.Learned > 0 {
		release()
		return nil, fmt.Errorf("%s has learned %d rows since it was trained, and the run would replace it: "+
			"move or remove it", path, n.Learned)
	}
	return release, nil
}
