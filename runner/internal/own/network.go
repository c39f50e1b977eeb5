// Package own is for tables of a user's own. It writes a manifest for a table ([Table]), keeps the network
// that the run of the manifest trains ([Network]), and lets the network predict and learn the rows of other
// tables ([Predict], [Learn]).
package own

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/core/bnn"
	"closedform/core/classifier"
	"closedform/core/features"
	"closedform/core/mixture"
	"closedform/core/readout"
	"closedform/core/softmax"
	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/store"
)

// File is the name of a network's file in a results folder.
const File = "network.npz"

// Network is a trained classifier for the rows of tables. Its file is that of the classifier; the note in it
// has the other fields.
type Network struct {
	*classifier.Classifier `json:"-"`

	Classes []string       `json:"classes"` // names of the classes, in the order of their numbers
	Format  dataset.Format `json:"format"`  // how the training table is written
	Scaler  dataset.Scaler `json:"scaler"`  // the columns of the inputs, and how they are scaled

	// The command learn counts the rows that it has read and learned, and the classes that it has added, which
	// come last in Classes.
	Rows, Learned, Added int
}

// Bytes returns the contents of the network's file. Equal networks have equal files.
func (n *Network) Bytes() ([]byte, error) {
	decision, note := n.Decision, n.Note
	defer func() { n.Decision, n.Note = decision, note }()
	n.Decision, n.Note = classifier.Decision{Familiarity: classifier.DefaultFamiliarity}, nil
	var file bytes.Buffer
	var err error
	if n.Note, err = json.Marshal(n); err == nil {
		err = n.Save(&file)
	}
	return file.Bytes(), err
}

// Read reads the file of a network. The error names the file.
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
	in, out := n.Model().Shape()
	if err := json.Unmarshal(n.Note, n); err != nil || len(n.Scaler) != in || len(n.Classes) != out ||
		n.Added < 0 || n.Added > out {
		return nil, fmt.Errorf("%s: the file does not describe its %d inputs and %d classes; need the %s of a run "+
			"with [save]", path, in, out, File)
	}
	return n, nil
}

// saver returns a function that saves a network to path, unless another program has changed the file.
func saver(path string) (save func(n *Network) error) {
	saved, _ := os.Stat(path) // the file may not exist
	return func(n *Network) error {
		now, err := os.Stat(path)
		if err == nil && now.Mode().IsRegular() &&
			!(saved != nil && os.SameFile(now, saved) && now.ModTime().Equal(saved.ModTime())) {
			return fmt.Errorf("%s was changed by another program while the network learned, and is left as it is; "+
				"-to names another file", path)
		}
		text, err := n.Bytes()
		if err == nil {
			err = store.WriteFile(path, text)
		}
		if err == nil {
			saved, err = os.Stat(path)
		}
		return err
	}
}

// Replace locks the network of a results folder, if there is one, before a run replaces it. It returns an
// error if the network has learned rows since the run that trained it.
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

// Show prints what the network is, a property in each line.
func (n *Network) Show(w io.Writer) {
	fmt.Fprintf(w, "classes    %d: %s\n", len(n.Classes), strings.Join(n.Classes, ", "))
	fmt.Fprintf(w, "added      %d classes since the training: %q\n", n.Added, n.Classes[len(n.Classes)-n.Added:])
	if n.Familiar != nil {
		fmt.Fprintf(w, "learned    %d examples, %d of them among the %d rows that the command learn has read\n",
			n.Familiar.Seen, n.Learned, n.Rows)
	}
	for _, in := range n.Scaler {
		fmt.Fprintf(w, "input      %s: (x − %.6g) · %.6g\n", in, in.Shift, in.Factor)
		if in.Fill != nil {
			fmt.Fprintf(w, "           %.6g replaces a missing value\n", *in.Fill)
		}
	}
	show(w, "", n.Model())
	fmt.Fprintln(w, "stored     the range of each input and, unless the model is one network, some scaled rows "+
		"of the training table: whoever has the file can read them")
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
		c := m.Config()
		text := keys(&c, &c.Unit)
		if p, ok := c.Softmax.(softmax.Probit); ok {
			text += fmt.Sprintf(", lambda = %g, rho = %g", p.Lambda, p.Rho)
		}
		fmt.Fprintf(w, "model      %s%s\n", prefix, text)
	case *readout.Layer:
		c := m.Config()
		fmt.Fprintf(w, "model      %s%s\n", prefix, keys(&c))
	}
}

// keys returns the keys of configurations and their values, as a manifest has them, on one line.
func keys(configs ...any) string {
	var list []string
	for _, config := range configs {
		for _, f := range field.Fields(config) {
			line, _ := toml.Marshal(map[string]any{f.Key: f.Value.Interface()}) // values can be encoded
			if len(line) > 0 {                                                  // not an empty list
				list = append(list, strings.TrimSpace(string(line)))
			}
		}
	}
	return strings.Join(list, ", ")
}
