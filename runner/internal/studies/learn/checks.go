package learn

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"closedform/internal/field"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/probit"
)

// check returns the first error of the manifest, with its key.
func (e *experiment) check() error {
	v, names := &e.Evaluate, learner.Names(e.Methods)
	switch {
	case len(v.Passes) == 0:
		return field.Errorf("evaluate.passes", "[] is not allowed; allowed: one number or more")
	case len(v.Order) == 0 || v.repeated() && len(v.Order) > 1:
		return field.Errorf("evaluate.order", "%v is not allowed; allowed: one or more, or repeated alone", v.Order)
	}
	err := cmp.Or(
		field.Distinct("evaluate.order", v.Order),
		field.AllOneOf("evaluate.order", v.Order, slices.Sorted(maps.Keys(orders))...),
		learner.Increasing("evaluate.passes", v.Passes, 10_000),
		learner.Increasing("evaluate.snapshots", v.Snapshots, manifest.MaxTrain),
		field.Within("evaluate.samples", v.Samples, 0, 1_000_000_000),
		field.Within("evaluate.stride", v.Stride, 0, 2001), some("evaluate.leave_out", v.LeaveOut, names),
		e.Chosen.Check(names...),
	)
	if v.repeated() {
		err = cmp.Or(err, field.Within("evaluate.orders", v.Orders, 2, 1000),
			field.Within("evaluate.resamples", v.Resamples, 2, 1000))
	}
	if v.Reference != "" {
		err = cmp.Or(err, field.OneOf("evaluate.reference", v.Reference, names...))
	}
	for _, s := range e.sets {
		err = cmp.Or(err, field.Within("set."+s.Name+".splits", s.Splits, 0, manifest.MaxSeed),
			some("set."+s.Name+".methods", s.Methods, names),
			field.AllOneOf("set."+s.Name+".order", s.Order, v.Order...))
	}
	for i := range e.Contrasts {
		c, key := &e.Contrasts[i], fmt.Sprintf("contrast.%d.", i+1)
		c.Score = cmp.Or(c.Score, "log_loss")
		err = cmp.Or(err, some(key+"method", []string{c.Method, c.Against}, names),
			field.OneOf(key+"score", c.Score, "log_loss", "error"))
	}
	for _, r := range e.rules() {
		if r.broken {
			err = cmp.Or(err, field.Errorf(r.key, "allowed: %s", r.allowed))
		}
	}
	return err
}

// some returns an error unless the words are names, each once.
func some(key string, words, names []string) error {
	return cmp.Or(field.Distinct(key, words), field.AllOneOf(key, words, names...))
}

// rule says what is allowed for a key.
type rule struct {
	broken       bool
	key, allowed string
}

// rules are those about several keys.
func (e *experiment) rules() []rule {
	v := &e.Evaluate
	repeated, compared, swept := v.repeated(), v.Reference != "", e.swept != nil
	compare := func(a, b probit.Lambda) int {
		return cmp.Or(-len(a.Word)-len(b.Word), cmp.Compare(a.Number, b.Number))
	}
	increasing := slices.IsSorted(e.Sweep.Rho) && slices.IsSortedFunc(e.Sweep.Lambda, compare)
	all := []rule{
		{!v.single() && slices.Max(v.Passes) > 1, "evaluate.passes", "1, of sorted streams and several orders"},
		{!v.single() && v.Snapshots != nil, "evaluate.snapshots", "none, of sorted streams and several orders"},
		{!(v.Validation > 0 && v.Validation < 1), "evaluate.validation", "above 0 and below 1"},
		{repeated && v.Snapshots == nil, "evaluate.snapshots", "sizes of training sets, if repeated"},
		{!repeated && v.Orders+v.Resamples > 0, "evaluate.order", "repeated, with orders and resamples"},
		{v.Classes && (e.named || !e.predicted()), "evaluate.classes", "with [data], shuffled or given"},
		{e.Save.Network && (e.named || !e.curve), "save.network", "with [data] and snapshots"},
		{e.Save.AllRows && !e.Save.Network, "save.all_rows", "with network = true"},
		{!compared && len(v.LeaveOut)+len(e.Contrasts) > 0, "evaluate.reference", "the name of a [[method]]"},
		{
			compared && (swept || repeated || !v.single()), "evaluate.reference",
			"if nothing is swept or repeated, in one order",
		},
		{len(v.LeaveOut) > 0 && len(e.sets) < 2, "evaluate.leave_out", "with two or more sets"},
		{e.heat && !increasing, "sweep.lambda", "increasing numbers > 0, and rho, too"},
	}
	for _, s := range e.sets {
		key := "set." + s.Name + "."
		all = append(all,
			rule{compared && s.Name == allSets, key + "name", "a name other than " + allSets},
			rule{compared && s.Methods != nil, key + "methods", "without evaluate.reference"},
			rule{repeated && s.Generator.Name == "", key + "generator", "one, for a repeated order"})
	}
	candidates := 0
	for _, m := range e.Methods {
		key, n := "method."+m.Name+".", len(m.Candidates)
		if compared && n > 0 {
			candidates = cmp.Or(candidates, n)
			others := fmt.Sprintf("%d, as of other methods", candidates)
			all = append(all, rule{n != candidates, key + "candidates", others})
		}
		all = append(all,
			rule{m.OwnOrders && (e.curve || orders[v.Order[0]] == nil), key + "own_orders", "without snapshots"},
			rule{m.Splits > 0 && m.Name == v.Reference, key + "splits", "0, all seeds, of the reference"})
	}
	return all
}
