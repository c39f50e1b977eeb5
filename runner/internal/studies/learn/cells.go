package learn

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Order is the order in which the examples of a pass are learned.
type Order string

const (
	// Shuffled is random, anew for each pass; the first pass over a generator's examples is in the order drawn.
	Shuffled Order = "shuffled"
	Given    Order = "given"    // as in the files
	Sorted   Order = "sorted"   // one class after another
	Blocks   Order = "blocks"   // each class in five parts, all parts in a random order
	Drift    Order = "drift"    // each class is frequent for a while
	Repeated Order = "repeated" // several networks learn the same examples, each in an order of its own
)

// Words returns the words of all orders.
func (Order) Words() []string { return field.Words(Shuffled, Given, Sorted, Blocks, Drift, Repeated) }

var orders = map[Order]func(*dataset.Examples, rand.Source) []int{
	Shuffled: learner.Shuffled, Given: nil, Repeated: nil,
	// Class-incremental learning (van de Ven and Tolias, "Three scenarios for continual learning", 2019).
	Sorted: sorted(1, func(*rand.Rand) (int, float64) { return 0, 0 }),
	Blocks: sorted(5, func(rnd *rand.Rand) (int, float64) { return rnd.IntN(5), 0 }),
	// The noise has a triangular distribution, from 0 to four places.
	Drift: sorted(1, func(rnd *rand.Rand) (int, float64) { return 0, 2 * (rnd.Float64() + rnd.Float64()) }),
}

// sorted returns an order in which each class has several parts. All parts of all classes have places in a
// random order. Shuffled examples are sorted stably by the place of the part, plus noise, which pick returns.
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

// spec determines the tables of a cell: one method on one set with one seed or, if λ is swept, all seeds.
type spec struct {
	study.Seeded
	Seeds    []int
	Set      string
	Named    bool // the set is a table [[set]]
	Data     Source
	Method   learner.Method
	Order    Order
	Evaluate evaluate
	Swept    bool

	Predictions, Maps, Save bool // outputs that the cell keeps beside the scores
	AllRows                 bool // the saved network learns the test part, too
}

func (e *experiment) Cells() (cells []study.Cell) {
	together := 1 // number of seeds in a cell
	if e.swept {
		together = len(e.seeds)
	}
	for _, m := range e.methods {
		if m.Online() {
			m.Passes = cmp.Or(m.Passes, slices.Max(e.Evaluate.Passes))
		}
		for _, set := range e.sets {
			if set.skips(m) {
				continue
			}
			n := len(e.seeds)
			n = min(n, cmp.Or(m.Splits, n), cmp.Or(set.Splits, n))
			for seeds := range slices.Chunk(e.seeds[:n], together) {
				for _, order := range e.Evaluate.Order {
					if len(set.Order) == 0 || slices.Contains(set.Order, order) {
						cells = append(cells, e.cell(m, set, order, seeds))
					}
				}
			}
		}
	}
	return cells
}

func (e *experiment) cell(m learner.Method, set set, order Order, seeds []int) study.Cell {
	s := e.spec(m, set, order, seeds)
	var key []string
	columns, values := s.key()
	for i, c := range columns {
		key = append(key, fmt.Sprint(c.Name, "=", values[i]))
	}
	return study.Cell{Key: strings.Join(key, " "), Spec: s, Run: s.run}
}

func (e *experiment) spec(m learner.Method, set set, order Order, seeds []int) spec {
	s := spec{
		Seeds: seeds, Set: set.Name, Named: e.named, Data: set.Source, Method: m, Order: order,
		Evaluate: e.Evaluate, Swept: e.swept, AllRows: e.Save.AllRows,
		Predictions: e.plain && e.Data.Grid == 0,
		Maps:        e.plain && e.Data.Grid > 0 && seeds[0] == e.manifest.Seed,
		Save:        e.Save.Network && m.Name == e.saved && seeds[0] == e.seeds[0],
	}
	s.Manifest, s.Seed = cmp.Or(e.Evaluate.SplitsOf, e.manifest.Name), seeds[0]
	return s
}

func (s spec) run(ctx context.Context) (table.Tables, []store.File, error) {
	var sets []table.Tables
	for _, s.Seed = range s.Seeds {
		train, test, err := s.parts()
		if err != nil {
			return nil, nil, err
		}
		var tables table.Tables
		var files []store.File
		switch {
		case s.Data.Stream:
			tables, err = s.learnStream(ctx, train)
		case s.Order == Repeated:
			tables, err = s.pairs(ctx, train, test)
		default:
			tables, files, err = s.learn(ctx, train, test)
		}
		if err != nil || len(s.Seeds) == 1 {
			return tables, files, err
		}
		sets = append(sets, tables)
	}
	return table.Merge(sets), nil, nil
}

// stream returns the random numbers for a purpose, of its own for each [[set]].
func (s *spec) stream(purpose string, more ...any) rand.Source {
	name := []any{purpose}
	if s.Named {
		name = append(name, s.Set)
	}
	return s.Stream(append(name, more...)...)
}

func (s *spec) generator() bool { return s.Data.Generator.Name != "" }

// random returns the random numbers of the method. Closed-form methods have the same: their priors differ by
// their settings alone.
func (s *spec) random() rand.Source {
	if s.Method.ClosedForm() {
		return s.stream("prior")
	}
	return s.stream("method", s.Method.Name)
}

// shuffle returns the random numbers of the order of a pass, or nil for examples in the order drawn.
func (s *spec) shuffle(pass int) rand.Source {
	switch {
	case !s.Evaluate.single():
		return s.stream("order")
	case s.generator() && s.Order == Shuffled && pass == 1 && !s.Method.OwnOrders:
		return nil
	}
	return s.stream("pass", pass)
}

// parts returns the training part and the test part, which may be the points of a grid.
func (s *spec) parts() (train, test *dataset.Examples, err error) {
	if !s.generator() {
		return s.Data.Parts(s.stream("data"))
	}
	train = s.draw(s.Data.Train, "train")
	if s.Data.Stream {
		return train, nil, nil
	}
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

func (s *spec) draw(n int, purpose string, more ...any) *dataset.Examples {
	task := s.Data.Task()
	return dataset.NewExamples(task.Draw(n, s.stream(purpose, more...)), task.Classes)
}

func (s *spec) training() learner.Training {
	return learner.Training{
		Scale: s.Data.Scale, Random: s.random, Shuffle: s.shuffle, Order: orders[s.Order],
		Validation: s.Evaluate.Validation, Split: s.stream("validation"),
	}
}
