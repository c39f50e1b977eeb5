package learn

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"

	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Order is the order in which the examples of a pass are learned.
type Order string

const (
	Shuffled Order = "shuffled" // at random, anew for each pass; of a generator as drawn in the first
	Given    Order = "given"    // as in the files
	Sorted   Order = "sorted"   // one class after another
	Blocks   Order = "blocks"   // five parts of each class, the parts in a random order
	Drift    Order = "drift"    // each class is frequent for a while
	Repeated Order = "repeated" // the same examples in several orders, by as many networks
)

var orders = map[Order]func(*dataset.Examples, rand.Source) []int{
	Shuffled: learner.Shuffled, Given: nil, Repeated: nil,
	// Class-incremental learning (van de Ven and Tolias, "Three scenarios for continual learning", arXiv
	// 1904.07734, 2019).
	Sorted: sorted(1, func(*rand.Rand) (int, float64) { return 0, 0 }),
	Blocks: sorted(5, func(rnd *rand.Rand) (int, float64) { return rnd.IntN(5), 0 }),
	// The noise is triangular, from 0 to four places.
	Drift: sorted(1, func(rnd *rand.Rand) (int, float64) { return 0, 2 * (rnd.Float64() + rnd.Float64()) }),
}

// sorted sorts the shuffled order stably. The parts of all classes have places in a random order. The key of
// an example is the place of one part of its class, and noise, both from pick.
func sorted(parts int, pick func(*rand.Rand) (int, float64)) func(*dataset.Examples, rand.Source) []int {
	return func(e *dataset.Examples, src rand.Source) []int {
		rnd := rand.New(src)
		order, place := rnd.Perm(e.Len()), rnd.Perm(parts*len(e.Classes()))
		keys := make([]float64, len(order))
		for _, i := range order {
			part, noise := pick(rnd)
			keys[i] = float64(place[parts*e.Class(i)+part]) + noise
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(keys[a], keys[b]) })
		return order
	}
}

// spec determines a cell's tables: one method on one set with one seed, or with all for maps over λ and ρ.
type spec struct {
	study.Seeded
	Seeds    []int
	Set      string
	Named    bool // it is a table [[set]], after which streams are named
	Data     Source
	Method   learner.Method
	Order    Order
	Evaluate evaluate
	Swept    bool

	Predictions, Maps, Save bool // what is left beside the scores
	AllRows                 bool // the network that is saved learns the test part, too
}

func (e *experiment) Cells() (cells []study.Cell) {
	together, n := 1, len(e.seeds)
	if e.swept {
		together = n
	}
	s := spec{
		Named: e.named, Evaluate: e.Evaluate, Swept: e.swept, AllRows: e.Save.AllRows,
		Predictions: e.plain && e.Data.Grid == 0,
	}
	s.Manifest = cmp.Or(e.Evaluate.SplitsOf, e.manifest.Name)
	for _, s.Method = range e.methods {
		m := &s.Method
		if m.Online() {
			m.Passes = cmp.Or(m.Passes, slices.Max(e.Evaluate.Passes))
		}
		for _, set := range e.sets {
			s.Set, s.Data = set.Name, set.Source
			seeds := e.seeds[:min(n, cmp.Or(m.Splits, n), cmp.Or(set.Splits, n))]
			for s.Seeds = range slices.Chunk(seeds, together) {
				for _, s.Order = range e.Evaluate.Order {
					if set.skips(*m) || len(set.Order) > 0 && !slices.Contains(set.Order, s.Order) {
						continue
					}
					s.Seed = s.Seeds[0]
					s.Maps = e.plain && e.Data.Grid > 0 && s.Seed == e.manifest.Seed
					s.Save = e.Save.Network && m.Name == e.saved && s.Seed == e.seeds[0]
					key := ""
					columns, values := s.key()
					for i, c := range columns {
						key += fmt.Sprint(" ", c.Name, "=", values[i])
					}
					cells = append(cells, study.Cell{Key: key[1:], Spec: s, Run: s.run})
				}
			}
		}
	}
	return cells
}

func (s spec) run(ctx context.Context) (table.Set, error) {
	var sets []table.Set
	for _, s.Seed = range s.Seeds {
		train, test, err := s.parts()
		if err != nil {
			return nil, err
		}
		tables, err := s.learn(ctx, train, test)
		if err != nil || len(s.Seeds) == 1 {
			return tables, err
		}
		sets = append(sets, tables)
	}
	return table.Merge(sets), nil
}

// stream returns the random numbers for a purpose. The names of streams follow the published results: with a
// [[set]] of files all have its name, with a generator only the two parts, unless the order is Repeated.
func (s *spec) stream(purpose string, more ...any) rand.Source {
	name := []any{purpose}
	if s.Named && !s.generator() {
		name = append(name, s.Set)
	}
	return s.Stream(append(name, more...)...)
}

func (s *spec) generator() bool { return s.Data.Generator.Name != "" }

func (s *spec) random() rand.Source {
	switch {
	case s.Named && !s.generator():
		return s.stream("method", s.Method.Name)
	case s.Method.ClosedForm():
		return s.stream("prior")
	}
	return s.stream("rival", s.Method.Name)
}

func (s *spec) shuffle(pass int) rand.Source {
	switch {
	case !s.Evaluate.single():
		return s.stream("order")
	case s.generator() && pass == 1 && !s.Method.OwnOrders:
		return nil
	}
	return s.stream("pass", pass)
}

func (s *spec) parts() (train, test *dataset.Examples, err error) {
	if !s.generator() {
		return s.Data.Parts(s.stream("data"))
	}
	train = s.draw(s.Data.Train, "train")
	if s.Data.Grid == 0 {
		return train, s.draw(s.Data.Test, "test"), nil
	}
	task, points := s.Data.Task(), data.Set{}
	for _, x := range task.Region.Grid(s.Data.Grid).Points {
		if class := task.Label(x); class != data.NoClass {
			points.X, points.Class = append(points.X, x), append(points.Class, class)
		}
	}
	return train, dataset.NewExamples(points, task.Classes), nil
}

func (s *spec) draw(n int, purpose ...any) *dataset.Examples {
	if s.Named && s.Order != Repeated {
		purpose = append(purpose, s.Set)
	}
	task := s.Data.Task()
	return dataset.NewExamples(task.Draw(n, s.Stream(purpose...)), task.Classes)
}

func (s *spec) training() learner.Training {
	return learner.Training{
		Scale: s.Data.Scale, Random: s.random, Shuffle: s.shuffle, Order: orders[s.Order],
		Validation: s.Evaluate.Validation, Split: s.stream("validation"),
	}
}
