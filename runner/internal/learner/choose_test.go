package learner

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"closedform/baselines/learners/command"
	"closedform/baselines/learners/kalman"
	"closedform/core/random"
	"closedform/internal/check"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
)

// The candidate of the least loss is taken, the first of equals; its values are
// those of the method that is tried, and the method itself stays as it is.
func TestChoose(t *testing.T) {
	m := check.Must(decode(`kind = "kalman"; prior_var = 7
tune = ["prior_var", "prior_mean_var"]; candidates = [[1, 10], [2, 20], [3, 30], [4, 40]]`))
	of := func(m Method) []float64 {
		c := m.Config.(*kalman.Config)
		return []float64{c.PriorVar, c.PriorMeanVar}
	}
	losses := []float64{math.Inf(1), 2, 1, 1}
	chosen, choice, err := m.Choose(func(with Method) (float64, error) {
		k := of(with)[0]
		check.Equal(t, fmt.Sprintf("prior variance %g with that of the means", k), of(with)[1], 10*k)
		return losses[int(k)-1], nil
	})
	want := Choice{"prior_var=3 prior_mean_var=30", 1}
	if err != nil || choice != want || !slices.Equal(of(chosen), []float64{3, 30}) {
		t.Errorf("%v, %+v, %+v", err, choice, chosen)
	}
	check.Equal(t, "the method after a choice", of(m), []float64{7, 2})
	_, _, err = m.Choose(func(Method) (float64, error) { return 0, fmt.Errorf("broken") })
	check.Refuses(t, "error of a loss", err)
	m = check.Must(decode(`kind = "majority"`))
	if same, choice, err := m.Choose(nil); err != nil || choice.Text != "" || !math.IsNaN(choice.LogLoss) || same.Name != "m" {
		t.Errorf("%v, %+v without candidates", err, choice)
	}
	// A number of the settings of a program is one, too.
	m = check.Must(decode(`kind = "command"; command = ["x"]; version = ["x"]; settings = {a = 1, c = "d"}; tune = ["settings.a", "settings.b"]; candidates = [[2, 3]]`))
	chosen = check.Must(m.with(m.Candidates[0]))
	got, was := fmt.Sprint(chosen.Config.(*command.Config).Settings), fmt.Sprint(m.Config.(*command.Config).Settings)
	check.Equal(t, "settings chosen and before", []string{got, was}, []string{"map[a:2 b:3 c:d]", "map[a:1 c:d]"})
	// One of a key that has a value for each layer is one for all.
	m = check.Must(decode(`hidden_layers = [4]; tune = ["lambda", "replications"]; candidates = [[0.3, 2]]`))
	all := check.Must(m.with(m.Candidates[0])).Config.(*network)
	check.Equal(t, "lambda", all.Lambda.Value(3, 0.5), 0.3)
	check.Equal(t, "replications", []float64(all.Replications), []float64{2})
	// Those of a network are of its own.
	m = check.Must(decode(`kind = "closed-form"; members = 1; bias = false; tune = ["prior_var", "process_noise"]; candidates = [[6, 0], [12, 0.5]]`))
	for k, want := range []float64{6, 12} {
		with := check.Must(m.with(m.Candidates[k]))
		l := check.Must(with.Learner(2, 3, rand.NewPCG(1, 2)))
		n := l.Learner.(*Network)
		_, cov := n.Members()[0].Weights(0)
		got := []float64{cov[0].At(0, 0), n.noise / max(1, float64(n.every))}
		check.NearAll(t, "prior variance and process noise", got, []float64{want, []float64{0, 0.5}[k]}, 1e-12)
	}
}

// The default bank is weighted by the first pass alone.
func TestBankPasses(t *testing.T) {
	x, class, _ := check.Clusters(12, 2, 3, "bank")
	chosen := func(passes int) string {
		m := check.Must(decode(fmt.Sprintf(`kind = "closed-form"; hidden_layers = [4]; passes = %d`, passes)))
		examples := dataset.NewExamples(data.Set{X: x, Class: class}, 3)
		order := func(int) rand.Source { return random.Source("order") }
		return check.Must(m.Train(t.Context(), examples, random.Source("prior"), order)).Chosen()
	}
	one := chosen(1)
	check.Equal(t, "after three passes", chosen(3), one)
	if !strings.HasPrefix(one, "layers=[2 ") {
		t.Errorf("chosen %q", one)
	}
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
		got := check.Must(m.Train(context.Background(), examples, random.Source("own"), source)).Probabilities(set.X)
		by := check.Must(m.Learner(1, 2, random.Source("own")))
		var members []func(x []float64, class int) error
		if e, ok := by.Learner.(*Ensemble); ok {
			members = append(members, e.Members[0].Observe, e.Members[1].Observe)
		} else {
			for _, n := range by.Learner.(*Network).Members() {
				members = append(members, func(x []float64, class int) error {
					_, err := n.Observe(x, class)
					return err
				})
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
	train := func(members int, action string) Steps {
		m := check.Must(decode(fmt.Sprintf(`kind = "closed-form"; members = %d; rule = "joint"; hidden = "frozen"; prior_var = 10; bias = false; lambda = 2; on_indefinite = %q`, members, action)))
		return check.Must(m.Train(context.Background(), examples, random.Source("prior"), order)).Steps()
	}
	one, two := train(1, "skip"), train(2, "skip")
	if one.Skipped == 0 || two.Skipped <= one.Skipped || two.Indefinite <= one.Indefinite || two.Failed {
		t.Errorf("steps of one network %+v, of two %+v", one, two)
	}
	check.Equal(t, "a member broke down", train(2, "fail").Failed, true)
}
