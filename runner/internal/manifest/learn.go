package manifest

import (
	"fmt"
	"slices"
)

// Learn is what the study learn reads: networks learn, and are looked at after
// some of the examples.
type Learn struct {
	Training
	Evaluate   Evaluate
	MonteCarlo MonteCarlo
	Claims     []Claim
	Figures    []Figure
}

// Evaluate says when and where the network is looked at.
type Evaluate struct {
	Snapshots []int // numbers of examples seen, strictly increasing, 1 … Data.Train; required
	Grid      int   // points along each axis, ≥ 2; required
}

// MonteCarlo says how the approximation is checked by sampling.
type MonteCarlo struct {
	Samples int // samples of a grid point, ≥ 2; default 10000
	Stride  int // seeds that are not drawn are checked on every Stride-th grid line, ≥ 1; default 4
}

// Claim is a sentence that is measured. All three are required.
type Claim struct {
	Claim     string  // the sentence
	Statistic string  // the statistic of the study that measures it
	Threshold float64 // where its verdict changes
}

// Figure is a drawing.
type Figure struct {
	Kind    string // maps; required
	Variant string // the variant that is drawn; required
	Single  bool   // whether each panel is written to a file of its own too; default false
}

func (l *Learn) fields(f *fields, m *Manifest) {
	l.networks(f, "wedges")
	f.table("evaluate", l.Evaluate.fields)
	f.table("monte_carlo", l.MonteCarlo.fields)
	l.sweep(f, m, orNone(lambdas), orNone(rhos))
	statistic := word(f.study(m.Study).Statistics...)
	blocks(f, "claim", &l.Claims, Claim{}, func(c *Claim, f *fields) { c.fields(f, statistic) })
	blocks(f, "figure", &l.Figures, Figure{}, (*Figure).fields)
}

func (e *Evaluate) fields(f *fields) {
	field(f, "snapshots", &e.Snapshots, listOf(1, maxSnapshots, integer(1, maxTrain)))
	field(f, "grid", &e.Grid, grid)
}

func (c *MonteCarlo) fields(f *fields) {
	field(f, "samples", &c.Samples, samples.or(10000))
	field(f, "stride", &c.Stride, integer(1, maxGrid).or(4))
}

func (c *Claim) fields(f *fields, statistic kind[string]) {
	field(f, "claim", &c.Claim, text)
	field(f, "statistic", &c.Statistic, statistic)
	field(f, "threshold", &c.Threshold, anyNumber)
}

func (d *Figure) fields(f *fields) {
	field(f, "kind", &d.Kind, word("maps"))
	field(f, "variant", &d.Variant, name)
	field(f, "single", &d.Single, boolean.or(false))
}

func (l *Learn) check(t *table, m *Manifest) {
	l.Training.check(t, m)

	evaluate := t.sub("evaluate")
	for i, k := range l.Evaluate.Snapshots {
		switch {
		case k > l.Data.Train:
			evaluate.reject("snapshots", fmt.Sprintf("%d is beyond data.train = %d; allowed: 1 to %d", k, l.Data.Train, l.Data.Train))
		case i > 0 && k <= l.Evaluate.Snapshots[i-1]:
			evaluate.reject("snapshots", fmt.Sprintf("%d comes after %d; allowed: strictly increasing", k, l.Evaluate.Snapshots[i-1]))
		}
	}

	for i, figure := range t.list("figure") {
		f := l.Figures[i]
		if !l.hasVariant(f.Variant) {
			figure.reject("variant", "names no variant; allowed: "+l.variantNames())
		}
		same := func(o Figure) bool { return o.Kind == f.Kind && o.Variant == f.Variant }
		if slices.ContainsFunc(l.Figures[:i], same) {
			figure.reject("variant", fmt.Sprintf("a figure before it is the %s of this variant; allowed: figures that differ", f.Kind))
		}
	}
}
