package learn

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
	"closedform/runner/internal/trained"
)

// save says which trained network is kept.
type save struct {
	Network bool   `toml:"network,omitempty"` // the first of the first seed, but for these:
	Method  string `toml:"method,omitempty"`  // of a network, or of a method that is closed-form
	Seed    int    `toml:"seed,omitempty"`
}

// resolve fills in what is not given.
func (s *save) resolve(all []entry, seeds []int) error {
	if *s == (save{}) {
		return nil
	}
	s.Network = true
	var names []string
	for _, m := range all {
		if m.ClosedForm() {
			names = append(names, m.Name)
		}
	}
	if s.Method == "" {
		s.Method = names[0]
	}
	if s.Seed == 0 {
		s.Seed = seeds[0]
	}
	if !slices.Contains(names, s.Method) {
		return field.Errorf("method", "%q is not allowed; allowed: a network: %s",
			s.Method, strings.Join(names, ", "))
	}
	if !slices.Contains(seeds, s.Seed) {
		return field.Errorf("seed", "%d is not allowed; allowed: one of sweep.seed, or else that of the manifest",
			s.Seed)
	}
	return nil
}

// is reports whether the network of a cell is kept.
func (s save) is(method string, seed int) bool {
	return s.Network && s.Method == method && s.Seed == seed
}

// notes tells if the network that is to be kept broke down.
func (s save) notes(runs *table.Table) []string {
	if s.Network && runs.Where("method", s.Method).Where("seed", s.Seed).Where("failed", 1).Len() > 0 {
		return []string{fmt.Sprintf("no %s is kept: %s broke down", savedFile, s.Method)}
	}
	return nil
}

// savedFile is the file of the network.
const savedFile = "network.npz"

// saved returns the file of the network.
func (c *streamCell) saved() (*table.Table, error) {
	model := c.learner.Learner.(*learner.Network).Model
	train, _, err := c.Data.Unscaled(c.Stream("data"))
	if err != nil {
		return nil, err
	}
	scaler, err := train.Scaler(c.Data.Scale)
	if err != nil {
		return nil, err
	}
	for j := range train.Inputs() {
		if len(train.Features()) == 0 { // of a generator, and of images
			scaler.Features = append(scaler.Features, dataset.Feature{Column: fmt.Sprint("x", j+1)})
		}
	}
	var file bytes.Buffer
	n := trained.Network{Model: model, Classes: c.train.Classes(), Column: c.Data.Class, Scaler: scaler, Familiar: c.familiar}
	if c.Method.Passes <= 1 { // more make the network surer than it was in the first
		n.Record = &c.record
	}
	if err := n.Write(&file); err != nil {
		return nil, err
	}
	return &table.Table{Name: savedFile, File: file.Bytes()}, nil
}
