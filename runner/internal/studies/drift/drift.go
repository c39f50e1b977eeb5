// Package drift is the study of streams whose distribution turns: every example is
// predicted, and then learned, by methods that forget and by methods that do not.
package drift

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/config"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "drift",
	Asks: "How well do methods follow a distribution that changes along the stream?",
	New: study.Decoded(func(*config.Manifest) *experiment {
		return &experiment{Stream: stream{Block: 50, Every: 50}, Learners: learner.Learners{Model: learner.DefaultModel()}}
	}),
}

type experiment struct {
	Stream stream `toml:"stream"`
	study.Swept
	Drifts []drift `toml:"drift" allowed:"at least one table headed [[drift]]"`
	learner.Learners
}

type stream struct {
	Examples int `toml:"examples" allowed:"1 to 1,000,000"` // in a stream; the stream by which candidates are chosen has as many
	Block    int `toml:"block"`                             // examples whose scores are averaged, a divisor of Examples
	Every    int `toml:"every" allowed:"1 to 1,000,000"`    // methods that learn all examples at once are fitted after so many
	Budget   int `toml:"budget" allowed:"1 to 100"`         // the most candidates of a method
}

// drift is a distribution of examples in the plane, and by how much it has turned
// about the origin along the stream.
type drift struct {
	Name string `toml:"name" allowed:"a text"`
	data.Generator
	Turns float64 `toml:"turns"`           // per 1000 examples, counter-clockwise, evenly along the stream
	Jumps []int   `toml:"jumps,omitempty"` // numbers of examples after which it turns at once
	Jump  float64 `toml:"jump"`            // turns of each of Jumps; 0: a quarter
}

func (d *drift) Validate() error {
	err := d.Generator.Validate()
	d.Jump = cmp.Or(d.Jump, 0.25)
	return cmp.Or(err, field.Within("turns", d.Turns, -1000, 1000), field.Within("jump", d.Jump, -1000, 1000))
}

// angle returns by how much the distribution has turned when k examples have been
// seen, in radians.
func (d *drift) angle(k int) float64 {
	turns := d.Turns * float64(k) / 1000
	for _, after := range d.Jumps {
		if k >= after {
			turns += d.Jump
		}
	}
	return 2 * math.Pi * turns
}

func (e *experiment) Validate() error {
	s := e.Stream
	if err := cmp.Or(field.Within("stream.block", s.Block, 1, s.Examples), learner.Check(e.Methods, s.Budget, true)); err != nil {
		return err
	}
	if s.Examples%s.Block != 0 {
		return field.Errorf("stream.block", "%d is not allowed; allowed: a divisor of stream.examples = %d", s.Block, s.Examples)
	}
	for _, d := range e.Drifts {
		if err := learner.Increasing("drift."+d.Name+".jumps", d.Jumps, s.Examples-1); err != nil {
			return err
		}
	}
	return nil
}

func (e *experiment) Prepare(context.Context) error {
	for _, d := range e.Drifts {
		if err := learner.Fit(e.Manifest, e.Methods, data.Inputs, d.Task().Classes); err != nil {
			return err
		}
	}
	return nil
}

func (e *experiment) Notes(tables table.Set) []string { return learner.BrokenDown(tables.Get("runs")) }

// spec is all that the tables of a cell, one drift, method and seed, follow from.
type spec struct {
	study.Seeded
	Drift                  drift
	Method                 learner.Method
	Examples, Block, Every int
}

func (e *experiment) Cells() (cells []study.Cell) {
	for _, d := range e.Drifts {
		for _, m := range e.Methods {
			for _, seed := range e.Seeds {
				s := spec{study.Seeded{Manifest: e.Manifest.Name, Seed: seed}, d, m, e.Stream.Examples, e.Stream.Block, e.Stream.Every}
				cells = append(cells, study.Cell{Key: fmt.Sprintf("%s %s seed=%d", d.Name, m.Name, seed), Spec: s, Run: s.run})
			}
		}
	}
	return cells
}

// turning is a stream of examples from a distribution that turns about the origin,
// and what can be said of their classes at best.
type turning struct {
	*data.Examples
	truth [][]float64 // P(class | x) of each example, by the distribution of its time
}

// draw draws the examples of a stream: example k is drawn from the distribution,
// and turned by the angle at which this is after k examples. So before they are
// turned they are the same for all methods, and for all drifts of one generator.
func (s spec) draw(name string) turning {
	task := s.Drift.Task()
	set := task.Draw(s.Examples, s.Stream(name))
	var t turning
	for k, x := range set.X {
		p := make([]float64, task.Classes)
		if !task.Probabilities(p, x) {
			p[set.Class[k]] = 1 // on a boundary, where the class is by definition
		}
		t.truth = append(t.truth, p)
		sin, cos := math.Sincos(s.Drift.angle(k))
		x[0], x[1] = cos*x[0]-sin*x[1], sin*x[0]+cos*x[1]
	}
	t.Examples = dataset.NewExamples(set, task.Classes)
	return t
}

// run chooses the hyper-parameters on a stream of their own, and then follows the
// stream that is scored.
func (s spec) run(ctx context.Context) (table.Set, error) {
	method, choice, err := s.Method.Choose(func(m learner.Method) (float64, error) {
		_, _, losses, err := s.follow(ctx, m, s.draw("validation"))
		if err != nil {
			return 0, err
		}
		return table.Mean(losses[1]), nil
	})
	if err != nil {
		return nil, err
	}
	examples := s.draw("examples")
	l, p, losses, err := s.follow(ctx, method, examples)
	if err != nil {
		return nil, err
	}
	means := func(from, to int) (all []float64) {
		for _, of := range losses {
			all = append(all, table.Mean(of[from:to]))
		}
		return all
	}
	key := []table.Column{table.Text("drift", "how the distribution turns"), table.Text("method", "the learner"), table.Int("seed", "of the stream and the method")}
	at := []any{s.Drift.Name, s.Method.Name, s.Seed}
	curve := table.New("curve", slices.Concat(key, []table.Column{table.Int("seen", "examples up to the end of a block, whose scores are averaged")}, lossColumns())...)
	curve.Packed = true
	for end := s.Block; end <= s.Examples; end += s.Block {
		curve.Add(at, end, means(end-s.Block, end))
	}
	runs := table.New("runs", slices.Concat(key, learner.ChoiceColumns("stream"), lossColumns(), learner.StepColumns())...)
	runs.Add(at, choice.Row(l), means(0, s.Examples), l.Steps().Row())
	predictions := table.New("predictions", slices.Concat(key, []table.Column{
		table.Int("example", "of the stream, from 1"), table.Int("class", "the true one, from 1"), table.Text("p", "probabilities of the classes before it is learned"),
	})...)
	predictions.Packed = true
	for k, p := range p {
		predictions.Add(at, k+1, examples.Class(k)+1, table.List(p, 6))
	}
	return table.Set{curve, runs, predictions}, nil
}

// lossColumns are the scores of the tables: those of a method, and how far they are
// above those of the true class probabilities on the same examples.
func lossColumns() []table.Column {
	return []table.Column{
		table.Num("error", "share of wrong predictions"), table.Num("log_loss", "mean of −log p of the true class, in nats"),
		table.Num("excess_error", "error less that of the true probabilities on the same examples"),
		table.Num("excess_log_loss", "log loss less that of the true probabilities, in nats"),
	}
}

// follow trains a learner of the method along the stream: each example is predicted and scored before
// it is learned. The predictions and losses are by example, the losses in the order of lossColumns.
func (s spec) follow(ctx context.Context, m learner.Method, t turning) (l *learner.Tolerant, p [][]float64, losses [4][]float64, err error) {
	if l, err = m.OfStream(data.Inputs, len(t.Classes()), s.Every, s.Stream("prior")); err != nil {
		return nil, nil, losses, err
	}
	course := learner.Course{Examples: t, Next: func(_, now []float64, class int) {
		wrong, loss := learner.Loss(now, class)
		leastWrong, leastLoss := learner.Loss(t.truth[len(p)], class)
		for i, x := range []float64{wrong, loss, wrong - leastWrong, loss - leastLoss} {
			losses[i] = append(losses[i], x)
		}
		p = append(p, now)
	}}
	err = course.Train(ctx, l)
	return l, p, losses, err
}

func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	losses := table.Names(lossColumns())
	return table.Merge(cells, func(t table.Set) table.Set {
		by := func(of string, keys ...string) table.Groups {
			return t.Get(of).GroupBy(keys...).Shares(learner.ShareNames...).Positive(learner.LossNames...)
		}
		return table.Set{
			by("curve", "drift", "method", "seen").Mean("curve_summary", losses...),
			by("runs", "drift", "method").Mean("summary", slices.Concat(losses, learner.StepNames)...),
			e.distributions(t.Get("runs")),
		}
	})
}

// distributions says what the best classifier there can be, that of the true class
// probabilities, scores on all examples of the streams.
func (e *experiment) distributions(runs *table.Table) *table.Table {
	t := table.New("distributions", table.Text("drift", "how the distribution turns"),
		table.Num("error", "share of wrong predictions by the true probabilities on the examples of all seeds"), table.Num("log_loss", "log loss of the true probabilities on these, in nats"))
	for _, d := range e.Drifts {
		of := runs.Where("drift", d.Name).Where("method", e.Methods[0].Name)
		best := func(column string) float64 {
			return table.Mean(of.Nums(column)) - table.Mean(of.Nums("excess_"+column))
		}
		t.Add(d.Name, best("error"), best("log_loss"))
	}
	return t
}
