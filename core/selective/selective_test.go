package selective

import (
	"math"
	"math/rand/v2"
	"testing"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// The threshold is the smallest confidence that the records of right and wrong predictions allow.
func TestThreshold(t *testing.T) {
	record := func(right, unsure int) *Record {
		r := new(Record)
		for range right {
			r.Add(0.999, false)
		}
		for i := range unsure {
			r.Add(0.6, i%2 == 0)
		}
		return r
	}
	for _, c := range []struct {
		right, unsure int
		low, high     float64
	}{
		{298, 0, math.Inf(1), math.Inf(1)}, // 0.99^298 is above 0.05
		{299, 0, 0.9, 0.9991},
		{299, 100, 0.9, 0.9991},
		{0, 1000, math.Inf(1), math.Inf(1)},
		{100_000, 100, 0.5, 0.6},
		{0, 0, math.Inf(1), math.Inf(1)},
	} {
		got, err := record(c.right, c.unsure).Threshold(0.01, 0.95)
		check.True(t, err == nil && c.low <= got && got <= c.high, "%d, %d: %g, %v", c.right, c.unsure, got, err)
	}
	early := new(Record) // an error among the surest 300, which none may have, does not end it
	for i := range 1000 {
		early.Add([]float64{0.9999, 0.999}[min(1, i/300)], i == 0)
	}
	got := check.Must(early.Threshold(0.01, 0.95))
	check.True(t, 0.99 < got && got <= 0.999, "an early error: %g", got)
	late := new(Record) // of 533 one may be wrong, of 633 two: two among 533 do not end it
	for i := range 633 {
		late.Add([]float64{0.99995, 0.99845, 0.9983}[min(i/473, 1)+i/533], i == 0 || i == 500)
	}
	got = check.Must(late.Threshold(0.01, 0.95))
	check.True(t, got < 0.9983, "two errors among 633: %g", got)
	timid := new(Record) // no errors where hundreds were expected
	for i := range 3000 {
		timid.Add([]float64{0.5, 0.6, 0.7}[i%3], false)
	}
	got = check.Must(timid.Threshold(0.01, 0.95))
	check.True(t, got <= 0.5, "no errors: %g", got)
	r := record(1, 1)
	r.Add(1, false)
	for _, bad := range [][2]float64{{math.NaN(), 0.95}, {0, 0.95}, {1, 0.95}, {0.01, math.NaN()}, {0.01, 1}} {
		threshold, err := r.Threshold(bad[0], bad[1])
		check.True(t, err != nil && math.IsNaN(threshold), "%v: threshold %g, error %v", bad, threshold, err)
	}
	r.Add(math.NaN(), true)
	check.Equal(t, "wrong predictions with NaN", r.Wrong[0], 0)
	check.OK(t, r.Validate())
	r.Wrong[0] = 2
	check.Refuses(t, "more wrong predictions than there are", r.Validate())
}

// Without errors the smallest share is 1 − 0.05^(1/n), rounded up to two digits. It is not one of those below a
// share that cannot be promised.
func TestSmallest(t *testing.T) {
	for n, want := range map[int]float64{0: 1, 2: 0.78, 29: 0.099, 298: 0.011, 299: 0.01, 3000: 0.001} {
		var r Record
		for range n {
			r.Add(0.999, false)
		}
		check.Equal(t, n, check.Must(Smallest(r.Threshold, 0.95)), want)
	}
	gap := func(share, _ float64) (float64, error) {
		if 0.02 < share && share < 0.034 {
			return math.Inf(1), nil
		}
		return 0.9, nil
	}
	check.Equal(t, "above the gap", check.Must(Smallest(gap, 0.95)), 0.034)
	share, err := Smallest(new(Record).Threshold, 1)
	check.True(t, err != nil && math.IsNaN(share), "confidence 1: share %g, error %v", share, err)
}

// The promise is broken in at most 5 % of all records, also where the share of wrong answers is just above it
// for all probabilities, and where the surest answers are wrong too often. It leaves many answers.
func TestPromiseIsKept(t *testing.T) {
	const share, replications = 0.05, 1000
	for name, world := range map[string]struct {
		risk     func(p float64) float64
		answered float64 // of 2,000 examples, at least
	}{
		"calibrated":    {func(p float64) float64 { return 1 - p }, 0.45},
		"overconfident": {func(p float64) float64 { return math.Sqrt(1 - p) }, 0},
		"constant":      {func(float64) float64 { return 1.001 * share }, 0},
		"reversed":      {func(p float64) float64 { return 0.06 * p }, 0},
		"early errors":  {func(p float64) float64 { return max(0.02, (1-p)/2) }, 0.5},
	} {
		rnd := rand.New(random.Source("promise", name))
		for _, examples := range []int{400, 2000} {
			broken, answered := 0, 0.0
			for range replications {
				var r Record
				for range examples {
					u := rnd.Float64()
					p := 1 - u*u/2
					r.Add(p, rnd.Float64() < world.risk(p))
				}
				threshold := check.Must(r.Threshold(share, 0.95))
				var wrong, answers float64
				for u := 0.0005; u < 1; u += 0.001 {
					if p := 1 - u*u/2; p >= threshold {
						wrong += world.risk(p)
						answers++
					}
				}
				answered += 0.001 / replications * answers
				if wrong > share*answers {
					broken++
				}
			}
			most := replications*0.05 + 3*math.Sqrt(replications*0.05*0.95)
			check.True(t, float64(broken) <= most, "%s: %d of %d promises are broken", name, broken, replications)
			enough := examples == 400 || answered >= world.answered
			check.True(t, enough, "%s: of %d examples %.3f are answered", name, examples, answered)
		}
	}
}
