package discover

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"

	"closedform/core/familiar"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// spec is all that the tables of a cell, one method on one stream, follow from.
type spec struct {
	study.Seeded
	Set      string
	Source   data.Source
	Discover settings
	Method   learner.Method
}

func (e *experiment) Cells() (cells []study.Cell) {
	for _, m := range e.Methods {
		for _, set := range e.Sets {
			if !m.Learns(set) {
				continue
			}
			for _, seed := range e.Seeds {
				s := spec{study.Seeded{Manifest: e.Manifest.Name, Seed: seed}, set.Name, set.Source, e.Discover, m.Method}
				cells = append(cells, study.Cell{Key: fmt.Sprintf("%s %s seed=%d", m.Name, set.Name, seed), Spec: s, Run: s.run})
			}
		}
	}
	return cells
}

// The ways to buy labels.
const (
	unknown = "unknown" // of what the learner calls unknown
	random  = "random"  // of as many examples, drawn at random
	oracle  = "oracle"  // of the examples that it would answer wrong
)

func (s spec) run(ctx context.Context) (table.Set, error) {
	key := []table.Column{
		table.Text("set", "the data set"), table.Text("method", "the learner"),
		table.Text("labels", "which are bought: those of what is unknown, as many at random, or, by an oracle, of what would be answered wrong"),
		table.Int("seed", "of the stream and the method"),
	}
	runs := table.New("runs", slices.Concat(key, []table.Column{
		table.Int("train", "examples of the stream"), table.Int("bought", "labels that were bought"), table.Num("bought_share", "of all examples"),
		table.Num("accuracy", "share of the answers that are right"), table.Num("wrong", "share of all examples that are answered wrong"),
		table.Int("found", "classes of which a label was bought"),
		table.Num("delay", "mean over the classes that turn up of the examples of the class until one is answered right; all of them if none is"),
	}, learner.StepColumns())...)
	curve := table.New("curve", slices.Concat(key, []table.Column{
		table.Int("seen", "examples up to the end of a block, of which the shares are"), table.Int("classes", "that have turned up"),
		table.Int("known", "classes of which a label was bought"), table.Num("bought_share", "share of the examples whose label was bought"),
		table.Num("wrong", "share of the examples that were answered wrong"),
	})...)
	curve.Packed = true
	train, _, err := s.Source.Unscaled(s.Stream("data", s.Set))
	if err != nil {
		return nil, err
	}
	order, turns, late := s.stream(train)
	train = train.Subset(order)
	scaler, err := train.First(200).Scaler(s.Source.Scale) // no label is needed for it
	if err != nil {
		return nil, err
	}
	train = scaler.Apply(train)
	budget, n := 0, float64(train.Len())
	for _, way := range []string{unknown, random, oracle} {
		at := []any{s.Set, s.Method.Name, way, s.Seed}
		f, err := s.follow(ctx, way, budget, train, func(k, known int, bought, wrong float64) { curve.Add(at, k+1, turns[k], known, bought, wrong) })
		if err != nil {
			return nil, err
		}
		budget = f.bought
		runs.Add(at, train.Len(), f.bought, float64(f.bought)/n, table.Finite(f.right/(f.right+f.wrong)), f.wrong/n,
			len(f.number), f.delay(late), f.learner.Steps().Row())
	}
	return table.Set{runs, curve}, nil
}

// stream draws the examples of the stream: its classes turn up one after another, at equal
// distances, in random order; an example is of any class that has turned up with equal
// probability, as long as there are examples of it. turns has, for each example, how many
// classes have turned up; late are those that were not there from the start.
func (s spec) stream(e *dataset.Examples) (order, turns, late []int) {
	rnd := rand.New(s.Stream("stream", s.Set))
	pools := make([][]int, len(e.Classes()))
	for _, i := range rnd.Perm(e.Len()) {
		pools[e.Class(i)] = append(pools[e.Class(i)], i)
	}
	classes, blocks := rnd.Perm(len(pools)), len(pools)-s.Discover.Start+1
	n := min(s.Discover.Examples, e.Len())
	for k := range n {
		there := min(s.Discover.Start+k*blocks/n, len(pools))
		left := slices.DeleteFunc(slices.Clone(classes[:there]), func(c int) bool { return len(pools[c]) == 0 })
		if len(left) == 0 {
			break
		}
		c := left[rnd.IntN(len(left))]
		order, turns = append(order, pools[c][0]), append(turns, there)
		pools[c] = pools[c][1:]
	}
	return order, turns, classes[s.Discover.Start:]
}

// follower is a learner that follows the stream.
type follower struct {
	settings
	learner      *learner.Tolerant
	layer        bool             // the learner is an output layer, which says itself what is unlike its examples
	inputs       *familiar.Inputs // that were learned
	number       map[int]int      // of a class of the data, that of the learner
	pending      []int            // examples whose labels were bought, but not learned yet
	bought       int
	right, wrong float64      // answers
	waits        map[int]int  // how many examples of a class came until one was answered right
	answered     map[int]bool // whether one was
}

// delay returns the mean over the classes of the number of examples until one was answered right.
func (f *follower) delay(classes []int) (mean float64) {
	for _, c := range classes {
		mean += float64(f.waits[c]) / float64(len(classes))
	}
	return mean
}

// follow has a new learner follow the stream. block is called at the end of each block, with the number of the last
// example, how many classes are known, and the shares of the block that were bought and answered wrong.
func (s spec) follow(ctx context.Context, way string, budget int, e *dataset.Examples, block func(k, known int, bought, wrong float64)) (*follower, error) {
	l, err := s.Method.Learner(e.Inputs(), s.Discover.Start, s.Stream("method", s.Set, s.Method.Name))
	if err != nil {
		return nil, err
	}
	f := &follower{
		settings: s.Discover, learner: l, layer: l.Readout() != nil, inputs: familiar.New(e.Inputs()),
		number: map[int]int{}, waits: map[int]int{}, answered: map[int]bool{},
	}
	draw := rand.New(s.Stream("bought", s.Set, s.Method.Name))
	x := make([]float64, e.Inputs())
	var bought, wrong float64 // in the block
	for k := range e.Len() {
		if k%64 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if k%s.Discover.Every == 0 {
			if err := f.learn(e); err != nil {
				return nil, err
			}
		}
		e.Input(x, k)
		class := e.Class(k)
		number, known := f.number[class]
		p := l.Probabilities([][]float64{x})[0]
		right := known && floats.MaxIdx(p) == number
		buy := false
		switch way {
		case unknown:
			if buy, err = f.unknown(x, p); err != nil {
				return nil, err
			}
			buy = draw.Float64() < s.Discover.Audit || buy
		case random:
			buy = draw.IntN(e.Len()-k) < budget-f.bought
		case oracle:
			buy = !right
		}
		if !f.answered[class] {
			f.waits[class]++
			f.answered[class] = right && !buy
		}
		switch {
		case buy:
			f.bought++
			bought++
			if err := f.buy(k, e); err != nil {
				return nil, err
			}
		case right:
			f.right++
		default:
			f.wrong++
			wrong++
		}
		if (k+1)%s.Discover.Block == 0 || k+1 == e.Len() {
			n := float64((k % s.Discover.Block) + 1)
			block(k, len(f.number), bought/n, wrong/n)
			bought, wrong = 0, 0
		}
	}
	return f, nil
}

// buy notes an example to be learned. If its class was not there, it becomes one, and the example is learned at once.
func (f *follower) buy(k int, e *dataset.Examples) error {
	f.pending = append(f.pending, k)
	if _, known := f.number[e.Class(k)]; known {
		return nil
	}
	if len(f.number) == f.learner.Classes {
		if err := f.learner.AddClass(); err != nil {
			return err
		}
	}
	f.number[e.Class(k)] = len(f.number)
	return f.learn(e)
}

// learn has the learner learn the examples whose labels were bought.
func (f *follower) learn(e *dataset.Examples) error {
	x := make([]float64, e.Inputs())
	for _, i := range f.pending {
		e.Input(x, i)
		if err := f.learner.Observe(x, f.number[e.Class(i)]); err != nil {
			return err
		}
		if err := f.inputs.Observe(x); err != nil {
			return err
		}
	}
	f.pending = nil
	return nil
}

// few examples of a class say too little of what is like them.
const few = 10

// unknown reports whether no class is probable enough for an input, or the input is unlike what was learned.
func (f *follower) unknown(x, p []float64) (bool, error) {
	if floats.Max(p) < f.Threshold {
		return true, nil
	}
	if !f.layer {
		return f.inputs.P(x) < f.Tail, nil
	}
	tail, kept, err := f.learner.Tail(x)
	return kept < few || tail < f.Tail, err
}

// Tables adds the means over the seeds.
func (e *experiment) Tables(cells []table.Set) (table.Set, error) {
	return table.Merge(cells, func(t table.Set) table.Set {
		return table.Set{
			t.Get("runs").GroupBy("set", "method", "labels").Shares("bought_share", "accuracy", "wrong").
				Mean("summary", "bought", "bought_share", "accuracy", "wrong", "found", "delay"),
			t.Get("curve").GroupBy("set", "method", "labels", "seen").Shares("bought_share", "wrong").
				Mean("curve_summary", "classes", "known", "bought_share", "wrong"),
		}
	})
}
