package study

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"

	"closedform/baselines/montecarlo"
	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// moments is the study of the approximations of the softmax of a Gaussian: the
// error of each against the exact integrals, at random logits. A cell is one
// number of classes, spread of means and variance.
type moments struct{ m *manifest.Manifest }

// momentsSpec is all that the rows of a cell follow from.
type momentsSpec struct {
	Manifest         string
	Seed             int
	Classes          int
	Spread, Variance float64
	Unequal          float64
	Draws            int
	Methods          []string
	Samples          []int
	MonteCarloDraws  int
}

func (s *moments) Cells() []Cell {
	var cells []Cell
	p := s.m.Moments
	for _, n := range p.Classes {
		for _, spread := range p.Spread {
			for _, variance := range p.Variance {
				affordable := max(2, p.MonteCarloPairs/(n*n))
				spec := momentsSpec{
					Manifest: s.m.Name, Seed: s.m.Seed, Classes: n, Spread: spread, Variance: variance,
					Unequal: p.Unequal, Draws: p.Draws, Methods: p.Methods, Samples: p.Samples, MonteCarloDraws: min(p.MonteCarloDraws, affordable),
				}
				cells = append(cells, Cell{
					Key:  spec.key(),
					Spec: spec,
					Run:  func(ctx context.Context) ([]store.Table, error) { return spec.run(ctx) },
				})
			}
		}
	}
	return cells
}

// monteCarloMethod names the rows of Monte Carlo with so many samples.
func monteCarloMethod(samples int) string { return "monte-carlo-" + strconv.Itoa(samples) }

func (s momentsSpec) key() string {
	return fmt.Sprintf("n=%d spread=%s variance=%s", s.Classes, store.Float(s.Spread), store.Float(s.Variance))
}

func (s momentsSpec) run(ctx context.Context) ([]store.Table, error) {
	stream := func(purpose ...any) rand.Source {
		return random.Source(append([]any{s.Manifest, s.Seed, s.key()}, purpose...)...)
	}
	rnd := rand.New(stream("logits"))
	names := append([]string(nil), s.Methods...)
	approximations := make([]softmax.Approximation, len(s.Methods))
	for i, name := range s.Methods {
		approximations[i] = methods[name](s.Classes)
	}
	for _, samples := range s.Samples {
		names = append(names, monteCarloMethod(samples))
		approximations = append(approximations, montecarlo.Softmax{Samples: samples, Source: stream("montecarlo", samples)})
	}
	errors := make([]momentsError, len(names))
	for i, a := range approximations {
		errors[i].accuracy = accuracyOf(a)
	}
	want, got := newFullMoments(s.Classes), newFullMoments(s.Classes)
	for k := range s.Draws {
		z := drawLogits(s.Classes, s.Spread, s.Variance, s.Unequal, rnd)
		want.compute(softmax.Exact{}, z)
		for i, a := range approximations {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			if i >= len(s.Methods) && k >= s.MonteCarloDraws {
				break
			}
			got.compute(a, z)
			errors[i].add(got, want)
		}
	}
	t := store.Table{Name: "errors", Header: append([]string{"classes", "spread", "variance", "method", "draws"}, momentsColumns...)}
	for i, name := range names {
		row := []string{strconv.Itoa(s.Classes), store.Float(s.Spread), store.Float(s.Variance), name, strconv.Itoa(errors[i].variation.count)}
		for _, x := range errors[i].values() {
			row = append(row, gapped(x))
		}
		t.Rows = append(t.Rows, row)
	}
	return []store.Table{t}, nil
}

// gapped spells a number for a table, and one that does not exist or is infinite
// as an empty field.
func gapped(x float64) string {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return ""
	}
	return store.Float(x)
}

func (s *moments) Report(cells [][]store.Table) (Report, error) {
	tables, err := merge(cells)
	if err != nil {
		return Report{}, err
	}
	return Report{Tables: tables, Figures: s.figures(find(tables, "errors"))}, nil
}
