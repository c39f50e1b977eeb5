package learner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/bnn"
	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/metric"
)

// clusters returns n examples of three classes.
func clusters(n int) *dataset.Examples {
	x, class, _ := check.Clusters(n, 2, 3, "clusters")
	return dataset.NewExamples(data.Set{X: x, Class: class}, 3)
}

// train returns a classifier that has learned the examples in random orders.
func train(t *testing.T, m Method, e *dataset.Examples) *Classifier {
	t.Helper()
	training := Training{
		Random:  func() rand.Source { return rand.NewPCG(3, 4) },
		Shuffle: func(pass int) rand.Source { return random.Source("order", pass) },
	}
	return check.Must(training.Run(t.Context(), m, e, nil)).Classifier
}

// The candidate with the least log loss on the part for validation is chosen, the first of equals, named, and
// trained on all examples.
func TestChoose(t *testing.T) {
	examples := clusters(30)
	training := Training{
		Random: func() rand.Source { return rand.NewPCG(1, 2) }, Scale: dataset.Standard, Validation: 0.4,
	}
	learn, judge, err := examples.Split(0.4, rand.NewPCG(5, 6))
	check.OK(t, err)
	for _, keys := range []string{
		`kind = "laplace"; tune = ["prior_var"]; candidates = [[0.1], [1], [10]]`,
		`kind = "dropout"; epochs = 2; tune = ["rate"]; candidates = [[0.5], [0.4], [0.3]]`,
		`tune = ["prior_factor"]; members = 1; candidates = [[0.1], [1], [10]]`,
	} {
		m := check.Must(decode(keys))
		want := Choice{LogLoss: math.Inf(1)}
		var best Method
		for _, candidate := range m.Candidates {
			one := check.Must(m.with(candidate))
			r := check.Must(training.Run(t.Context(), one, examples.Subset(learn), examples.Subset(judge)))
			check.Equal(t, "no choice", []any{r.Choice.Text, math.IsNaN(r.Choice.LogLoss)}, []any{"", true})
			if loss := metric.LogLoss(r.P, r.Class); loss < want.LogLoss {
				best, want = one, Choice{m.describe(candidate), loss}
			}
		}
		training.Split = rand.NewPCG(5, 6)
		got := check.Must(training.Run(t.Context(), m, examples, examples))
		check.Equal(t, keys, got.Choice, want)
		check.Equal(t, keys, got.P, check.Must(training.Run(t.Context(), best, examples, examples)).P)
	}
}

// The default bank is weighted by the first pass alone, and named by its heaviest member.
func TestBankPasses(t *testing.T) {
	one := train(t, check.Must(decode("hidden_layers = [4]")), clusters(12))
	three := train(t, check.Must(decode("hidden_layers = [4]; passes = 3")), clusters(12))
	weights := one.Network().Model.(*bnn.Bank).Weights()
	check.Equal(t, "weights", three.Network().Model.(*bnn.Bank).Weights(), weights)
	best := floats.MaxIdx(weights)
	c := one.Network().Members()[best].Config()
	want := fmt.Sprintf("layers=%v prior_var=%.2g: %.2g", c.Layers, c.PriorVar, weights[best])
	check.Equal(t, "chosen", []string{one.Chosen(), three.Chosen()}, []string{want, want})
}

// Members are what networks are that learn by themselves, in one order or in orders of their own.
func TestEnsemble(t *testing.T) {
	set := clusters(12).Set(0, 12)
	for _, kind := range []string{"closed-form", "closed-form own", "tagi", "tagi own"} {
		kind, _, own := strings.Cut(kind, " ")
		const keys = `kind = %q; hidden_layers = [3]; passes = 2; members = 2; own_orders = %v`
		m := check.Must(decode(fmt.Sprintf(keys, kind, own)))
		want := check.Must(m.Learner(2, 3, rand.NewPCG(3, 4)))
		members := want.learners()
		if n := want.Network(); n != nil {
			members = n.members()
		}
		for k, member := range members {
			for pass := range 2 {
				order := random.Source("order", pass+1)
				if own && k > 0 {
					order = random.Source("order of member", order.Uint64(), k)
				}
				for _, i := range rand.New(order).Perm(12) {
					check.OK(t, member.Observe(set.X[i], set.Class[i]))
				}
			}
		}
		got := train(t, m, clusters(12)).Probabilities(set.X)
		check.Equal(t, fmt.Sprintf("%s, own orders %v", kind, own), got, want.Probabilities(set.X))
	}
}

// The steps of all members are counted, and a member that breaks down is reported.
func TestEnsembleSteps(t *testing.T) {
	steps := func(members int, action string) Steps {
		const keys = `members = %d; rule = "joint"; hidden = "frozen"; prior_var = 10; bias = false; lambda = 2; ` +
			`on_indefinite = %q`
		return train(t, check.Must(decode(fmt.Sprintf(keys, members, action))), clusters(40)).Steps()
	}
	one, two := steps(1, "skip"), steps(2, "skip")
	if one.Skipped == 0 || two.Skipped <= one.Skipped || two.Indefinite <= one.Indefinite || two.Failed {
		t.Errorf("steps of one network %+v, of two %+v", one, two)
	}
	check.Equal(t, "a member broke down", steps(2, "fail").Failed, true)
}

// Every pass has an order of its own, and functions are called in their places.
func TestPasses(t *testing.T) {
	order := func(pass int) rand.Source { return random.Source("order", pass) }
	set := data.Set{X: [][]float64{{10}, {11}, {12}, {13}}, Class: []int{0, 1, 0, 1}}
	l, scores := &recorder{good: 100}, Prequential{}
	var want []string
	training := Training{
		Shuffle: order, Order: Shuffled,
		Observing: func(_ *Classifier, _ []float64, class int) { scores.Add([]float64{0.75, 0.25}, class) },
	}
	run := func(ctx context.Context, t Training, passes int) error {
		r := &Result{Classifier: NewClassifier(l, 2), Passes: passes}
		return t.passes(ctx, r, dataset.NewExamples(set, 2), nil)
	}
	check.OK(t, run(t.Context(), training, 2))
	for pass := 1; pass <= 2; pass++ {
		for _, i := range rand.New(order(pass)).Perm(4) {
			want = append(want, fmt.Sprint(10+i, i%2))
		}
	}
	check.Equal(t, "seen", l.seen, want)
	check.NearAll(t, "first pass", scores.Means(), []float64{0.5, -math.Log(0.75*0.25) / 2}, 1e-15)

	l.seen, training.Shuffle = nil, func(int) rand.Source { return nil }
	check.OK(t, run(t.Context(), training, 1))
	check.Equal(t, "as they are", l.seen, []string{"10 0", "11 1", "12 0", "13 1"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check.Equal(t, "cancelled", errors.Is(run(ctx, training, 1), context.Canceled), true)
}

// Each example of the first pass can be predicted before it is learned. The test part is scored at every
// snapshot and after passes; of a method that learns all examples at once after them.
func TestScore(t *testing.T) {
	set := data.Set{X: [][]float64{{0}, {1}, {2}, {3}}, Class: []int{0, 1, 1, 1}}
	examples, source := dataset.NewExamples(set, 2), func() rand.Source { return rand.NewPCG(1, 2) }
	for keys, want := range map[string][]string{
		`kind = "kalman"; passes = 3`: {"[0 1 1 1]", "[1:2 1:4 3:4]"}, `kind = "laplace"`: {"[]", "[1:4]"},
	} {
		m := check.Must(decode(keys))
		var next []int
		var scored []string
		run := Training{Random: source, Snapshots: []int{2}, ScorePasses: []int{1, 3}}
		run.Observing = func(c *Classifier, x []float64, class int) {
			p := c.PredictNext(x)
			if next = append(next, class); len(next) == 1 {
				prior := check.Must(m.Learner(1, 2, source()))
				check.NearAll(t, "before the first example", p, prior.Probabilities([][]float64{x})[0], 0)
			}
		}
		var last [][]float64
		run.Score = func(_ *Classifier, pass, k int, p [][]float64, class []int) {
			scored, last = append(scored, fmt.Sprint(pass, ":", k)), p
			check.Equal(t, keys, class, set.Class)
		}
		r := check.Must(run.Run(t.Context(), m, examples, examples))
		check.Equal(t, keys, []string{fmt.Sprint(next), fmt.Sprint(scored)}, want)
		if !slices.EqualFunc(r.P, last, slices.Equal) || r.Passes != max(1, m.Passes) {
			t.Errorf("%s: predictions %v of the last score, %v of the result", keys, last, r.P)
		}
	}
}
