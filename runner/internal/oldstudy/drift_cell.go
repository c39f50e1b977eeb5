package study

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"closedform/core/random"
	"closedform/runner/internal/dataset"
	store "closedform/runner/internal/oldstore"
)

// run chooses the hyper-parameters on a stream of their own, and then follows the
// stream that is scored. The examples are from the streams "validation" and
// "examples", before they are turned; so they are the same for all methods, and
// for all drifts of one law.
func (s driftSpec) run(ctx context.Context) ([]store.Table, error) {
	hyper, choice, err := choose(&s.Method, func(hyper map[string]float64) (float64, error) {
		losses, _, _, err := s.follow(ctx, hyper, s.turning("validation"))
		return stat.Mean(losses.column("log_loss"), nil), err
	})
	if err != nil {
		return nil, err
	}
	examples := s.turning("examples")
	losses, said, steps, err := s.follow(ctx, hyper, examples)
	if err != nil {
		return nil, err
	}
	at := []string{s.Course.Name, s.Method.Name, strconv.Itoa(s.Seed)}
	blocks := store.Table{Name: "blocks", Header: append([]string{"drift", "method", "seed", "seen"}, driftColumns...)}
	for end := s.Block; end <= s.Examples; end += s.Block {
		row := append(at[:len(at):len(at)], strconv.Itoa(end))
		blocks.Rows = append(blocks.Rows, append(row, means(losses[end-s.Block:end])...))
	}
	summary := store.Table{Name: "summary", Header: slices.Concat(
		[]string{"drift", "method", "seed", "chosen", "validation_log_loss"}, driftColumns, stepColumns,
	)}
	summary.Rows = [][]string{slices.Concat(
		at, []string{choice.text, gapped(choice.loss)}, means(losses), steps.fields(),
	)}
	predictions := store.Table{Name: "predictions", Packed: true, Header: []string{"drift", "method", "seed", "example", "class", "p"}}
	for k, p := range said {
		predictions.Rows = append(predictions.Rows, append(at[:len(at):len(at)],
			strconv.Itoa(k+1), strconv.Itoa(examples.Class[k]+1), spelled(p)))
	}
	return []store.Table{blocks, summary, predictions}, nil
}

// stream returns the random stream of this seed for a purpose.
func (s driftSpec) stream(purpose ...any) rand.Source {
	return random.Source(append([]any{s.Manifest, s.Seed}, purpose...)...)
}

// turned is a stream of examples from a law that turns about the origin, and what
// can be said of their classes at best.
type turned struct {
	dataset.Set
	truth [][]float64 // P(class | x) of each example, by the law of its time
}

// turning draws the examples of a stream: example k is drawn from the law, and
// turned by the angle at which the law is after k examples.
func (s driftSpec) turning(name string) turned {
	task := s.Course.Task()
	t := turned{Set: task.Generate(s.Examples, s.stream(name))}
	for k, x := range t.X {
		p := make([]float64, task.Classes())
		if !task.ClassProbabilities(p, x) {
			p[t.Class[k]] = 1 // on a boundary, where the class is by definition
		}
		t.truth = append(t.truth, p)
		sin, cos := math.Sincos(s.Course.Angle(k))
		x[0], x[1] = cos*x[0]-sin*x[1], sin*x[0]+cos*x[1]
	}
	return t
}

// losses are the scores of examples, each in the order of driftColumns.
type losses [][]float64

func (l losses) column(name string) []float64 {
	i := slices.Index(driftColumns, name)
	out := make([]float64, len(l))
	for k := range l {
		out[k] = l[k][i]
	}
	return out
}

// means returns the means of all columns.
func means(l losses) []string {
	var out []string
	for _, name := range driftColumns {
		out = append(out, store.Float(stat.Mean(l.column(name), nil)))
	}
	return out
}

// follow shows a pupil the stream: each example is predicted and scored before it
// is learned (Dawid, "The prequential approach", JRSS A 1984). It returns the scores
// and the predictions.
func (s driftSpec) follow(ctx context.Context, hyper map[string]float64, t turned) (all losses, said [][]float64, _ steps, _ error) {
	p, err := enrol(&s.Method, hyper, len(t.X[0]), len(t.truth[0]), s.stream("prior"))
	if err != nil {
		return nil, nil, steps{}, err
	}
	if r, ok := p.(*rival); ok && r.fit != nil {
		p = &windowed{rival: r, window: int(hyper["window"]), every: s.Every}
	}
	for k, x := range t.X {
		if k%64 == 0 && ctx.Err() != nil {
			return nil, nil, steps{}, ctx.Err()
		}
		class := t.Class[k]
		answer := p.labels(t.X[k : k+1])[0]
		said = append(said, answer)
		wrong, surprise := loss(answer, class)
		leastWrong, leastSurprise := loss(t.truth[k], class)
		all = append(all, []float64{wrong, surprise, wrong - leastWrong, surprise - leastSurprise})
		p.observe(x, class)
	}
	return all, said, p.done(), nil
}

// loss returns the losses of the prediction p of an example: 1 if its most
// probable class is wrong, else 0; and −log p_class.
func loss(p []float64, class int) (wrong, surprise float64) {
	if floats.MaxIdx(p) != class {
		wrong = 1
	}
	return wrong, -math.Log(p[class])
}
