package readout

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// cube draws examples of three inputs of ±1, with a jitter, of two classes by a logistic regression.
func cube(n int, jitter float64) (examples []example, possible float64) {
	rnd := rand.New(random.Source("cube"))
	for range n {
		x, logit := make([]float64, 3), 0.0
		for j := range x {
			x[j] = float64(2*rnd.IntN(2) - 1)
			logit += []float64{1.2, -0.8, 0.3}[j] * x[j]
			x[j] += jitter * random.Normal(rnd)
		}
		e := example{x: x}
		if rnd.Float64() < 1/(1+math.Exp(-logit)) {
			e.class, logit = 1, -logit
		}
		examples, possible = append(examples, e), possible+math.Log1p(math.Exp(logit))/float64(n)
	}
	return examples, possible
}

func clusters(n, d int, name string) (examples []example) {
	x, class, _ := check.Clusters(n, d, 3, name)
	for i := range x {
		examples = append(examples, example{x: x[i], class: class[i]})
	}
	return examples
}

// Rows that come several times, each time with the same class, are one example each: they do not change the
// predictions, apart from the 1/n that is left for a class without examples. Two rows that come twice, as in
// most tables, hardly change them, also with more inputs than rows.
func TestRepeatedRows(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		examples := clusters(60, 4, "repeated rows")
		c := Config{Kind: kind, Inputs: 4, Classes: 3}
		once, often := learned(t, c, examples), learned(t, c, slices.Repeat(examples, 20))
		for _, e := range examples {
			z := slices.Clone(e.x)
			z[0] += 0.5
			check.NearAll(t, "P", predictedAt(t, often, z), predictedAt(t, once, z), 0.02)
			check.Near(t, "p-value", pValue(t, often, z), pValue(t, once, z), 1e-9)
		}
	})
	examples, c := clusters(120, 100, "two rows twice"), Config{Kind: Ridge, Inputs: 100, Classes: 3}
	rows, others := examples[:60], examples[60:]
	once, some := learned(t, c, rows), learned(t, c, slices.Concat(rows, rows[:1], rows[7:8]))
	for _, e := range others {
		check.NearAll(t, "P with two rows twice", predictedAt(t, some, e.x), predictedAt(t, once, e.x), 0.1)
	}
}

// Equal inputs count as often as there are examples: all is as for inputs that differ a little.
func TestRepeatedInputs(t *testing.T) {
	eachKind(t, func(t *testing.T, kind Kind) {
		for _, jitter := range []float64{0, 0.01} {
			examples, possible := cube(10000, jitter)
			l := learned(t, Config{Kind: kind, Inputs: 3, Classes: 2}, examples)
			loss := 0.0
			for _, e := range examples {
				loss -= math.Log(predictedAt(t, l, e.x)[e.class]) / float64(len(examples))
			}
			check.Near(t, fmt.Sprint("log loss with jitter ", jitter), loss, possible, 0.01)
			for i, e := range examples[:100] {
				p := pValue(t, l, e.x)
				check.True(t, p > 0.01, "jitter %g: input %d has the p-value %g", jitter, i, p)
			}
		}
	})
}

// Sources are kept with the inputs that are computed from them, the same in any order, unless one is unknown.
func TestSources(t *testing.T) {
	c := Config{Kind: Ridge, Inputs: 3, Classes: 2}
	a, b := check.Must(New(c)), check.Must(New(c))
	for i := range 40 {
		for l, i := range map[*Layer]int{a: i, b: 39 - i} {
			x := []float64{float64(i % 20), 1, 2}
			check.Must(l.ObserveFrom([]float64{float64(i % 20), float64(i)}, x, i%2))
		}
	}
	s := a.State()
	check.Equal(t, "in another order", b.State(), s)
	for i := range s.KeptClass {
		check.Equal(t, "source", s.Source[2*i:][:2], slices.Repeat([]float64{float64(s.Kept[3*i]) / 512}, 2))
	}
	check.Equal(t, "restored", check.Must(Restore(c, s)).State(), s)
	check.Must(a.Observe([]float64{3, 1, 2}, 1))
	check.Equal(t, "one without a source", len(a.State().Source), 0)
}
