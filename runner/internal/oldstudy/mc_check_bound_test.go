package study

import (
	"context"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"closedform/core/random"
	"closedform/core/softmax"
	store "closedform/runner/internal/oldstore"
)

// Bounds of tails of the binomial distribution, against the tails.
func TestMCChance(t *testing.T) {
	for _, c := range []struct {
		mc, value, most float64
		samples         int
		tail            float64 // exact, one-sided
	}{
		{0, 0.25, 1, 100, math.Pow(0.75, 100)},
		{0, 0.5, 2, 100, math.Pow(0.75, 100)}, // twice the samples
		{1, 0.9, 1, 10, math.Pow(0.9, 10)},
		{3e-6, 1e-6, 1, 1000000, 0.0803},
		{0.2, 0.2, 1, 1000, 0.5},
	} {
		s := mcScore{mc: c.mc, value: c.value, most: c.most, samples: c.samples}
		got := s.chance()
		if !(got >= min(1, 2*c.tail)*(1-1e-9)) || !(got <= 1) {
			t.Errorf("%+v: bound %g, the tail is %g", c, got, c.tail)
		}
		if c.mc == 0 {
			near(t, "bound for an event that never happened", got/(2*c.tail), 1, 1e-8)
		}
	}
	for name, c := range map[string]struct {
		s    mcScore
		want float64
	}{
		"no bounds":                {mcScore{value: 0.25, samples: 100}, math.NaN()},
		"trusted":                  {mcScore{value: 0.25, most: 1, samples: 100, se: 1, effective: 2 * mcTrusted}, math.NaN()},
		"above the largest":        {mcScore{mc: 1, value: 1.1, most: 1, samples: 2}, 0},
		"below zero":               {mcScore{value: -0.1, most: 1, samples: 2}, 0},
		"zero but for rounding":    {mcScore{mc: -1e-17, value: 1e-12, most: 1, samples: 1e9}, 1},
		"a value that is nearly 0": {mcScore{mc: 1e-12, value: 0, most: 1, samples: 1e9}, 1},
	} {
		near(t, name, c.s.chance(), c.want, 1e-12)
	}
}

// Bounds of the samples hold for every formula that claims some.
func TestMCBounds(t *testing.T) {
	z := logits{mean: []float64{0.3, -0.2, 0.5}, variance: []float64{1, 0.5, 2}}
	rnd := rand.New(random.Source("bounds"))
	factor := mcFactor{{1}, {0.6, 0.8}}
	for _, p := range []mcProblem{
		mcProbitProblem(softmax.Probit{Lambda: 3, Rho: 0.7}, z, rnd),
		mcProbitCorrProblem(softmax.ProbitCorr{Lambda: 3, Corr: factor.correlation()}, factor, z, rnd),
	} {
		x, largest, bounded := make([]float64, len(p.scores)), 0.0, 0
		for range 10000 {
			p.sample(x)
			for k, s := range p.scores {
				if s.most > 0 {
					bounded++
					largest = max(largest, x[k]/s.most)
					if x[k] < 0 || x[k] > s.most {
						t.Fatalf("%s: sample %g of 0 to %g", s.quantity, x[k], s.most)
					}
				}
			}
		}
		if bounded == 0 || !(largest > 0.5) {
			t.Errorf("%d bounded samples up to %g of their bound", bounded, largest)
		}
	}
	scores, err := mcSoftmax(context.Background(), mcCheckSpec{Classes: 3, Samples: 100}, mcInputs{logits: z})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range scores {
		if !(s.mc >= 0 && s.mc <= s.most) || s.samples != 100 {
			t.Errorf("%s: %g of 0 to %g, %d samples", s.quantity, s.mc, s.most, s.samples)
		}
	}
}

// A formula that is plainly wrong is called so, though no sample deviates and
// there is no standard error; one that may be right is not.
func TestMCSummaryOfUntrusted(t *testing.T) {
	for _, c := range []struct {
		value float64
		want  string
	}{{0.25, "disagrees"}, {1e-9, "untested"}} {
		p := mcProblem{scores: []mcScore{{quantity: "p", value: c.value, most: 1}}, sample: func(x []float64) { x[0] = 0 }}
		scores, err := p.estimate(context.Background(), 1000)
		if err != nil {
			t.Fatal(err)
		}
		table := store.Table{Name: "zscores", Header: zscoresTable.Header}
		table.Rows = append(table.Rows, append([]string{"a", "2", "", "1"}, scores[0].zscore()...))
		for _, r := range records(t, []store.Table{mcSummary(frame{&table})}, "summary", nil) {
			if r["verdict"] != c.want || r["untrusted"] != "1" || r["bounded"] != "1" || strings.Contains(strings.Join(table.Rows[0], " "), "NaN") {
				t.Errorf("value %g, all samples 0: %v", c.value, r)
			}
		}
	}
}
