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
		if got := record(c.right, c.unsure).Threshold(0.01, 0.95); !(c.low <= got && got <= c.high) {
			t.Errorf("%d right and %d unsure: %g", c.right, c.unsure, got)
		}
	}
	r := record(1, 1)
	r.Add(1, false)
	check.OK(t, r.Validate())
	r.Wrong[0] = 2
	check.Refuses(t, "more wrong predictions than there are", r.Validate())
}

// The promise is broken in at most 5 % of all records, also where the share of wrong answers
// is just above it for all probabilities, and where the surest answers are wrong too often.
func TestPromiseIsKept(t *testing.T) {
	const share, replications = 0.05, 2000
	for name, risk := range map[string]func(p float64) float64{
		"calibrated":    func(p float64) float64 { return 1 - p },
		"overconfident": func(p float64) float64 { return math.Sqrt(1 - p) },
		"constant":      func(float64) float64 { return 1.001 * share },
		"upside down":   func(p float64) float64 { return 0.06 * p },
	} {
		rnd := rand.New(random.Source("promise", name))
		broken := 0
		for range replications {
			var r TrackRecord
			for range 400 {
				u := rnd.Float64()
				p := 1 - u*u/2
				r.Add(p, rnd.Float64() < risk(p))
			}
			threshold := r.Threshold(share, 0.95)
			if math.IsInf(threshold, 1) {
				continue
			}
			var wrong, points float64
			for u := 0.0005; u < 1; u += 0.001 {
				if p := 1 - u*u/2; p >= threshold {
					wrong += risk(p)
					points++
				}
			}
			if wrong > share*points {
				broken++
			}
		}
		if most := replications*0.05 + 3*math.Sqrt(replications*0.05*0.95); float64(broken) > most {
			t.Errorf("%s: %d of %d promises are broken", name, broken, replications)
		}
	}
}
