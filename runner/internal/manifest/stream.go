package manifest

import (
	"fmt"
	"slices"
)

// Stream is what the study learn reads without evaluate.grid: networks learn the
// training part of any source, one example after another, and are scored on its
// test part along the stream.
type Stream struct {
	Source Source
	Networks
	Rivals []Method // learn the same stream

	Snapshots []int // numbers of examples of the first pass after which they are scored, strictly increasing; default: none
	Passes    int   // over the training part; after each they are scored; default 1

	// Order is that of the examples: shuffled, anew for each pass, or file, that of
	// the data; default shuffled.
	Order string

	// Predictions says whether the probabilities of every test example are
	// written, for every seed; default true.
	Predictions bool
}

func (s *Stream) fields(f *fields, m *Manifest) {
	m.folder(f)
	f.table("data", s.Source.fields)
	f.table("model", s.Model.anyLayers)
	f.table("evaluate", func(f *fields) {
		if f.from != nil {
			f.from.known = append(f.from.known, "grid") // which makes it the other study
		}
		field(f, "snapshots", &s.Snapshots, listOf(0, maxSnapshots, integer(1, maxTrain)).or(nil))
		field(f, "passes", &s.Passes, integer(1, maxPasses).or(1))
		field(f, "order", &s.Order, word("shuffled", "file").or("shuffled"))
		field(f, "predictions", &s.Predictions, boolean.or(true))
	})
	s.sweepVariants(f, m, orNone(lambdas), orNone(rhos), (*Model).anyLayers)
	blocks(f, "rival", &s.Rivals, Method{}, (*Method).fixed)
}

// anyLayers goes over all keys of a model whose layers may be given without the
// inputs and classes of the data.
func (m *Model) anyLayers(f *fields) {
	field(f, "layers", &m.Layers, orNone(listOf(2, maxLayers, integer(1, maxWidth))))
	field(f, "hidden_layers", &m.HiddenLayers, orNone(widths))
	field(f, "random_features", &m.RandomFeatures, boolean.or(false))
	m.rules(f)
}

func (s *Stream) check(root *table, m *Manifest) {
	data, ok := s.Source.check(root.sub("data"), m)
	if !ok {
		return
	}
	model, variants := root.sub("model"), root.list("variant")
	s.Model.fit(model, data)
	for i := range s.Variants {
		if len(variants) > 0 {
			s.Variants[i].fit(variants[i], data)
		} else {
			s.Variants[i].Layers, s.Variants[i].HiddenLayers = s.Model.Layers, nil
		}
	}
	if root.rejected() {
		return
	}
	s.Networks.check(root, m, data)
	evaluate := root.sub("evaluate")
	rejectUnordered(evaluate, "snapshots", s.Snapshots)
	train, _, err := s.Source.Parts(fixedStream())
	if err != nil {
		root.sub("data").reject("scale", err.Error())
		return
	}
	if n := len(s.Snapshots); n > 0 && s.Snapshots[n-1] > train.Len() {
		evaluate.reject("snapshots", fmt.Sprintf("%d is beyond the %d training examples; allowed: 1 to %[2]d", s.Snapshots[n-1], train.Len()))
	}
	names := []string{}
	for _, model := range s.Models() {
		names = append(names, model.Name)
	}
	for i, t := range root.list("rival") {
		r := &s.Rivals[i]
		r.fit(t, data)
		if slices.Contains(names, r.Name) {
			t.reject("name", "a variant or rival before it has this name; allowed: names that differ")
		}
		names = append(names, r.Name)
	}
}

// fit makes Layers from HiddenLayers where these are given. The model's own keys
// are in t; what it inherits of another form is replaced.
func (m *Model) fit(t *table, data shape) {
	switch {
	case t.has("layers") && t.has("hidden_layers"):
		t.reject("hidden_layers", "with layers they are given already; allowed: one of layers and hidden_layers")
	case t.has("hidden_layers") || len(m.Layers) == 0:
		*m = m.For(data.inputs, data.classes)
	}
	m.HiddenLayers = nil
}
