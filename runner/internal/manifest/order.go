package manifest

import (
	"fmt"
	"slices"

	"closedform/runner/internal/dataset"
)

// The most orders of one training set, and the most numbers in the predictions
// of all of them.
const (
	maxRuns        = 1000
	maxPredictions = 100_000_000
)

// Order is what the study order reads: networks learn the same examples in
// different orders.
type Order struct {
	Training
	Permutations int   // orders of each training set, ≥ 2; required
	Samples      int   // other training sets beside it, the yardstick, ≥ 2; required
	Sizes        []int // sizes of the training set, strictly increasing, 1 … Data.Train; required
	Test         int   // inputs at which networks are compared and scored, ≥ 1; required
	Mapped       int   // the size whose maps are drawn, one of Sizes; required
	Grid         int   // points of the maps along each axis, ≥ 2; required
}

func (o *Order) fields(f *fields, m *Manifest) {
	o.networks(f, dataset.Names()...)
	f.table("order", func(f *fields) {
		field(f, "permutations", &o.Permutations, integer(2, maxRuns))
		field(f, "samples", &o.Samples, integer(2, maxRuns))
		field(f, "sizes", &o.Sizes, listOf(1, maxSnapshots, integer(1, maxTrain)))
		field(f, "test", &o.Test, integer(1, maxTrain))
		field(f, "mapped", &o.Mapped, integer(1, maxTrain))
		field(f, "grid", &o.Grid, grid)
	})
	o.sweep(f, m, orNone(lambdas), orNone(rhos))
}

func (o *Order) check(root *table, m *Manifest) {
	o.Training.check(root, m)
	t := root.sub("order")
	rejectUnordered(t, "sizes", o.Sizes)
	if last := slices.Max(o.Sizes); last > o.Data.Train {
		t.reject("sizes", fmt.Sprintf("%d is beyond data.train = %d; allowed: 1 to %d", last, o.Data.Train, o.Data.Train))
	}
	if !slices.Contains(o.Sizes, o.Mapped) {
		t.reject("mapped", "not one of order.sizes; allowed: "+limited(literal(o.Sizes), shown))
	}
	root.atMost(maxDrawn, len(o.Models()), "variant", "curves of a chart (variants × lambda × rho)")
	if !root.rejected() {
		runs, task := max(o.Permutations, o.Samples), o.Data.Task()
		t.atMost(maxPredictions, runs*max(o.Test, o.Grid*o.Grid)*task.Classes(), "permutations", "probabilities (runs × inputs × classes)")
	}
}
