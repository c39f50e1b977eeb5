package data

import (
	"errors"
	"slices"
	"testing"

	"closedform/core/bnn"
	"closedform/core/classifier"
	"closedform/core/random"
	check "closedform/internal/checktest"
)

// The default takes no shuffled stream of a generator, nor of labels that do not depend on the inputs, for
// one in an order of its classes: its weights are those along the stream, to the bit. It does if the same
// examples come sorted by class.
func TestShuffledIsRandom(t *testing.T) {
	noticed := func(set Set, classes int) bool {
		b := check.Must(classifier.NewBank(bnn.Default(Inputs, 20, classes), false, random.Source("order")))
		for i, x := range set.X {
			check.Must(b.Observe(x, set.Class[i]))
		}
		var p, q bnn.Prediction
		check.OK(t, errors.Join(b.Predict(&p, set.X[0]), b.Before(&q, set.X[0])))
		return !slices.Equal(p.Weights, q.Weights)
	}
	for name := range generators {
		task := Generator{Name: name}.Task()
		for _, n := range []int{60, 300} {
			set := task.Draw(n, random.Source("order", name))
			check.Equal(t, name+", shuffled", noticed(set, task.Classes), false)
			if n < 300 {
				continue
			}
			var sorted Set
			for class := range task.Classes {
				for i, c := range set.Class {
					if c == class {
						sorted.X, sorted.Class = append(sorted.X, set.X[i]), append(sorted.Class, c)
					}
				}
			}
			check.Equal(t, name+", sorted", noticed(sorted, task.Classes), true)
			set.Class = slices.Concat(set.Class[n/2:], set.Class[:n/2])
			check.Equal(t, name+", other labels", noticed(set, task.Classes), false)
			for i := range set.Class {
				set.Class[i] = max(0, (i*7919)%(20*task.Classes)-19*task.Classes)
			}
			check.Equal(t, name+", rare labels", noticed(set, task.Classes), false)
		}
	}
}
