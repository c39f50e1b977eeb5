package manifest

import "slices"

// Compare is what the study compare reads: methods learn real data sets, each on
// the same splits, with hyper-parameters that are chosen on a part of the training
// examples.
type Compare struct {
	Budget     int     // the most candidates a method may try; required
	Validation float64 // share of the training examples by which candidates are judged; default 0.2
	Reference  string  // the method that the others are compared with; required

	Sets    []Set
	Methods []Method
}

// Set is a [[set]]: a source of examples, and what it is called.
type Set struct {
	Name   string // required
	Source Source
	Splits int // with how many of the seeds it is split and learned, at most; default all
}

func (c *Compare) fields(f *fields, m *Manifest) {
	m.folder(f)
	f.table("compare", func(f *fields) {
		field(f, "budget", &c.Budget, integer(1, maxTables))
		field(f, "validation", &c.Validation, share.or(0.2))
		field(f, "reference", &c.Reference, name)
	})
	f.table("sweep", func(f *fields) {
		field(f, "seed", &m.Seeds, span("1..20", 0, maxSeed, maxCells).or(nil))
	})
	blocks(f, "set", &c.Sets, Set{}, (*Set).fields)
	blocks(f, "method", &c.Methods, Method{}, (*Method).fields)
}

func (s *Set) fields(f *fields) {
	field(f, "name", &s.Name, name)
	s.Source.fields(f)
	field(f, "splits", &s.Splits, orZero(integer(1, maxCells)))
}

func (c *Compare) check(root *table, m *Manifest) {
	sets, methods := root.list("set"), root.list("method")
	if len(sets) == 0 {
		root.missing("set", "at least one table headed [[set]]")
	}
	checkMethods(root, methods, c.Methods, c.Budget)
	if i := slices.IndexFunc(c.Methods, func(o Method) bool { return o.Name == c.Reference }); i < 0 {
		root.sub("compare").reject("reference", "names no method; allowed: the name of a [[method]]")
	}
	cells := 0
	for i, t := range sets {
		s := &c.Sets[i]
		if slices.ContainsFunc(c.Sets[:i], func(o Set) bool { return o.Name == s.Name }) {
			t.reject("name", "a set before it has this name; allowed: names that differ")
		}
		if s.Splits == 0 || s.Splits > len(m.Seeds) {
			s.Splits = len(m.Seeds)
		}
		cells += s.Splits * len(c.Methods)
		if data, ok := s.Source.check(t, m, "name", "splits"); ok {
			for j, method := range methods {
				c.Methods[j].fit(method, data)
			}
		}
	}
	m.checkDrawn(root)
	root.atMost(maxCells, cells, "sweep", "cells (methods × splits of the sets)")
}

// checkMethods reports methods that are none, and names that are there twice.
func checkMethods(root *table, tables []*table, methods []Method, budget int) {
	if len(tables) == 0 {
		root.missing("method", "at least one table headed [[method]]")
	}
	for i, t := range tables {
		methods[i].check(t, budget)
		if slices.ContainsFunc(methods[:i], func(o Method) bool { return o.Name == methods[i].Name }) {
			t.reject("name", "a method before it has this name; allowed: names that differ")
		}
	}
}
