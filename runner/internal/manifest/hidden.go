package manifest

import (
	"fmt"
	"slices"
	"strings"

	"closedform/runner/internal/dataset"
)

// The most passes over the training examples, and the most models whose curves
// one chart can tell apart.
const (
	maxPasses = 1000
	maxDrawn  = 28
)

// Hidden is what the study hidden reads: networks with and without hidden layers
// learn tasks that need one, in one pass or several.
type Hidden struct {
	Tasks    []Task
	Model    Model   // the [model] table, which has no layers
	Variants []Model // Model with the keys of each [[variant]], HiddenLayers in place of Layers

	Test      int      // test examples of each task, ≥ 1; required
	Snapshots []int    // numbers of examples of the first pass after which the networks are scored, strictly increasing; required
	Passes    []int    // passes over the training examples after which they are scored, strictly increasing; required
	Grid      int      // points of the maps along each axis, ≥ 2; required
	Maps      []string // the variants whose maps are drawn; default: none
}

// Task is a [[task]]: examples, and what they are called.
type Task struct {
	Name string // required
	Data
}

func (h *Hidden) fields(f *fields, m *Manifest) {
	f.table("hidden", func(f *fields) {
		field(f, "test", &h.Test, integer(1, maxTrain))
		field(f, "snapshots", &h.Snapshots, listOf(1, maxSnapshots, integer(1, maxTrain)))
		field(f, "passes", &h.Passes, listOf(1, maxSnapshots, integer(1, maxPasses)))
		field(f, "grid", &h.Grid, grid)
		field(f, "maps", &h.Maps, distinct(listOf(0, maxTables, name)).or(nil))
	})
	f.table("model", h.Model.rules)
	f.table("sweep", func(f *fields) {
		field(f, "seed", &m.Seeds, span("1..20", 0, maxSeed, maxCells).or(nil))
	})
	blocks(f, "task", &h.Tasks, Task{}, (*Task).fields)
	blocks(f, "variant", &h.Variants, h.Model, (*Model).hiddenVariant)
}

func (t *Task) fields(f *fields) {
	field(f, "name", &t.Name, name)
	t.Data.fields(f, dataset.Names()...)
}

// hiddenVariant goes over the keys of a variant without Layers, which begins as a
// copy of [model] when it is read.
func (m *Model) hiddenVariant(f *fields) {
	field(f, "name", &m.Name, name)
	field(f, "hidden_layers", &m.HiddenLayers, widths)
	field(f, "random_features", &m.RandomFeatures, boolean.or(false))
	f.inherit = true
	m.rules(f)
}

func (h *Hidden) check(root *table, m *Manifest) {
	for _, list := range []struct {
		key string
		n   int
	}{{"task", len(h.Tasks)}, {"variant", len(h.Variants)}} {
		if list.n == 0 {
			root.missing(list.key, fmt.Sprintf("at least one table headed [[%s]]", list.key))
		}
	}
	section := root.sub("hidden")
	h.checkTasks(root.list("task"), section)
	if root.rejected() {
		return
	}
	h.checkVariants(root.list("variant"), section)
	rejectUnordered(section, "passes", h.Passes)
	m.checkDrawn(root)
	root.atMost(maxDrawn, len(h.Variants), "variant", "curves of a chart")
	root.atMost(maxCells, len(h.Tasks)*len(h.Variants)*len(m.Seeds), "sweep", "cells (tasks × variants × seeds)")
}

// checkTasks reports tasks that are no law, names that are there twice, and
// snapshots that a task does not reach.
func (h *Hidden) checkTasks(tables []*table, section *table) {
	for i, t := range tables {
		h.Tasks[i].Data.check(t)
		if slices.ContainsFunc(h.Tasks[:i], func(o Task) bool { return o.Name == h.Tasks[i].Name }) {
			t.reject("name", "a task before it has this name; allowed: names that differ")
		}
		if last := slices.Max(h.Snapshots); last > h.Tasks[i].Train {
			t.reject("train", fmt.Sprintf("hidden.snapshots go to %d; allowed: at least that", last))
		}
	}
	rejectUnordered(section, "snapshots", h.Snapshots)
}

// checkVariants reports what does not fit the tasks, and names that are there
// twice or nowhere.
func (h *Hidden) checkVariants(tables []*table, section *table) {
	var names []string
	for i, t := range tables {
		v := &h.Variants[i]
		for _, task := range h.Tasks {
			shape := task.Data.shape()
			model := v.For(shape.inputs, shape.classes)
			model.check(t, shape)
		}
		if slices.Contains(names, v.Name) {
			t.reject("name", "a variant before it has this name; allowed: names that differ")
		}
		names = append(names, v.Name)
	}
	for _, name := range h.Maps {
		if !slices.Contains(names, name) {
			section.reject("maps", fmt.Sprintf("%s names no variant; allowed: %s", name, limited(strings.Join(names, ", "), shown)))
		}
	}
}

// rejectUnordered reports numbers that do not increase.
func rejectUnordered(t *table, key string, numbers []int) {
	for i := 1; i < len(numbers); i++ {
		if numbers[i] <= numbers[i-1] {
			t.reject(key, fmt.Sprintf("%d comes after %d; allowed: strictly increasing", numbers[i], numbers[i-1]))
			return
		}
	}
}
