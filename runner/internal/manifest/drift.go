package manifest

import (
	"fmt"
	"math"
	"slices"

	"closedform/runner/internal/dataset"
)

// Drift is what the study drift reads: methods predict and learn one example of a
// stream after another, while the law of the examples turns.
type Drift struct {
	Examples int // of a stream, and of that by which candidates are judged; required
	Block    int // examples whose scores are averaged, a divisor of Examples; default 50
	Every    int // methods that learn all examples at once are fitted anew after so many; default 50
	Budget   int // the most candidates a method may try; required

	Drifts  []Course
	Methods []Method // those that learn all examples at once see the latest only, as many as their window
}

// Course is a [[drift]]: a law of examples in the plane, and by how much it has
// turned about the origin along the stream.
type Course struct {
	Name  string  // required
	Data          // without Train
	Turns float64 // per 1000 examples, counter-clockwise, evenly along the stream; default 0
	Jumps []int   // numbers of examples after which it turns at once, strictly increasing; default: none
	Jump  float64 // turns of each of Jumps; default ¼
}

// Angle returns by how much the law has turned when k examples have been seen, in
// radians.
func (c *Course) Angle(k int) float64 {
	turns := c.Turns * float64(k) / 1000
	for _, after := range c.Jumps {
		if k >= after {
			turns += c.Jump
		}
	}
	return 2 * math.Pi * turns
}

func (d *Drift) fields(f *fields, m *Manifest) {
	f.table("stream", func(f *fields) {
		field(f, "examples", &d.Examples, integer(1, maxTrain))
		field(f, "block", &d.Block, integer(1, maxTrain).or(50))
		field(f, "every", &d.Every, integer(1, maxTrain).or(50))
		field(f, "budget", &d.Budget, integer(1, maxTables))
	})
	f.table("sweep", func(f *fields) {
		field(f, "seed", &m.Seeds, span("1..20", 0, maxSeed, maxCells).or(nil))
	})
	blocks(f, "drift", &d.Drifts, Course{}, (*Course).fields)
	blocks(f, "method", &d.Methods, Method{streamed: true}, (*Method).fields)
}

func (c *Course) fields(f *fields) {
	turns := number("a number from -1000 to 1000", func(x float64) bool { return -1000 <= x && x <= 1000 })
	field(f, "name", &c.Name, name)
	field(f, "generator", &c.Generator, word(dataset.Names()...))
	c.law(f)
	field(f, "turns", &c.Turns, turns.or(0))
	field(f, "jumps", &c.Jumps, listOf(0, maxSnapshots, integer(1, maxTrain)).or(nil))
	field(f, "jump", &c.Jump, turns.or(0.25))
}

func (d *Drift) check(root *table, m *Manifest) {
	drifts, methods := root.list("drift"), root.list("method")
	if len(drifts) == 0 {
		root.missing("drift", "at least one table headed [[drift]]")
	}
	checkMethods(root, methods, d.Methods, d.Budget)
	if d.Examples%d.Block != 0 {
		root.sub("stream").reject("block", fmt.Sprintf("allowed: a divisor of stream.examples = %d", d.Examples))
	}
	for i, t := range drifts {
		c := &d.Drifts[i]
		if slices.ContainsFunc(d.Drifts[:i], func(o Course) bool { return o.Name == c.Name }) {
			t.reject("name", "a drift before it has this name; allowed: names that differ")
		}
		c.Data.check(t)
		rejectUnordered(t, "jumps", c.Jumps)
		if n := len(c.Jumps); n > 0 && c.Jumps[n-1] >= d.Examples {
			t.reject("jumps", fmt.Sprintf("%d is not before the end of the stream; allowed: less than stream.examples = %d", c.Jumps[n-1], d.Examples))
		}
	}
	m.checkDrawn(root)
	root.atMost(maxDrawn, len(d.Methods), "method", "curves of a chart")
	root.atMost(maxCells, len(d.Drifts)*len(d.Methods)*len(m.Seeds), "sweep", "cells (drifts × methods × seeds)")
	if root.rejected() {
		return
	}
	for _, c := range d.Drifts {
		for i, t := range methods {
			d.Methods[i].fit(t, c.shape())
		}
	}
}
