package study

import (
	"context"
	"math/rand/v2"
	"strconv"

	"closedform/core/random"
	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// mcCheck is the study of the paper's Proposition 3.1: every formula against
// Monte Carlo at random inputs, with a z-score for each number it gives. Its
// approximations of the covariances, which are not exact, get the size of their
// gap instead. A cell is one formula at one input.
type mcCheck struct{ m *manifest.Manifest }

// mcFormula is a family of formulas that have one input.
type mcFormula struct {
	name    string
	classes int  // the least number of classes; 0 if it does not depend on it
	rho     bool // whether it depends on ρ
	inputs  []string
	table   store.Table // name and header of the table of the scores
	row     func(mcScore) []string
	scores  func(ctx context.Context, s mcCheckSpec, in mcInputs) ([]mcScore, error)
}

var mcFormulas = []mcFormula{
	{"activation", 0, false, []string{"mean", "variance", "alpha", "beta"}, zscoresTable, mcScore.zscore, mcActivation},
	{"probit", 2, true, []string{"mean", "variance", "lambda"}, zscoresTable, mcScore.zscore, mcProbit},
	{"probit_corr", 3, false, []string{"mean", "variance", "lambda", "corr"}, zscoresTable, mcScore.zscore, mcProbitCorr},
	{"softmax", 2, false, []string{"mean", "variance"}, zscoresTable, mcScore.zscore, mcSoftmax},
	{"covariance", 2, false, []string{"mean", "variance", "lambda"}, gapsTable, mcScore.gap, mcCovariance},
}

// mcCheckSpec is all that the rows of a cell follow from.
type mcCheckSpec struct {
	Manifest string
	Seed     int
	// Name has the formula, the classes, ρ and the case from 1, as a row of a
	// table begins; those on which the formula does not depend are empty.
	Name             [4]string
	Classes          int     // 0 if the formula does not depend on it
	Rho              float64 // 0 if the formula does not depend on it
	Samples          int
	Spread, Variance float64
	Lambda           manifest.Interval
}

func (s *mcCheck) Cells() []Cell {
	var cells []Cell
	p := s.m.MCCheck
	for _, f := range mcFormulas {
		classes, rho, cases := p.Classes, p.Rho, p.Cases
		if f.classes == 0 { // as many inputs as the probit has
			classes, cases = []int{0}, p.Cases*len(p.Classes)*len(p.Rho)
		}
		if !f.rho {
			rho = []float64{0}
		}
		for _, n := range classes {
			if n < f.classes {
				continue
			}
			for _, r := range rho {
				for k := range cases {
					spec := mcCheckSpec{
						Manifest: s.m.Name, Seed: s.m.Seed, Name: [4]string{f.name, "", "", strconv.Itoa(k + 1)}, Classes: n, Rho: r,
						Samples: p.Samples, Spread: p.Spread, Variance: p.Variance, Lambda: p.Lambda,
					}
					if f.classes > 0 {
						spec.Name[1] = strconv.Itoa(n)
					}
					if f.rho {
						spec.Name[2] = store.Float(r)
					}
					cells = append(cells, Cell{
						Key:  spec.key(),
						Spec: spec,
						Run:  func(ctx context.Context) ([]store.Table, error) { return f.run(ctx, spec) },
					})
				}
			}
		}
	}
	return cells
}

// key names the cell by what its formula depends on.
func (s mcCheckSpec) key() string {
	key := s.Name[0]
	for k, name := range []string{"", "n", "rho", "case"} {
		if k > 0 && s.Name[k] != "" {
			key += " " + name + "=" + s.Name[k]
		}
	}
	return key
}

// rand returns the random stream of this cell for a purpose.
func (s mcCheckSpec) rand(purpose string) *rand.Rand {
	return rand.New(random.Source(s.Manifest, s.Seed, "mc_check", s.key(), purpose))
}

// run returns the tables of a cell: a row for every input, and one for every
// number that the formula gives.
func (f mcFormula) run(ctx context.Context, s mcCheckSpec) ([]store.Table, error) {
	in := s.inputs()
	scores, err := f.scores(ctx, s, in)
	if err != nil {
		return nil, err
	}
	inputs, table := inputsTable, f.table
	for _, input := range f.inputs {
		for _, row := range in.rows(input) {
			inputs.Rows = append(inputs.Rows, append(s.Name[:len(s.Name):len(s.Name)], row...))
		}
	}
	for _, score := range scores {
		table.Rows = append(table.Rows, append(s.Name[:len(s.Name):len(s.Name)], f.row(score)...))
	}
	return []store.Table{inputs, table}, nil
}

func (s *mcCheck) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	zscores, gaps := find(tables, zscoresTable.Name), find(tables, gapsTable.Name)
	matrices := mcMatrices(gaps, find(tables, inputsTable.Name))
	tables = append(tables, mcSummary(zscores), matrices)
	return Report{Tables: tables, Figures: []Figure{{"qq", mcQQ(zscores)}, {"gaps", mcGapFigure(frame{&matrices})}}}, nil
}
