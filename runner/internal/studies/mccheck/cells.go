package mccheck

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"

	"closedform/runner/internal/config"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// formula is a family of formulas that have one input.
type formula struct {
	name    string
	classes int  // the least number of classes; 0 if it does not depend on it
	rho     bool // whether it depends on ρ
	of      func(in inputs, rnd *rand.Rand) estimator
}

var formulas = []formula{
	{"activation", 0, false, activationUnit},
	{"probit", 2, true, probit},
	{"probit_corr", 3, false, probitCorr},
	{"softmax", 2, false, exact},
}

// spec is all that the tables of a cell, one formula at one input, follow from.
type spec struct {
	study.Seeded
	Key              string // of the cell, which names its streams
	Formula          string
	Classes          int     // 0 if the formula does not depend on it
	Rho              float64 // 0 if the formula does not depend on it
	Case             int     // from 1
	Samples          int
	Spread, Variance float64
	Lambda           []float64
	Given            *given `json:",omitempty"` // in place of a random input
}

func (e *experiment) Cells() (cells []study.Cell) {
	c, fixed := e.Check.random, e.Check.fixed
	if fixed != nil {
		c = &drawn{Classes: config.Ints{len(fixed.Mean)}, Cases: 1}
	}
	for _, f := range formulas {
		if fixed != nil && (f.classes == 0 || f.name == "probit_corr") {
			continue // their inputs are others
		}
		classes, rho, cases := c.Classes, e.Check.Rho, c.Cases
		if f.classes == 0 { // as many inputs as the probit has
			classes, cases = []int{0}, c.Cases*len(c.Classes)*len(e.Check.Rho)
		}
		if !f.rho {
			rho = []float64{0}
		}
		for _, n := range classes {
			for _, r := range rho {
				for k := 1; k <= cases && n >= f.classes; k++ {
					s := spec{e.seeded, f.key(n, r, k), f.name, n, r, k, e.Check.Samples, c.Spread, c.Variance, c.Lambda, fixed}
					run := func(ctx context.Context) (table.Set, error) { return f.run(ctx, s) }
					cells = append(cells, study.Cell{Key: s.Key, Stratum: f.name, Spec: s, Run: run})
				}
			}
		}
	}
	return cells
}

// key names a cell by what the formula depends on.
func (f formula) key(n int, rho float64, k int) string {
	key := f.name
	if f.classes > 0 {
		key += fmt.Sprintf(" n=%d", n)
	}
	if f.rho {
		key += " rho=" + table.Format(rho)
	}
	return fmt.Sprintf("%s case=%d", key, k)
}

func (s spec) rand(purpose string) *rand.Rand { return rand.New(s.Stream("mc_check", s.Key, purpose)) }

// run returns the table of a cell: a row for every number that the formula gives.
func (f formula) run(ctx context.Context, s spec) (table.Set, error) {
	scores, err := f.of(s.inputs(), s.rand("samples"))(ctx, s.Samples)
	if err != nil {
		return nil, err
	}
	t := table.New("zscores",
		table.Text("formula", "what is checked"), table.Int("classes", "number of classes n, if the formula depends on it"),
		table.Num("rho", "correlation ρ, if the formula depends on it"), table.Int("case", "number of the random input, from 1"),
		table.Text("quantity", "mean or variance of the output, probability p, E (E_ji = ∂y_j/∂(z_j−z_i)), cross (of input and output: Cov(z_i, y_j))"),
		table.Int("i", "class, from 1"), table.Int("j", "class, from 1"), table.Num("value", "by the formula"),
		table.Num("mc", "by Monte Carlo"), table.Num("se", "its standard error"),
		table.Num("effective", "number of samples that make up the standard error, (Σd²)²/Σd⁴ for deviations d"),
		table.Num("z", "(mc − value)/se, if 1000 samples or more are effective"),
		table.Num("p_bound", "if fewer are, and samples are bounded: Hoeffding's bound on the probability of such an mc if value is right"),
	)
	optional := func(x float64, given bool) float64 { // no value where it is not given
		if !given {
			return math.NaN()
		}
		return x
	}
	number := func(n int) float64 { return optional(float64(n), n > 0) }
	for _, c := range scores {
		t.Add(f.name, number(s.Classes), optional(s.Rho, f.rho), s.Case, c.quantity, number(c.i), number(c.j),
			c.value, c.mc, c.se, c.effective, c.z(), c.chance())
	}
	return table.Set{t}, nil
}
