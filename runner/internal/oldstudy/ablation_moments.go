package study

import (
	"context"
	"math/rand/v2"
	"strconv"

	"closedform/core/random"
	"closedform/core/softmax"
	"closedform/runner/internal/manifest"
	store "closedform/runner/internal/oldstore"
)

// probitSpec is all that the rows of a cell of moments follow from.
type probitSpec struct {
	Manifest                  string
	Seed                      int
	Classes                   int
	Rho                       float64
	Lambda                    []float64
	Spread, Variance, Unequal float64
	Draws                     int
}

// lambdaWords are the λ that the maps mark.
var lambdaWords = []string{"slope", "lsq", "minimax"}

// run compares the probit at every λ with the exact moments, at the same random
// logits for all λ and ρ.
func (s probitSpec) run(ctx context.Context) ([]store.Table, error) {
	rnd := rand.New(random.Source(s.Manifest, s.Seed, "logits", s.Classes))
	errors, asymmetry := make([]momentsError, len(s.Lambda)), make([]float64, len(s.Lambda))
	for i, lambda := range s.Lambda {
		errors[i].accuracy = accuracyOf(softmax.Probit{Lambda: lambda, Rho: s.Rho})
	}
	want, got := newFullMoments(s.Classes), newFullMoments(s.Classes)
	for range s.Draws {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		z := drawLogits(s.Classes, s.Spread, s.Variance, s.Unequal, rnd)
		want.compute(softmax.Exact{}, z)
		for i, lambda := range s.Lambda {
			got.compute(softmax.Probit{Lambda: lambda, Rho: s.Rho}, z)
			errors[i].add(got, want)
			asymmetry[i] += got.Asymmetry() / float64(s.Draws)
		}
	}
	t := store.Table{Name: "errors", Header: append([]string{"classes", "rho", "lambda", "asymmetry"}, momentsColumns...)}
	for i, lambda := range s.Lambda {
		row := []string{strconv.Itoa(s.Classes), store.Float(s.Rho), store.Float(lambda), gapped(asymmetry[i])}
		for _, x := range errors[i].values() {
			row = append(row, gapped(x))
		}
		t.Rows = append(t.Rows, row)
	}
	marks := store.Table{Name: "marks", Header: append([]string{"classes", "rho"}, lambdaWords...)}
	row := []string{strconv.Itoa(s.Classes), store.Float(s.Rho)}
	for _, word := range lambdaWords {
		row = append(row, store.Float(lambdaValue(manifest.Lambda{Word: word}, s.Classes, s.Rho)))
	}
	marks.Rows = append(marks.Rows, row)
	return []store.Table{t, marks}, nil
}
