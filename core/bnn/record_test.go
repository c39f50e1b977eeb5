package bnn

import (
	"math"
	"math/rand/v2"
	"testing"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// The answers below the threshold are those that the promise does not hold for.
func TestThreshold(t *testing.T) {
	record := func(right, unsure int) *TrackRecord {
		r := new(TrackRecord)
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
		if err != nil || !(c.low <= got && got <= c.high) {
			t.Errorf("%d right and %d unsure: %g, %v", c.right, c.unsure, got, err)
		}
	}
	early := new(TrackRecord) // an error among the surest 300, which none may have, does not end it
	for i := range 1000 {
		early.Add([]float64{0.9999, 0.999}[min(1, i/300)], i == 0)
	}
	if got := check.Must(early.Threshold(0.01, 0.95)); !(0.99 < got && got <= 0.999) {
		t.Errorf("an early error: %g", got)
	}
	r := record(1, 1)
	r.Add(1, false)
	for _, bad := range [][2]float64{{math.NaN(), 0.95}, {0, 0.95}, {1, 0.95}, {0.01, math.NaN()}, {0.01, 1}} {
		threshold, err := r.Threshold(bad[0], bad[1])
		if err == nil || !math.IsNaN(threshold) {
			t.Errorf("%v: threshold %g, error %v", bad, threshold, err)
		}
	}
	r.Add(math.NaN(), true)
	check.Equal(t, "wrong predictions with NaN", r.Wrong[0], 0)
	check.OK(t, r.Validate())
	r.Wrong[0] = 2
	check.Refuses(t, "more wrong predictions than there are", r.Validate())
}

// strictestFirst is the threshold of one sequence of tests from the strictest threshold down.
func strictestFirst(r *TrackRecord, share, confidence float64) float64 {
	smallest, answers, wrong := math.Inf(1), 0, 0
	for k := len(r.Predicted) - 1; k >= 0; k-- {
		answers, wrong = answers+r.Predicted[k], wrong+r.Wrong[k]
		switch {
		case r.Predicted[k] == 0 || binomial(answers, 0, share) > 1-confidence:
		case binomial(answers, wrong, share) > 1-confidence:
			return smallest
		default:
			smallest = thresholds[k]
		}
	}
	return smallest
}

// The promise is broken in at most 5 % of all records, also where the share of wrong answers is just above it
// for all probabilities, and where the surest answers are wrong too often. As many are answered as by one
// sequence of tests from the strictest threshold down, and far more where early errors would end that.
func TestPromiseIsKept(t *testing.T) {
	const share, replications = 0.05, 1000
	for name, world := range map[string]struct {
		risk func(p float64) float64
		gain float64 // in answers of 2,000 examples, at least
	}{
		"calibrated":    {func(p float64) float64 { return 1 - p }, 0.01},
		"overconfident": {func(p float64) float64 { return math.Sqrt(1 - p) }, -0.02},
		"constant":      {func(float64) float64 { return 1.001 * share }, -0.01},
		"upside down":   {func(p float64) float64 { return 0.06 * p }, -0.01},
		"early errors":  {func(p float64) float64 { return max(0.02, (1-p)/2) }, 0.4},
	} {
		rnd := rand.New(random.Source("promise", name))
		for _, examples := range []int{400, 2000} {
			broken, gain := 0, 0.0
			for range replications {
				var r TrackRecord
				for range examples {
					u := rnd.Float64()
					p := 1 - u*u/2
					r.Add(p, rnd.Float64() < world.risk(p))
				}
				threshold := check.Must(r.Threshold(share, 0.95))
				simple := strictestFirst(&r, share, 0.95)
				var wrong, answers float64
				for u := 0.0005; u < 1; u += 0.001 {
					p := 1 - u*u/2
					if p >= threshold {
						wrong += world.risk(p)
						answers++
					}
					if p >= simple {
						gain -= 0.001 / replications
					}
				}
				gain += 0.001 / replications * answers
				if wrong > share*answers {
					broken++
				}
			}
			if most := replications*0.05 + 3*math.Sqrt(replications*0.05*0.95); float64(broken) > most {
				t.Errorf("%s: %d of %d promises are broken", name, broken, replications)
			}
			if want := map[int]float64{400: -0.005, 2000: world.gain}[examples]; !(gain >= want) {
				t.Errorf("%s: with %d examples %.3f more are answered, want %g", name, examples, gain, want)
			}
		}
	}
}
