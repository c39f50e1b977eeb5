package learner

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"closedform/core/features"
	"closedform/core/mixture"
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

func ordered(pass int) rand.Source { return random.Source("order", pass) }

// train returns a classifier that has learned the examples in random orders.
func train(t *testing.T, m Method, e *dataset.Examples) *Classifier {
	t.Helper()
	training := Training{
		Random: func() rand.Source { return rand.NewPCG(3, 4) }, Order: Shuffled, Shuffle: ordered,
	}
	return check.Must(training.Run(t.Context(), m, e, nil)).Classifier
}

// The candidate with the least log loss for validation, the first of equals, is named and trained on all.
func TestChoose(t *testing.T) {
	examples := clusters(30)
	training := Training{
		Random: func() rand.Source { return rand.NewPCG(1, 2) }, Scale: dataset.Standard, Validation: 0.4,
		Shuffle: ordered,
	}
	part, validation, err := examples.Split(0.4, rand.NewPCG(5, 6))
	check.OK(t, err)
	for _, keys := range []string{
		`kind = "laplace"; tune = ["prior_var"]; candidates = [[0.1], [1], [10]]`,
		`tune = ["prior_factor"]; members = 1; candidates = [[0.1], [1], [10]]`,
	} {
		m := check.Must(decode(keys))
		want, lowest := "", math.Inf(1)
		var best Method
		for _, candidate := range m.Candidates {
			one := check.Must(m.with(candidate))
			r := check.Must(training.Run(t.Context(), one, part, validation))
			check.Equal(t, "no choice", r.Chosen, "")
			if loss := metric.LogLoss(r.P, r.Class); loss < lowest {
				best, want, lowest = one, m.describe(candidate), loss
			}
		}
		training.Split = rand.NewPCG(5, 6)
		got := check.Must(training.Run(t.Context(), m, examples, examples))
		check.Equal(t, keys, got.Chosen, want)
		check.Equal(t, keys, got.P, check.Must(training.Run(t.Context(), best, examples, examples)).P)
	}
}

// The default bank is weighted by the first pass alone.
func TestBankPasses(t *testing.T) {
	weights := func(keys string) []float64 {
		return train(t, check.Must(decode(keys)), clusters(12)).Network().Predictor().(*mixture.Snapshot).Weights()
	}
	check.Equal(t, "weights", weights("hidden_layers = [4]; passes = 3"), weights("hidden_layers = [4]"))
}

// Members are what networks are that learn by themselves, in one order or in orders of their own.
func TestEnsemble(t *testing.T) {
	set := clusters(12).Set(0, 12)
	for _, kind := range []string{"closed-form", "closed-form own", "tagi", "tagi own"} {
		kind, _, ownOrders := strings.Cut(kind, " ")
		const keys = `kind = %q; hidden_layers = [3]; passes = 2; members = 2; own_orders = %v`
		m := check.Must(decode(fmt.Sprintf(keys, kind, ownOrders)))
		want := check.Must(m.Learner(2, 3, rand.NewPCG(3, 4)))
		members := want.Learners
		if n := want.Network(); n != nil {
			members = []Learner{byHand{n.Members()[0]}, byHand{n.Members()[1]}}
		}
		for k, member := range members {
			for pass := range 2 {
				order := random.Source("order", pass+1)
				if ownOrders && k > 0 {
					order = random.Source("order of member", order.Uint64(), k)
				}
				for _, i := range rand.New(order).Perm(12) {
					check.OK(t, member.Observe(set.X[i], set.Class[i]))
				}
			}
		}
		got := train(t, m, clusters(12)).Probabilities(set.X)
		check.Equal(t, fmt.Sprintf("%s, own orders %v", kind, ownOrders), got, want.Probabilities(set.X))
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

// Each example of the first pass can be predicted before it is learned. The test part is scored at every
// snapshot and after passes, of a batch method after them.
func TestScore(t *testing.T) {
	set := data.Set{X: [][]float64{{0}, {1}, {2}, {3}}, Class: []int{0, 1, 1, 1}}
	examples, source := dataset.NewExamples(set, 2), func() rand.Source { return rand.NewPCG(1, 2) }
	for keys, want := range map[string][]string{
		`kind = "kalman"; passes = 3`: {"[0 1 1 1]", "[1:2 1:4 3:4]"}, `kind = "laplace"`: {"[]", "[1:4]"},
	} {
		m := check.Must(decode(keys))
		var next []int
		var scored []string
		run := Training{Random: source, Shuffle: ordered, Snapshots: []int{2}, ScorePasses: []int{1, 3}}
		run.Observing = func(c *Classifier, x []float64, class int) {
			p := c.PredictNext(x)
			if next = append(next, class); len(next) == 1 {
				prior := check.Must(m.Learner(1, 2, source()))
				check.NearAll(t, "before the first example", p.P, prior.Probabilities([][]float64{x})[0], 0)
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

// Keys that a study does not allow are refused.
func TestRules(t *testing.T) {
	model := DefaultModel()
	networks := func(m Method) error { return check.Err((&Learners{Methods: []Method{m}}).Networks(2, 3)) }
	m := (&Learners{Model: model}).Listed()[0]
	check.OK(t, networks(m))
	m.Passes, m.Scale = 2, dataset.Unit
	check.Refuses(t, "networks", networks(m),
		"method.model.passes: 2 is not allowed; allowed: a single network, ", "\nmethod.model.scale: \"unit\" is not")
	model.Features.Kind, model.Readout = features.Relu, "ridge"
	check.Refuses(t, "networks", check.Err((&Learners{Model: model}).Networks(2, 3)), "method.model.features: ")
	for want, m := range map[string]Method{
		"method.a.candidates: [[1], [2]]": {Name: "a", Tuning: Tuning{Candidates: [][]any{{1.0}, {2.0}}}},
		"method.a.splits":                 {Name: "a", Splits: 2},
	} {
		check.Refuses(t, want, Plain([]Method{{Name: "b"}, m}), want)
	}
}

// Cells are known by the JSON of their specs, which what only draws does not change.
func TestSpec(t *testing.T) {
	text := strings.ToLower(string(check.Must(json.Marshal(Method{Label: "label", Group: "group"}))))
	if strings.Contains(text, "group") || strings.Contains(text, "label") {
		t.Error(text)
	}
}
