package ablation

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/core/softmax"
	"closedform/runner/dataset"
	"closedform/runner/internal/approx"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// moments is all that the tables of a cell of random logits follow from.
type moments struct {
	study.Seeded
	Problems approx.Problems
	Draws    int
	Rho      float64
	Lambda   []float64
}

// networks is all that the tables of a cell of networks follow from.
type networks struct {
	Manifest string
	Seeds    []int
	Data     data.Sample
	Model    learner.Variant // at its ρ
	Grid     int
	Lambda   []float64
}

// Cells returns a cell for each ρ, and number of classes or variant.
func (e *experiment) Cells() []study.Cell {
	var cells []study.Cell
	for _, n := range e.Ablation.Classes {
		for _, rho := range e.rho {
			p := approx.Problems{Classes: n, Spread: e.Ablation.Spread, Variance: e.Ablation.Variance, Unequal: e.Ablation.Unequal}
			s := moments{study.Seeded{Manifest: e.header.Name, Seed: e.header.Seed}, p, e.Ablation.Draws, rho, e.lambda}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("moments n=%d rho=%g", n, rho), Spec: s, Run: s.run})
		}
	}
	for _, model := range e.Models {
		s := networks{e.header.Name, e.Seeds, e.Data, model, e.Evaluate.Grid, e.lambda}
		cells = append(cells, study.Cell{Key: "learn " + model.Name, Spec: s, Run: s.run})
	}
	return cells
}

// run compares the probit at every λ with the exact moments, at the same random
// logits for all λ and ρ.
func (s moments) run(ctx context.Context) (table.Set, error) {
	n := s.Problems.Classes
	rnd := rand.New(s.Stream("logits", n))
	errors, asymmetry := make([]*approx.Errors, len(s.Lambda)), make([]float64, len(s.Lambda))
	for i := range errors {
		errors[i] = approx.NewErrors(softmax.Probit{})
	}
	want, got := approx.NewMoments(n), approx.NewMoments(n)
	for range s.Draws {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		z := s.Problems.Draw(rnd)
		want.Compute(softmax.Exact{}, z)
		for i, lambda := range s.Lambda {
			got.Compute(softmax.Probit{Lambda: lambda, Rho: s.Rho}, z)
			errors[i].Add(got, want)
			asymmetry[i] += got.Asymmetry() / float64(s.Draws)
		}
	}
	at := []table.Column{table.Int("classes", "number of classes n"), table.Num("rho", "correlation ρ")}
	t := table.New("errors", slices.Concat(at, []table.Column{
		table.Num("lambda", "slope λ"), table.Num("asymmetry", "largest |E_ij − E_ji|, mean over the problems"),
	}, approx.Columns())...)
	for i, lambda := range s.Lambda {
		t.Add(n, s.Rho, lambda, table.Finite(asymmetry[i]), errors[i].Row())
	}
	marks, row := table.New("marks", at...), []any{n, s.Rho}
	for _, word := range learner.LambdaWords {
		marks.Columns = append(marks.Columns, table.Num(word, "the λ that a manifest calls "+word))
		row = append(row, learner.Lambda{Word: word}.Value(n, s.Rho))
	}
	marks.Add(row...)
	return table.Set{t, marks}, nil
}

// run trains networks at every λ, on the same examples for all λ, ρ and variants, and
// averages over the seeds what is finite: a log loss is infinite where the true class
// has the probability 0.
func (s networks) run(ctx context.Context) (table.Set, error) {
	infinite := table.Num("log_loss_infinite", "share of the seeds with an infinite log loss")
	runs := table.New("runs",
		table.Text("method", "the variant"), table.Num("rho", "correlation ρ"), table.Num("lambda", "slope λ"),
		table.Num("accuracy", "share of the points of the plane that are classified right"),
		table.Num("log_loss", "log loss there, in nats, where it is finite"),
		table.Num("indefinite_steps", "examples whose step was indefinite as printed"),
		table.Num("skipped_steps", "those that were left out for it"))
	points := s.points()
	for _, lambda := range s.Lambda {
		without := 0.0
		for _, seed := range s.Seeds {
			result, err := s.train(ctx, lambda, seed, points)
			if err != nil {
				return nil, fmt.Errorf("λ = %g, seed %d: %w", lambda, seed, err)
			}
			if loss := result[1]; math.IsInf(loss, 0) || math.IsNaN(loss) {
				without++
			}
			runs.Add(s.Model.Of, s.Model.Rho, lambda, result)
		}
		seeds := float64(len(s.Seeds))
		infinite.Nums = append(infinite.Nums, 1-(seeds-without)/seeds)
	}
	summary := runs.GroupBy("method", "rho", "lambda").MeanFinite("summary",
		"accuracy", "log_loss", "indefinite_steps", "skipped_steps")
	summary.Columns = append(summary.Columns, infinite)
	return table.Set{summary}, nil
}

// points returns those of the grid that have a class.
func (s networks) points() (out data.Set) {
	task := s.Data.Task()
	for _, x := range task.Region.Grid(s.Grid).Points {
		if class := task.Label(x); class != data.NoClass {
			out.X, out.Class = append(out.X, x), append(out.Class, class)
		}
	}
	return out
}

// train returns accuracy and log loss of a network at the points, and its indefinite
// and skipped steps.
func (s networks) train(ctx context.Context, lambda float64, seed int, points data.Set) ([]float64, error) {
	model := s.Model
	model.Lambda = learner.Lambda{Number: lambda}
	n, err := model.Network(study.Stream(s.Manifest, seed, "prior"))
	if err != nil {
		return nil, err
	}
	network, task := &learner.Network{Network: n}, s.Data.Task()
	examples := dataset.NewExamples(task.Draw(s.Data.Train, study.Stream(s.Manifest, seed, "train")), task.Classes)
	if err := (learner.Course{Examples: examples}).Train(ctx, network); err != nil {
		return nil, err
	}
	p := make([][]float64, len(points.X))
	for i, x := range points.X {
		p[i] = make([]float64, task.Classes)
		if err := network.Predict(p[i], x); err != nil {
			return nil, err
		}
	}
	steps := network.Steps()
	return []float64{metric.Accuracy(p, points.Class), metric.LogLoss(p, points.Class), float64(steps.Indefinite), float64(steps.Skipped)}, nil
}
