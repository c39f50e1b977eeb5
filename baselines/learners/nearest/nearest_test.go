package nearest

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/internal/kernel"
)

func TestLearner(t *testing.T) {
	for _, window := range []int{5, 1000} { // full after a few examples, and never
		margin := map[int]float64{5: 1, 1000: 0.3}[window]
		check.Online(t, margin, func(src rand.Source) (*Model, error) {
			return New(Config{Window: window}, 2, 3, src)
		})
	}
}

func TestErrors(t *testing.T) {
	check.Keys(t, map[string]Config{"neighbours": {Neighbours: 11, Window: 10}, "window": {Window: -1}})
	check.Refuses(t, "no inputs", check.Err(New(Config{}, 0, 2, nil)))
	m := check.Must(New(Config{}, 1, 2, nil))
	check.OK(t, m.Observe([]float64{1e300}, 0))
	check.Refuses(t, "far away", m.Predict(make([]float64, 2), []float64{-1e300}), "overflows")
}

// The votes are those of the whole window, sorted by distance and then by age. Inputs on a coarse grid have
// many equal distances.
func TestVotes(t *testing.T) {
	const window, neighbours, classes = 20, 4, 3
	rnd := rand.New(random.Source("votes"))
	type example struct {
		x     []float64
		class int
	}
	var latest []example
	m := check.Must(New(Config{Neighbours: neighbours, Window: window}, 2, classes, nil))
	point := func() []float64 { return []float64{float64(rnd.IntN(4)), float64(rnd.IntN(4))} }
	for n := range 3 * window {
		x, want := point(), slices.Repeat([]float64{1}, classes)
		distance := func(e example) float64 { return (e.x[0]-x[0])*(e.x[0]-x[0]) + (e.x[1]-x[1])*(e.x[1]-x[1]) }
		sorted := slices.SortedStableFunc(slices.Values(latest), func(a, b example) int {
			return cmp.Compare(distance(a), distance(b))
		})
		for _, e := range sorted[:min(neighbours, n)] {
			want[e.class]++
		}
		for c, sum := 0, kernel.Sum(want); c < classes; c++ {
			want[c] /= sum
		}
		check.NearAll(t, fmt.Sprint("after ", n), check.Predict(t, m, classes, x...), want, 1e-15)
		e := example{point(), rnd.IntN(classes)}
		check.OK(t, m.Observe(e.x, e.class))
		latest = slices.Insert(latest, 0, e)[:min(n+1, window)]
	}
}
