package learner

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/tagi"
	"closedform/core/bnn"
	"closedform/core/features"
	"closedform/core/mixture"
	"closedform/core/random"
	check "closedform/internal/checktest"
	"closedform/internal/kernel"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/metric"
)

// line returns n examples with one input, the fiftieth of their number, and the classes in turn.
func line(n int) *dataset.Examples {
	var set data.Set
	for i := range n {
		set.X, set.Class = append(set.X, []float64{float64(i) / 50}), append(set.Class, i%2)
	}
	return dataset.NewExamples(set, 2)
}

// recorder records its examples, and breaks down after some predictions.
type recorder struct {
	seen []string
	good int // predictions before it breaks down
}

func (r *recorder) Observe(x []float64, class int) error {
	r.seen = append(r.seen, fmt.Sprint(x[0], class))
	if class > 1 {
		return errors.New("no such class")
	}
	return nil
}

func (r *recorder) Predict(p, _ []float64) error {
	if r.good--; r.good < 0 {
		return errors.New("enough")
	}
	p[0], p[1] = 1, 0
	return nil
}

// A break-down over one test example makes all predictions equal; what refuses an example sees no other.
func TestClassifier(t *testing.T) {
	for good, want := range map[int]float64{520: 0.5, 600: 1} {
		l := NewClassifier(&recorder{good: good}, 2)
		p, class := l.Test(line(600))
		check.Equal(t, "classes", []int{len(class), class[1]}, []int{600, 1})
		check.Equal(t, "failed", l.Steps().Failed, want == 0.5)
		check.Equal(t, fmt.Sprintf("good for %d", good), p, slices.Repeat([][]float64{{want, 1 - want}}, 600))
	}
	l := NewClassifier(&recorder{good: 9}, 2)
	for class := range 4 {
		l.Observe([]float64{1}, class)
	}
	check.Equal(t, "examples", len(l.Learners[0].(*recorder).seen), 3)
	check.Equal(t, "probabilities", l.Probabilities([][]float64{{1}}), [][]float64{{0.5, 0.5}})
	for wrong, want := range map[int]int{-1: 149, 20: 20} { // where what is done with a prediction fails
		l, last := NewClassifier(&recorder{good: 150}, 2), 0
		ok := l.PredictEach(line(150), func(i int, x []float64, _ Prediction) error {
			check.Equal(t, "input", x[0], float64(i)/50)
			if last = i; i == wrong {
				return errors.New("enough")
			}
			return nil
		})
		check.Equal(t, "ends", []any{ok, last, l.Err != nil}, []any{wrong < 0, want, wrong > 0})
	}
}

// A batch method is fitted to all examples when it is asked, once as long as there are no more.
func TestBatch(t *testing.T) {
	var fits [][]int
	b := &fitted{fit: func(x [][]float64, class []int) (predictor, error) {
		fits = append(fits, slices.Clone(class))
		for i := range x {
			check.Equal(t, fmt.Sprintf("inputs %v of classes %v", x, class), x[i][0], float64(class[i]))
		}
		return &recorder{good: 10}, nil
	}}
	x, p := []float64{0}, make([]float64, 2)
	for class := range 3 {
		x[0] = float64(class)
		check.OK(t, b.Observe(x, class))
		check.OK(t, b.Predict(p, x))
		check.OK(t, b.Predict(p, x))
	}
	check.Equal(t, "fitted to", fmt.Sprint(fits), "[[0] [0 1] [0 1 2]]")
}

// The predictions of many inputs are those of each, to the bit. Those of an ensemble are the means of its
// members, with the mutual information. All are equal probabilities after one that is not finite.
func TestSeveral(t *testing.T) {
	var members []Learner
	for k := range 3 {
		m := check.Must(tagi.New(tagi.Config{}, []int{1, 5, 2}, random.Source("several", k)))
		for i := range 20 {
			check.OK(t, m.Observe([]float64{float64(i % 7)}, i%2))
		}
		members = append(members, m)
	}
	network := func(members int) *Classifier {
		m := DefaultModel()
		m.Layers, m.Members = []int{1, 4, 2}, members
		return NewClassifier(&Network{Model: check.Must(m.Mixture(random.Source("prior")))}, 2)
	}
	text := func(x []float64, p Prediction) string {
		return fmt.Sprint(x, p.P, p.MutualInformation, p.Members[0][1].Variance, len(p.Members))
	}
	three := &Classifier{Learners: members, Classes: 2}
	for name, l := range map[string]*Classifier{
		"network": network(1), "networks": network(2), "tagi": NewClassifier(members[0], 2), "three of tagi": three,
	} {
		var texts []string
		l.PredictEach(line(150), func(i int, x []float64, p Prediction) error { // not a whole number of blocks
			texts = append(texts, text(x, p))
			return nil
		})
		for i, got := range texts {
			x, p, err := l.predict([][]float64{{float64(i) / 50}}, false)
			check.OK(t, err)
			check.Equal(t, name, got, text(x[0], p[0]))
			check.Equal(t, name+" has members", !math.IsNaN(p[0].MutualInformation), len(p[0].Members) > 1)
		}
		set := line(150).Set(0, 150)
		set.X[70][0] = math.Inf(1)
		check.Equal(t, name+": inputs", []any{len(texts), l.Probabilities(set.X)[3][0]}, []any{150, 0.5})
	}
	three.Err = nil
	_, got, err := three.predict([][]float64{{0.4}}, false)
	check.OK(t, err)
	mean, entropy := make([]float64, 2), 0.0
	for _, m := range members {
		p := check.Predict(t, m, 2, 0.4)
		floats.AddScaled(mean, 1./3, p)
		entropy += kernel.Entropy(p, 1) / 3
	}
	check.NearAll(t, "mean", got[0].P, mean, 1e-15)
	check.Near(t, "mutual information", got[0].MutualInformation, kernel.Entropy(mean, 1)-entropy, 1e-13)
}

// A method behind features learns them as by hand; their seed is the first number of its source.
func TestFeatures(t *testing.T) {
	set, src := clusters(24).Set(0, 24), rand.NewPCG(3, 4)
	relu := check.Must(features.New(features.Relu, 2, 8, src.Uint64()))
	mapped := make([][]float64, len(set.X))
	for i, x := range set.X {
		mapped[i] = make([]float64, 8)
		check.OK(t, relu.Standard(mapped[i], x))
	}
	for _, keys := range []string{
		`members = 1; hidden_layers = [4]`, `members = 2; own_orders = true`, `output = "ridge"`, `passes = 2`,
		`kind = "kalman"`, `kind = "tagi"; members = 2`, `kind = "laplace"; hidden_layers = [3]; members = 2`,
	} {
		m := check.Must(decode(keys))
		training := Training{
			Random: func() rand.Source {
				copied := *src
				return &copied
			},
			Order: Shuffled, Shuffle: ordered,
		}
		by := dataset.NewExamples(data.Set{X: mapped, Class: set.Class}, 3)
		want := check.Must(training.Run(t.Context(), m, by, by))
		l := train(t, check.Must(decode(keys+`; features = "relu"; feature_size = 8`)), clusters(24))
		got, _ := l.Test(clusters(24))
		check.Equal(t, keys+" predicts", got, want.P)
		l.PredictEach(clusters(24), func(i int, x []float64, _ Prediction) error {
			check.Equal(t, keys+": sees", x, mapped[i])
			return nil
		})
		check.OK(t, l.Err)
		check.Equal(t, keys, l.Readout() != nil, strings.Contains(keys, "output"))
	}
}

// Random features are certain.
func TestModelNetwork(t *testing.T) {
	m := DefaultModel()
	m.HiddenLayers, m.RandomFeatures, m.Hidden, m.PriorMeanVar = []int{4}, true, bnn.Frozen, 1
	m = check.Must(m.For(2, 3))
	n := check.Must(m.Mixture(random.Source("features"))).Members()[0]
	for l, want := range []bool{true, false} {
		_, cov := n.Weights(l)
		check.Equal(t, fmt.Sprintf("layer %d is certain", l), mat.Norm(cov[0], 1) == 0, want)
	}
}

func TestScores(t *testing.T) {
	p := [][]float64{{0.75, 0.25}, {0.5, 0.5}, {0.25, 0.75}}
	got := Scores(p, []int{0, 1, 0})
	// Of 0.75 one is right and one wrong, 0.5 is wrong: the risk is a half of one and of two, then two thirds.
	brier := (2*0.0625 + 2*0.25 + 2*0.5625) / 3
	want := []float64{2. / 3, -math.Log(0.75*0.5*0.25) / 3, brier, (0.5 + 0.5) / 3, (0.5 + 0.5 + 2./3) / 3}
	check.NearAll(t, "scores", got, want, 1e-12)
}

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
	check.True(t, !strings.Contains(text, "group") && !strings.Contains(text, "label"), "%s", text)
}
