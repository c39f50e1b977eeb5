// Package ablation is the study of the two parameters of the probit: how the error of
// its moments, and the learning of networks, depend on λ and ρ.
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
	"closedform/runner/internal/approx"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/metric"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "ablation",
	Asks: "How do the error of the moments, and learning, depend on λ and ρ?",
	New: study.Decoded(func(m *config.Manifest) *experiment {
		return &experiment{manifest: m, Ablation: settings{Unequal: 0.5}, Model: learner.DefaultModel()}
	}),
}

type experiment struct {
	study.Plain
	Ablation settings        `toml:"ablation"`
	Data     source          `toml:"data"`
	Model    learner.Model   `toml:"model"`
	Sweep    sweep           `toml:"sweep"`
	Methods  []learner.Named `toml:"method" inherit:"model"`
	Evaluate struct {
		Grid int `toml:"grid,omitzero"` // of a generator: points along each axis at which networks are looked at; 21
	} `toml:"evaluate"`

	manifest    *config.Manifest
	networks    learner.Networks // every method at every ρ: a cell has all λ
	lambda, rho []float64        // ascending
}

// sweep has the axes of the maps.
type sweep struct {
	Seed   config.Ints      `toml:"seed,omitempty"`
	Lambda []learner.Lambda `toml:"lambda" allowed:"two or more numbers > 0"`
	Rho    []float64        `toml:"rho" allowed:"two or more numbers ≥ 0 and < 1"`
}

// source has the examples of a generator, where networks are looked at on a grid of the
// plane, or of files, which have a test part.
type source struct{ data.Source }

func (s source) Validate() error {
	if s.Name == "" {
		return s.Source.Validate()
	}
	if s.File != "" || s.Images != "" || s.Test != 0 || s.Scale != "" {
		return field.Errorf("generator", "%q is not allowed; allowed: with train, without files, test and scale", s.Name)
	}
	return s.Sample.Validate()
}

// settings are the random logits.
type settings struct {
	Classes  config.Ints `toml:"classes" allowed:"each 2 to 1,000"` // numbers of classes
	Spread   float64     `toml:"spread" allowed:"0 to 1e30"`        // standard deviation of the means
	Variance float64     `toml:"variance" allowed:"0 to 1e30"`      // mean variance
	Unequal  float64     `toml:"unequal" allowed:"0 to 0.999"`      // variances are uniform on variance·[1−unequal, 1+unequal]
	Draws    int         `toml:"draws" allowed:"1 to 1,000,000"`    // of each number of classes
}

// Validate reports what is not allowed. A map has two axes, of λ and of ρ, which are set nowhere else.
func (e *experiment) Validate() error {
	s := e.Sweep
	fewest, most := 2, config.MaxGrid
	switch {
	case e.Data.Name == "":
		fewest, most = 0, 0
	case e.Evaluate.Grid == 0:
		fewest = 0 // SetUp sets it
	}
	err := cmp.Or(field.Within("evaluate.grid", e.Evaluate.Grid, fewest, most), several("sweep.lambda", s.Lambda), several("sweep.rho", s.Rho))
	for _, l := range s.Lambda {
		if l.Word != "" {
			err = cmp.Or(err, field.Errorf("sweep.lambda", "%q has no place on the axis of the maps; allowed: numbers > 0", l.Word))
		}
	}
	standard := learner.DefaultModel()
	for _, v := range append(slices.Clone(e.Methods), learner.Named{Model: e.Model}) {
		if v.Lambda != standard.Lambda || v.Rho != standard.Rho {
			err = cmp.Or(err, field.Errorf("sweep", "takes the place of lambda and rho of %s; allowed: to leave these out", cmp.Or(v.Name, "model")))
		}
	}
	return err
}

// several returns an error unless there are two values or more.
func several[T any](key string, values []T) error {
	if len(values) < 2 {
		return field.Errorf(key, "%v is not allowed; allowed: two or more values", values)
	}
	return nil
}

// SetUp makes the models of every method and ρ.
func (e *experiment) SetUp(m *config.Manifest) error {
	for _, l := range e.Sweep.Lambda {
		e.lambda = append(e.lambda, l.Number)
	}
	slices.Sort(e.lambda)
	e.rho = slices.Sorted(slices.Values(e.Sweep.Rho))
	e.networks = learner.Networks{Model: e.Model, Sweep: learner.Sweep{Seed: e.Sweep.Seed, Rho: e.rho}, Methods: e.Methods}
	if err := e.networks.Resolve(m); e.Data.Name == "" || err != nil {
		return err
	}
	e.Data.Generator, e.Evaluate.Grid = e.Data.Generator.WithDefaults(), cmp.Or(e.Evaluate.Grid, 21)
	return e.networks.Fit(m, data.Inputs, e.Data.Task().Classes)
}

func (e *experiment) Files() []string { return e.Data.Paths(e.manifest.Folder) }

func (e *experiment) About() []string { return e.Data.About() }

func (e *experiment) Prepare(context.Context) error {
	if e.Data.Name != "" {
		return nil
	}
	if err := e.Data.Load(e.manifest.Folder); err != nil {
		return e.manifest.Locate("data", err)
	}
	return e.networks.Fit(e.manifest, e.Data.Inputs(), len(e.Data.Classes()))
}

var _ study.WithData = (*experiment)(nil)

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
	Data     data.Source
	Model    learner.Named // at its ρ
	Grid     int           `json:",omitempty"`
	Lambda   []float64
}

// Cells returns a cell for each ρ, and number of classes or method.
func (e *experiment) Cells() (cells []study.Cell) {
	for _, n := range e.Ablation.Classes {
		for _, rho := range e.rho {
			p := approx.Problems{Classes: n, Spread: e.Ablation.Spread, Variance: e.Ablation.Variance, Unequal: e.Ablation.Unequal}
			s := moments{study.Seeded{Manifest: e.manifest.Name, Seed: e.manifest.Seed}, p, e.Ablation.Draws, rho, e.lambda}
			cells = append(cells, study.Cell{Key: fmt.Sprintf("moments n=%d rho=%g", n, rho), Stratum: "moments", Spec: s, Run: s.run})
		}
	}
	for _, model := range e.networks.Models {
		s := networks{e.manifest.Name, e.networks.Seeds, e.Data.Source, model, e.Evaluate.Grid, e.lambda}
		cells = append(cells, study.Cell{Key: "learn " + model.Name, Stratum: "learn", Spec: s, Run: s.run})
	}
	return cells
}

// run compares the probit at every λ with the exact moments, at the same random logits for all λ and ρ.
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
	classes, rho := table.Int("classes", "number of classes n"), table.Num("rho", "correlation ρ")
	t := table.New("errors", append([]table.Column{
		classes, rho, table.Num("lambda", "slope λ"), table.Num("asymmetry", "largest |E_ij − E_ji|, mean over the problems"),
	}, approx.Columns()...)...)
	for i, lambda := range s.Lambda {
		t.Add(n, s.Rho, lambda, table.Finite(asymmetry[i]), errors[i].Row())
	}
	marks, row := table.New("marks", classes, rho), []any{n, s.Rho}
	for _, word := range learner.LambdaWords {
		marks.Columns = append(marks.Columns, table.Num(word, "the λ that a manifest calls "+word))
		row = append(row, learner.Lambda{Word: word}.Value(n, s.Rho))
	}
	marks.Add(row...)
	return table.Set{t, marks}, nil
}

// run trains networks at every λ, on the same examples for all λ, ρ and methods, and averages over the
// seeds what is finite: a log loss is infinite where the true class has the probability 0.
func (s networks) run(ctx context.Context) (table.Set, error) {
	where := "share of the points of the plane that are classified right"
	if s.Data.Name == "" {
		where = "share of the test part that is classified right"
	}
	infinite := table.Num("log_loss_infinite", "share of the seeds with an infinite log loss")
	runs := table.New("runs",
		table.Text("method", "the variant"), table.Num("rho", "correlation ρ"), table.Num("lambda", "slope λ"),
		table.Num("accuracy", where),
		table.Num("log_loss", "log loss there, in nats, where it is finite"),
		table.Num("indefinite_steps", "examples whose step was indefinite as printed"),
		table.Num("skipped_steps", "those that were left out for it"))
	seeds := float64(len(s.Seeds))
	for _, lambda := range s.Lambda {
		without := 0.0
		for _, seed := range s.Seeds {
			result, err := s.train(ctx, lambda, seed)
			if err != nil {
				return nil, fmt.Errorf("λ = %g, seed %d: %w", lambda, seed, err)
			}
			if loss := result[1]; math.IsInf(loss, 0) || math.IsNaN(loss) {
				without++
			}
			runs.Add(s.Model.Of, s.Model.Rho, lambda, result)
		}
		infinite.Nums = append(infinite.Nums, 1-(seeds-without)/seeds)
	}
	summary := runs.GroupBy("method", "rho", "lambda").Shares("accuracy").Positive("log_loss").MeanFinite("summary",
		"accuracy", "log_loss", "indefinite_steps", "skipped_steps")
	summary.Columns = append(summary.Columns, infinite)
	if s.Data.Name == "" {
		classes := table.Int("classes", "number of classes of the data")
		classes.Nums = slices.Repeat([]float64{float64(s.classes())}, summary.Len())
		summary.Columns = append(summary.Columns, classes)
	}
	return table.Set{summary}, nil
}

// examples returns those that the networks of a seed learn, and those of the test: the test part, or
// the points of the grid that have a class.
func (s networks) examples(seed int) (train, test *data.Examples, err error) {
	if s.Data.Name == "" {
		return s.Data.Parts(study.Stream(s.Manifest, seed, "data"))
	}
	task, points := s.Data.Task(), data.Set{}
	for _, x := range task.Region.Grid(s.Grid).Points {
		if class := task.Label(x); class != data.NoClass {
			points.X, points.Class = append(points.X, x), append(points.Class, class)
		}
	}
	set := task.Draw(s.Data.Train, study.Stream(s.Manifest, seed, "train"))
	return dataset.NewExamples(set, task.Classes), dataset.NewExamples(points, task.Classes), nil
}

// order returns the randomness of the order of files, which may be sorted by class.
func (s networks) order(seed int) func(pass int) rand.Source {
	if s.Data.Name != "" {
		return nil
	}
	return func(pass int) rand.Source { return study.Stream(s.Manifest, seed, "pass", pass) }
}

func (s networks) classes() int { return s.Model.Layers[len(s.Model.Layers)-1] }

// train returns accuracy and log loss of a network, and its indefinite and skipped steps.
func (s networks) train(ctx context.Context, lambda float64, seed int) ([]float64, error) {
	train, test, err := s.examples(seed)
	if err != nil {
		return nil, err
	}
	model := s.Model
	model.Lambda = learner.Lambda{Number: lambda}
	n, err := model.Mixture(study.Stream(s.Manifest, seed, "prior"))
	if err != nil {
		return nil, err
	}
	network := &learner.Network{Model: n}
	if err := (learner.Course{Examples: train, Order: s.order(seed)}).Train(ctx, network); err != nil {
		return nil, err
	}
	l := learner.NewTolerant(network, s.classes())
	p, class := l.Test(test)
	steps := l.Steps()
	if steps.Failed {
		return nil, errors.New("a prediction failed")
	}
	return []float64{metric.Accuracy(p, class), metric.LogLoss(p, class), float64(steps.Indefinite), float64(steps.Skipped)}, nil
}
