// Package ablation is the study of how the learning of networks depends on the two parameters of the probit,
// λ and ρ.
package ablation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"closedform/core/softmax"
	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "ablation",
	Asks: "How does learning depend on λ and ρ?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		e := &experiment{header: m.Header, Learners: learner.Learners{Model: learner.DefaultModel()}}
		e.Evaluate.Grid = 21
		return e
	}),
}

type experiment struct {
	study.Plain
	Data             data.Sample `toml:"data"`
	learner.Learners             // a cell has all λ of a method at one ρ
	Evaluate         struct {
		Grid int `toml:"grid" allowed:"2 to 2,001"` // points along each axis at which networks are looked at
	} `toml:"evaluate"`

	header      config.Header
	lambda, rho []float64 // ascending
	seeds       []int
	models      []learner.Method
}

// SetUp makes the models of every method and ρ. A map has two axes, of λ and of ρ, which are set nowhere else.
func (e *experiment) SetUp(m *config.Manifest) (err error) {
	for _, l := range e.Sweep.Lambda {
		if l.Word != "" {
			return field.Errorf("sweep.lambda", "%q has no place on the axis of the maps; allowed: numbers > 0", l.Word)
		}
		e.lambda = append(e.lambda, l.Number)
	}
	e.lambda, e.rho = axis(e.lambda), axis(e.Sweep.Rho)
	switch {
	case len(e.lambda) < 2:
		return field.Errorf("sweep.lambda", "%v is not allowed; allowed: two or more numbers > 0", e.Sweep.Lambda)
	case len(e.rho) < 2:
		return field.Errorf("sweep.rho", "%v is not allowed; allowed: two or more numbers ≥ 0 and < 1", e.Sweep.Rho)
	}
	if err := field.AllWithin("sweep.rho", e.rho, 0, softmax.MostRho); err != nil {
		return err
	}
	standard := learner.DefaultModel()
	for _, v := range append(slices.Clone(e.Methods), learner.Method{Model: e.Model}) {
		if v.Model.Lambda != standard.Lambda || v.Model.Rho != standard.Rho {
			return field.Errorf("sweep", "takes the place of lambda and rho of %s; allowed: to leave these out", cmp.Or(v.Name, "model"))
		}
	}
	all := e.Learners
	all.Sweep.Lambda, all.Sweep.Rho = nil, e.rho
	if e.seeds, err = m.Seeds(e.Sweep.Seed); err != nil {
		return err
	}
	e.models, err = all.Networks(data.Inputs, e.Data.Task().Classes, 64)
	return err
}

// axis returns the different numbers, ascending.
func axis(numbers []float64) []float64 { return slices.Compact(slices.Sorted(slices.Values(numbers))) }

// networks is all that the tables of a cell of networks follow from.
type networks struct {
	Manifest string
	Seeds    []int
	Data     data.Sample
	Model    learner.Method // at its ρ
	Grid     int
	Lambda   []float64
}

// Cells returns a cell for each method and ρ.
func (e *experiment) Cells() (cells []study.Cell) {
	for _, model := range e.models {
		s := networks{e.header.Name, e.seeds, e.Data, model, e.Evaluate.Grid, e.lambda}
		cells = append(cells, study.Cell{Key: "learn " + model.Name, Spec: s, Run: s.run})
	}
	return cells
}

// run trains networks at every λ, on the same examples for all λ, ρ and methods, and averages over the
// seeds what is finite: a log loss is infinite where the true class has the probability 0.
func (s networks) run(ctx context.Context) (table.Set, error) {
	infinite := table.Num("log_loss_infinite", "share of the seeds with an infinite log loss")
	runs := table.New("runs",
		table.Text("method", "the variant"), table.Num("rho", "correlation ρ"), table.Num("lambda", "slope λ"),
		table.Num("accuracy", "share of the points of the plane that are classified right"),
		table.Num("log_loss", "log loss there, in nats, where it is finite"),
		table.Num("indefinite_steps", "examples whose step was indefinite as printed"),
		table.Num("skipped_steps", "indefinite steps that were left out"))
	for _, lambda := range s.Lambda {
		finite := len(s.Seeds)
		for _, seed := range s.Seeds {
			result, err := s.train(ctx, lambda, seed)
			if err != nil {
				return nil, fmt.Errorf("λ = %g, seed %d: %w", lambda, seed, err)
			}
			if math.IsInf(result[1], 0) || math.IsNaN(result[1]) {
				finite--
			}
			runs.Add(s.Model.Base, s.Model.Model.Rho, lambda, result)
		}
		infinite.Nums = append(infinite.Nums, 1-float64(finite)/float64(len(s.Seeds)))
	}
	summary := runs.GroupBy("method", "rho", "lambda").Shares("accuracy").Positive("log_loss").MeanFinite("summary",
		"accuracy", "log_loss", "indefinite_steps", "skipped_steps")
	summary.Columns = append(summary.Columns, infinite)
	return table.Set{summary}, nil
}

// train returns accuracy and log loss of a network at the points of the grid that have a class, and its
// indefinite and skipped steps.
func (s networks) train(ctx context.Context, lambda float64, seed int) ([]float64, error) {
	task, points := s.Data.Task(), data.Set{}
	for _, x := range task.Region.Grid(s.Grid).Points {
		if class := task.Label(x); class != data.NoClass {
			points.X, points.Class = append(points.X, x), append(points.Class, class)
		}
	}
	model := s.Model
	model.Model.Lambda = probit.Lambda{Number: lambda}
	examples := dataset.NewExamples(task.Draw(s.Data.Train, study.Stream(s.Manifest, seed, "train")), task.Classes)
	training := learner.Training{Random: func() rand.Source { return study.Stream(s.Manifest, seed, "prior") }}
	l, err := training.Run(ctx, model, examples, nil)
	if err == nil {
		err = l.Err
	}
	if err != nil {
		return nil, err
	}
	p, steps := l.Probabilities(points.X), l.Steps()
	if steps.Failed {
		return nil, errors.New("a prediction failed")
	}
	return []float64{metric.Accuracy(p, points.Class), metric.LogLoss(p, points.Class), float64(steps.Indefinite), float64(steps.Skipped)}, nil
}
