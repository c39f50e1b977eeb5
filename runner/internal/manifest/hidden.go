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
	Model    Model     // the [model] table, which has no layers
	Variants []Network // Model with the keys of each [[variant]]

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

// Network is a [[variant]] for tasks that differ in their number of classes.
type Network struct {
	Model              // Layers empty
	HiddenLayers []int // widths of the hidden layers, none for a linear model; required

	// RandomFeatures makes the weights of the hidden layers certain, at their
	// prior means, so that the output layer alone learns; default false.
	RandomFeatures bool
}

// For returns the model with the layers that a task needs.
func (n Network) For(t Task) Model {
	model, task := n.Model, t.Data.Task()
	model.Layers = slices.Concat([]int{task.Inputs()}, n.HiddenLayers, []int{task.Classes()})
	return model
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
	blocks(f, "variant", &h.Variants, Network{Model: h.Model}, (*Network).fields)
}

func (t *Task) fields(f *fields) {
	field(f, "name", &t.Name, name)
	t.Data.fields(f, dataset.Names()...)
}

// fields goes over the keys of a variant, which begins as a copy of [model]
// when it is read.
func (n *Network) fields(f *fields) {
	field(f, "name", &n.Name, name)
	field(f, "hidden_layers", &n.HiddenLayers, listOf(0, maxLayers-2, integer(1, maxWidth)))
	field(f, "random_features", &n.RandomFeatures, boolean.or(false))
	f.inherit = true
	n.rules(f)
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
	if !slices.Contains(m.Seeds, m.Seed) {
		root.reject("seed", "not one of sweep.seed; allowed: "+limited(spanLiteral(m.Seeds), shown))
	}
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
			model := v.For(task)
			model.check(t, task.Data.shape())
		}
		if v.RandomFeatures && v.Hidden != "frozen" {
			t.reject("random_features", `hidden = "`+v.Hidden+`" would move the features; allowed: only with hidden = "frozen"`)
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
