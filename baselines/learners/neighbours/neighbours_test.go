package neighbours

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// examples returns inputs on a coarse grid, so that distances tie, or normal ones.
func examples(count, inputs, classes int, coarse bool) (x [][]float64, class []int) {
	rnd := rand.New(random.Source("examples", count, inputs))
	for range count {
		xi := make([]float64, inputs)
		for a := range xi {
			xi[a] = rnd.NormFloat64()
			if coarse {
				xi[a] = math.Round(xi[a])
			}
		}
		x, class = append(x, xi), append(class, rnd.IntN(classes))
	}
	return x, class
}

func fit(cfg Config, x [][]float64, class []int) *Model {
	return check.Must(Fit(cfg, x, class, nil))
}

func TestLearner(t *testing.T) {
	check.Learner(t, 0.15, func(x [][]float64, class []int, src rand.Source) (check.Predictor, error) {
		return Fit(Config{Classes: 3, Neighbours: 20}, x, class, src)
	})
}

// The neighbours are those of a stable sort of all distances, ties too.
func TestNeighboursAreThoseOfASort(t *testing.T) {
	for _, coarse := range []bool{false, true} {
		for _, inputs := range []int{1, 3, 15, 16, 17, 40} {
			const classes = 4
			x, class := examples(200, inputs, classes, coarse)
			queries, _ := examples(30, inputs, classes, coarse)
			for _, k := range []int{1, 2, 7, 200} {
				q := fit(Config{Classes: classes, Neighbours: k}, x, class)
				p := make([]float64, classes)
				for _, at := range queries {
					order := make([]int, len(x))
					for i := range order {
						order[i] = i
					}
					// Distances are compared as rounded to nine digits: a tie
					// is one whatever the order of the sum.
					distance := func(i int) float64 { return scalar.Round(floats.Distance(at, x[i], 2), 9) }
					slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(distance(a), distance(b)) })
					want := make([]float64, classes)
					for _, i := range order[:k] {
						want[class[i]]++
					}
					check.OK(t, q.Predict(p, at))
					floats.AddConst(0.25, want)
					floats.Scale(1/float64(k+1), want)
					check.NearAll(t, fmt.Sprintf("coarse %t, %d inputs, k = %d", coarse, inputs, k), p, want, 1e-14)
				}
			}
		}
	}
}

func TestNeighboursFarAway(t *testing.T) {
	x := [][]float64{{1e200, 0}, {0, 0}, {-1e150, 1}}
	q := fit(Config{Classes: 2, Neighbours: 2}, x, []int{0, 1, 1})
	p := make([]float64, 2)
	if err := q.Predict(p, []float64{0, 1}); err != nil || !(p[1] > p[0]) {
		t.Errorf("p = %v, error %v", p, err)
	}
	check.Refuses(t, "distances that overflow", q.Predict(p, []float64{1e200, 0}))
}

func TestErrors(t *testing.T) {
	check.Keys(t, map[string]Config{"neighbours": {Neighbours: -1}})
	x, class := examples(10, 2, 2, false)
	check.Refuses(t, "nothing", check.Err(Fit(Config{Classes: 2}, nil, nil, nil)), "0 examples")
	check.Refuses(t, "one class", check.Err(Fit(Config{Classes: 1}, x, class, nil)), "10 examples of 1")
}
