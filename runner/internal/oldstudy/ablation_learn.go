package study

import (
	"context"
	"fmt"
	"math"
	"slices"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/runner/internal/dataset"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// sweepSpec is all that the rows of a cell of networks follow from.
type sweepSpec struct {
	Manifest string
	Seeds    []int
	Data     manifest.Data
	Model    manifest.Model
	Grid     int
	Lambda   []float64
}

// learningColumns are what is averaged over the seeds, where it is finite: a
// logarithmic loss is infinite where the true class has the probability 0.
var learningColumns = []string{"accuracy", "log_loss", "indefinite_steps", "skipped_steps"}

// run trains networks at every λ, on the same examples for all λ, ρ and variants.
func (s sweepSpec) run(ctx context.Context, generator dataset.Generator) ([]store.Table, error) {
	t := store.Table{Name: "learning", Header: []string{"variant", "rho", "lambda", "seeds"}}
	for _, c := range learningColumns {
		t.Header = append(t.Header, c, c+"_low", c+"_high")
	}
	t.Header = append(t.Header, "log_loss_infinite")
	square := newSquare(generator, s.Grid, 1)
	for _, lambda := range s.Lambda {
		results := make([][]float64, len(learningColumns))
		for _, seed := range s.Seeds {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			result, err := s.learn(lambda, seed, generator, square)
			if err != nil {
				return nil, fmt.Errorf("λ = %g, seed %d: %w", lambda, seed, err)
			}
			for i, x := range result {
				results[i] = append(results[i], x)
			}
		}
		row := []string{s.Model.Name, store.Float(s.Model.Rho), store.Float(lambda), fmt.Sprint(len(s.Seeds))}
		for _, x := range results {
			mean, low, high := metric.Interval(finite(x))
			row = append(row, gapped(mean), gapped(low), gapped(high))
		}
		loss := results[slices.Index(learningColumns, "log_loss")]
		row = append(row, store.Float(1-float64(len(finite(loss)))/float64(len(loss))))
		t.Rows = append(t.Rows, row)
	}
	return []store.Table{t}, nil
}

// finite returns the finite numbers among x.
func finite(x []float64) []float64 {
	return slices.DeleteFunc(slices.Clone(x), func(x float64) bool { return math.IsNaN(x) || math.IsInf(x, 0) })
}

// learn returns the learningColumns of one network.
func (s sweepSpec) learn(lambda float64, seed int, generator dataset.Generator, square *square) ([]float64, error) {
	network, err := newNetwork(s.Model, lambda, random.Source(s.Manifest, seed, "prior"))
	if err != nil {
		return nil, err
	}
	examples := generator.Draw(s.Data.Train, random.Source(s.Manifest, seed, "train"))
	var indefinite, skipped float64
	for k, x := range examples.X {
		update, err := network.Observe(x, examples.Class[k])
		if err != nil {
			return nil, fmt.Errorf("example %d: %w", k+1, hinted(err))
		}
		if update.Indefinite {
			indefinite++
		}
		if update.Action == bnn.Skipped {
			skipped++
		}
	}
	maps, err := square.predict(network, square.all)
	if err != nil {
		return nil, err
	}
	p, class := labelled(maps, square.class)
	return []float64{metric.Accuracy(p, class), metric.LogLoss(p, class), indefinite, skipped}, nil
}
