package learner

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/baselines/learners/command"
	"closedform/baselines/learners/kalman"
	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/check"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/metric"
)

// train returns a classifier that has learned the examples.
func train(t *testing.T, m Method, e *dataset.Examples, src rand.Source, order func(int) rand.Source) *Classifier {
	training := Training{Random: func() rand.Source { return src }, Shuffle: order}
	return check.Must(training.Run(t.Context(), m, e, nil)).Classifier
}

// The candidate with the least loss on the part for validation is chosen, the first of equals, trained on all examples,
// and named.
func TestChoose(t *testing.T) {
	x, class, _ := check.Clusters(30, 2, 3, "choose")
	examples := dataset.NewExamples(data.Set{X: x, Class: class}, 3)
	training := Training{
		Random: func() rand.Source { return rand.NewPCG(1, 2) }, Scale: dataset.Standard,
		Validation: 0.4, Split: rand.NewPCG(5, 6),
	}
	learn, judge, err := examples.Split(0.4, rand.NewPCG(5, 6))
	check.OK(t, err)
	for keys, key := range map[string]string{
		`kind = "neighbours"; tune = ["neighbours"]; candidates = [[1], [400], [500]]`:  "neighbours",
		`kind = "neighbours"; tune = ["neighbours"]; candidates = [[500], [400], [30]]`: "neighbours",
		`tune = ["prior_factor"]; members = 1; candidates = [[0.1], [1], [10]]`:         "prior_factor",
	} {
		m := check.Must(decode(keys))
		want := Choice{LogLoss: math.Inf(1)}
		var best Method
		for _, candidate := range m.Candidates {
			one := check.Must(m.with(candidate))
			r := check.Must(training.Run(t.Context(), one, examples.Subset(learn), examples.Subset(judge)))
			check.Equal(t, "without candidates", []any{r.Choice.Text, math.IsNaN(r.Choice.LogLoss)}, []any{"", true})
			if loss := metric.LogLoss(r.P, r.Class); loss < want.LogLoss {
				best, want = one, Choice{fmt.Sprintf("%s=%v", key, candidate[0]), loss}
			}
		}
		training.Split = rand.NewPCG(5, 6)
		got := check.Must(training.Run(t.Context(), m, examples, examples))
		check.Equal(t, keys, got.Choice, want)
		check.Equal(t, keys, got.P, check.Must(training.Run(t.Context(), best, examples, examples)).P)
	}
}

// The values of a candidate are those of the method that is tried, and the method itself stays as it is.
func TestCandidates(t *testing.T) {
	m := check.Must(decode(`kind = "kalman"; prior_var = 7; tune = ["prior_var", "prior_mean_var"]; candidates = [[3, 30]]`))
	with := check.Must(m.with(m.Candidates[0]))
	of := func(m Method) []float64 {
		return []float64{m.Config.(*kalman.Config).PriorVar, m.Config.(*kalman.Config).PriorMeanVar}
	}
	check.Equal(t, "chosen, and before", [][]float64{of(with), of(m)}, [][]float64{{3, 30}, {7, 2}})
	// A number of the settings of a program is one, too.
	m = check.Must(decode(`kind = "command"; command = ["x"]; version = ["x"]; settings = {a = 1, c = "d"}; tune = ["settings.a", "settings.b"]; candidates = [[2, 3]]`))
	with = check.Must(m.with(m.Candidates[0]))
	got, was := fmt.Sprint(with.Config.(*command.Config).Settings), fmt.Sprint(m.Config.(*command.Config).Settings)
	check.Equal(t, "settings chosen and before", []string{got, was}, []string{"map[a:2 b:3 c:d]", "map[a:1 c:d]"})
	// One of a key that has a value for each layer is one for all.
	m = check.Must(decode(`hidden_layers = [4]; tune = ["lambda", "replications"]; candidates = [[0.3, 2]]`))
	with = check.Must(m.with(m.Candidates[0]))
	check.Equal(t, "lambda", []any{with.Model.Lambda.Value(3, 0.5), with.Model.Replications}, []any{0.3, []float64{2}})
	// An output layer and no features have no hidden layers and no number of features.
	m = check.Must(decode(`hidden_layers = [4]; features = "relu"; tune = ["output", "features"]; candidates = [["ridge", ""], ["", "relu"]]`))
	check.OK(t, m.Fits(2, 3))
	for k, want := range []bool{true, false} {
		with = check.Must(m.with(m.Candidates[k]))
		check.OK(t, with.Fits(2, 3))
		check.Equal(t, "output layer", check.Must(with.Learner(2, 3, rand.NewPCG(1, 2))).Readout() != nil, want)
	}
	for k, want := range []float64{6, 12} {
		m = check.Must(decode(`members = 1; bias = false; tune = ["prior_var", "process_noise"]; candidates = [[6, 0], [12, 0.5]]`))
		with = check.Must(m.with(m.Candidates[k]))
		n := check.Must(with.Learner(2, 3, rand.NewPCG(1, 2))).Network()
		_, cov := n.Members()[0].Weights(0)
		got := []float64{cov[0].At(0, 0), n.noise / max(1, float64(n.every))}
		check.NearAll(t, "prior variance and process noise", got, []float64{want, []float64{0, 0.5}[k]}, 1e-12)
	}
}

// The default bank is weighted by the first pass alone, and named by its heaviest member.
func TestBankPasses(t *testing.T) {
	x, class, _ := check.Clusters(12, 2, 3, "bank")
	examples := dataset.NewExamples(data.Set{X: x, Class: class}, 3)
	learned := func(passes int) (*Classifier, []float64) {
		m := check.Must(decode(fmt.Sprintf("hidden_layers = [4]; passes = %d", passes)))
		l := train(t, m, examples, random.Source("prior"), func(int) rand.Source { return random.Source("order") })
		return l, l.Network().Model.(*bnn.Bank).Weights()
	}
	one, weights := learned(1)
	three, same := learned(3)
	check.Equal(t, "weights", same, weights)
	best := floats.MaxIdx(weights)
	c := one.Network().Members()[best].Config()
	want := fmt.Sprintf("layers=%v prior_var=%.2g: %.2g", c.Layers, c.PriorVar, weights[best])
	check.Equal(t, "chosen", []string{one.Chosen(), three.Chosen()}, []string{want, want})
}

// Members are what networks are that learn by themselves, in one order or in orders of their own.
func TestTrainEnsemble(t *testing.T) {
	var set data.Set
	for i := range 12 {
		set.X, set.Class = append(set.X, []float64{float64(i) - 6}), append(set.Class, i%3%2)
	}
	examples, source := dataset.NewExamples(set, 2), func(pass int) rand.Source { return random.Source("order", pass) }
	for _, kind := range []string{"closed-form", "closed-form own", "tagi", "tagi own"} {
		kind, _, own := strings.Cut(kind, " ")
		m := check.Must(decode(fmt.Sprintf(`kind = %q; hidden_layers = [3]; passes = 2; members = 2; own_orders = %v`, kind, own)))
		got := train(t, m, examples, random.Source("own"), source).Probabilities(set.X)
		by := check.Must(m.Learner(1, 2, random.Source("own")))
		var members []func(x []float64, class int) error
		for _, l := range by.all() {
			members = append(members, l.Observe)
		}
		if n := by.Network(); n != nil {
			members = nil
			for _, n := range n.Members() {
				members = append(members, func(x []float64, class int) error { return check.Err(n.Observe(x, class)) })
			}
		}
		for k, member := range members {
			for pass := range 2 {
				order := source(pass + 1)
				if own && k > 0 {
					order = random.Source("order of member", order.Uint64(), k)
				}
				for _, i := range rand.New(order).Perm(len(set.X)) {
					check.OK(t, member(set.X[i], set.Class[i]))
				}
			}
		}
		check.Equal(t, fmt.Sprintf("%s, own orders %v: probabilities", kind, own), got, by.Probabilities(set.X))
	}
}

// What became of the steps of all members is counted, and one that breaks down is told.
func TestTrainEnsembleSteps(t *testing.T) {
	x, class, _ := check.Clusters(40, 2, 3, "steps")
	examples, order := dataset.NewExamples(data.Set{X: x, Class: class}, 3), func(int) rand.Source { return random.Source("order") }
	steps := func(members int, action string) Steps {
		m := check.Must(decode(fmt.Sprintf(`kind = "closed-form"; members = %d; rule = "joint"; hidden = "frozen"; prior_var = 10; bias = false; lambda = 2; on_indefinite = %q`, members, action)))
		return train(t, m, examples, random.Source("prior"), order).Steps()
	}
	one, two := steps(1, "skip"), steps(2, "skip")
	if one.Skipped == 0 || two.Skipped <= one.Skipped || two.Indefinite <= one.Indefinite || two.Failed {
		t.Errorf("steps of one network %+v, of two %+v", one, two)
	}
	check.Equal(t, "a member broke down", steps(2, "fail").Failed, true)
}
