package learn

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"closedform/core/bnn"
	"closedform/core/softmax"
	"closedform/internal/field"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/manifest"
)

func (e *experiment) check() error {
	v, names := &e.Evaluate, learner.Names(e.Methods)
	single, repeated, compared, refuse := v.single(), v.repeated(), v.Reference != "", field.Refuse
	err := cmp.Or(
		refuse(e.named && !e.Data.missing(), "data", "without tables [[set]]"),
		field.Distinct("evaluate.order", v.Order),
		field.AllOneOf("evaluate.order", v.Order, slices.Sorted(maps.Keys(orders))...),
		refuse(repeated && len(v.Order) > 1, "evaluate.order", "one or more, or repeated alone"),
		learner.Increasing("evaluate.passes", v.Passes, 10_000),
		learner.Increasing("evaluate.snapshots", v.Snapshots, manifest.MaxTrain),
		field.Within("evaluate.samples", v.Samples, 0, 1_000_000_000),
		field.Within("evaluate.stride", v.Stride, 0, 2001), e.Chosen.Check(names...),
		field.AllOneOf("evaluate.leave_out", v.LeaveOut, names...),
		field.AllOneOf("evaluate.reference", strings.Fields(v.Reference), names...),
		refuse(!single && slices.Max(v.Passes) > 1, "evaluate.passes", "1, of several orders"),
		refuse(!single && v.Snapshots != nil, "evaluate.snapshots", "none, of several orders"),
		refuse(!(v.Validation > 0 && v.Validation < 1), "evaluate.validation", "above 0 and below 1"),
		refuse(repeated && v.Snapshots == nil, "evaluate.snapshots", "sizes of training sets, if repeated"),
		refuse(!repeated && v.Orders+v.Resamples > 0, "evaluate.order", "repeated, with orders and resamples"),
		refuse(repeated && !(v.Orders > 1 && v.Orders <= 1000), "evaluate.orders", "2 to 1000"),
		refuse(repeated && !(v.Resamples > 1 && v.Resamples <= 1000), "evaluate.resamples", "2 to 1000"),
		refuse(e.Save.Network && (e.named || !e.curve), "save.network", "with [data] and snapshots"),
		refuse(e.Save.AllRows && !e.Save.Network, "save.all_rows", "with network = true"),
		refuse(!compared && len(v.LeaveOut)+len(e.Contrasts) > 0, "evaluate.reference", "the name of a [[method]]"),
		refuse(compared && (e.swept || repeated || !single), "evaluate.reference",
			"if nothing is swept or repeated, in one order"),
		refuse(len(v.LeaveOut) > 0 && len(e.sets) < 2, "evaluate.leave_out", "with two or more sets"),
		refuse(e.swept && e.Sweep.Lambda == nil, "sweep.rho", "together with lambda = [numbers]"),
		field.AllWithin("sweep.lambda", e.Sweep.Lambda, 1e-30, 1e30),
		field.AllWithin("sweep.rho", e.Sweep.Rho, 0, softmax.MostRho),
		field.Distinct("sweep.lambda", e.Sweep.Lambda), field.Distinct("sweep.rho", e.Sweep.Rho),
	)
	for _, s := range e.sets {
		key := s.key + "."
		err = cmp.Or(err, field.Within(key+"splits", s.Splits, 0, manifest.MaxSeed),
			field.AllOneOf(key+"methods", s.Methods, names...), field.AllOneOf(key+"order", s.Order, v.Order...),
			refuse(compared && s.Name == allSets, key+"name", "a name other than "+allSets),
			refuse(compared && s.Methods != nil, key+"methods", "without evaluate.reference"),
			refuse(repeated && s.Generator.Name == "", key+"generator", "one, for a repeated order"))
	}
	for i := range e.Contrasts {
		c, key := &e.Contrasts[i], fmt.Sprintf("contrast.%d.", i+1)
		c.Score = cmp.Or(c.Score, "log_loss")
		both := []string{c.Method, c.Against}
		err = cmp.Or(err, field.AllOneOf(key+"method", both, names...), field.Distinct(key+"method", both),
			field.OneOf(key+"score", c.Score, "log_loss", "error"))
	}
	candidates := 0
	for _, m := range e.Methods {
		key, n := "method."+m.Name+".", len(m.Candidates)
		candidates = cmp.Or(candidates, n)
		err = cmp.Or(err,
			refuse(compared && n > 0 && n != candidates, key+"candidates", fmt.Sprint(candidates, ", as of others")),
			refuse(e.swept && !e.Sweep.fits(&m), "sweep.lambda", "lambda with the rules joint, total, adf and "+
				"adf-marginal, rho with joint and total, unlike the method "+m.Name),
			refuse(m.OwnOrders && (e.curve || orders[v.Order[0]] == nil), key+"own_orders", "without snapshots"),
			refuse(m.Splits > 0 && m.Name == v.Reference, key+"splits", "0, all seeds, of the reference"))
	}
	return err
}

// fits reports whether the method has what is swept.
func (s *sweep) fits(m *learner.Method) bool {
	rule := m.Model.Output
	rho := rule == bnn.Joint || rule == bnn.Total
	lambda := rho || rule == bnn.ADF || rule == bnn.ADFMarginal
	return m.ClosedForm() && m.Model.Readout == "" && lambda && (rho || s.Rho == nil)
}
