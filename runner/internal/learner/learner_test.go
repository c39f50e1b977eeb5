package learner

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/internal/check"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/probit"
	"closedform/runner/internal/table"
)

// line returns n examples with one input, the fiftieth of their number, and the classes in turn.
func line(n int) *dataset.Examples {
	var set data.Set
	for i := range n {
		set.X, set.Class = append(set.X, []float64{float64(i) / 50}), append(set.Class, i%2)
	}
	return dataset.NewExamples(set, 2)
}

// recorder takes note of what it is shown, and breaks down after some predictions.
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

// A break-down over one test example makes all predictions equal, and all after
// them; what refuses an example is not asked again.
func TestClassifier(t *testing.T) {
	examples := line(600)
	for good, want := range map[int]float64{520: 0.5, 600: 1} {
		l := NewClassifier(&recorder{good: good}, 2)
		p, class := l.Test(examples)
		check.Equal(t, "predictions, classes and failed", []any{len(class), class[1], l.Steps().Failed}, []any{600, 1, want == 0.5})
		check.Equal(t, fmt.Sprintf("good for %d", good), p, slices.Repeat([][]float64{{want, 1 - want}}, 600))
	}
	l := NewClassifier(&recorder{good: 9}, 2)
	for class := range 4 {
		l.Observe([]float64{1}, class)
	}
	got := []any{len(l.Learner.(*recorder).seen), l.Steps().Failed, l.Probabilities([][]float64{{1}})[0][0]}
	check.Equal(t, "examples, failed and probability", got, []any{3, true, 0.5})
	for _, good := range []int{2, 1} {
		var seen []float64
		ok := NewClassifier(&recorder{good: good}, 2).PredictEach(line(2), func(i int, x []float64, a Prediction) error {
			if a.P[0] != 1 || !math.IsNaN(a.MutualInformation) || a.Members != nil {
				t.Errorf("prediction %+v", a)
			}
			seen = append(seen, x[0])
			return nil
		})
		if ok != (good == 2) || ok && !slices.Equal(seen, []float64{0, 0.02}) {
			t.Errorf("good for %d: seen %v, %v", good, seen, ok)
		}
	}
}

// Every pass has an order of its own.
func TestPasses(t *testing.T) {
	order := func(pass int) rand.Source { return random.Source("order", pass) }
	examples := dataset.NewExamples(data.Set{X: [][]float64{{10}, {11}, {12}, {13}}, Class: []int{0, 1, 0, 1}}, 2)
	l, scores := &recorder{good: 100}, Prequential{}
	var want, after []string
	training := Training{
		Shuffle: order, Order: Shuffled,
		Observing: func(_ *Classifier, _ []float64, class int) { scores.Add([]float64{0.75, 0.25}, class) },
		Observed: func(_ *Classifier, pass, k int) error {
			after = append(after, fmt.Sprint(pass, k, len(l.seen)))
			return nil
		},
	}
	run := func(ctx context.Context, t Training, passes int) error {
		return t.passes(ctx, &Result{Classifier: NewClassifier(l, 2), Passes: passes}, examples, nil)
	}
	check.OK(t, run(t.Context(), training, 2))
	for pass := 1; pass <= 2; pass++ {
		for _, i := range rand.New(order(pass)).Perm(4) {
			want = append(want, fmt.Sprint(10+i, i%2))
		}
	}
	check.Equal(t, "seen", []any{l.seen, fmt.Sprint(after)}, []any{want, "[1 1 1 1 2 2 1 3 3 1 4 4 2 1 5 2 2 6 2 3 7 2 4 8]"})
	check.NearAll(t, "means of the first pass", scores.Means(), []float64{0.5, -math.Log(0.75*0.25) / 2}, 1e-15)

	l.seen = nil
	check.OK(t, run(t.Context(), Training{Shuffle: func(int) rand.Source { return nil }}, 1))
	check.Equal(t, "as they are", l.seen, []string{"10 0", "11 1", "12 0", "13 1"})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check.Equal(t, "cancelled", errors.Is(run(ctx, training, 1), context.Canceled), true)
	stops := Training{Shuffle: order, Order: Shuffled, Observed: func(*Classifier, int, int) error { return errors.New("stop") }}
	check.Refuses(t, "Observed", run(t.Context(), stops, 1))
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

// What the weights gain in a while does not depend on how often they do: a network
// with full covariances gains ten times the fraction before every tenth example.
func TestProcessNoise(t *testing.T) {
	for _, c := range []struct {
		fraction float64
		kind     bnn.Covariance
		want     float64
		every    int
	}{
		{0, bnn.Full, 0, 1},
		{0.001, bnn.Diagonal, 0.001, 1},
		{0.001, bnn.Full, 0.01, 10},
		{0.1, bnn.Full, 1, 10},
		{0.25, bnn.Full, 1, 4},
		{0.4, bnn.Full, 0.8, 2},
		{1, bnn.Full, 1, 1},
		{1, bnn.Diagonal, 1, 1},
	} {
		m := DefaultModel()
		m.Members, m.ProcessNoise, m.Covariance = 1, c.fraction, []bnn.Covariance{c.kind}
		n := check.Must(m.learner(1, 2, random.Source("noise")))
		check.Near(t, fmt.Sprint("noise of ", c.fraction), n.noise, c.want, 1e-15)
		check.Equal(t, fmt.Sprintf("%g: every", c.fraction), n.every, c.every)
	}
}

// What a network says of many inputs is what it says of each: of the probabilities and what Look
// shows. A break-down ends Look at its input.
func TestSeveral(t *testing.T) {
	inputs := line(150) // which are not a whole number of blocks
	for _, members := range []int{1, 2} {
		l := NewClassifier(&Network{Model: mixture(t, members)}, 2)
		p, class := l.Test(inputs)
		seen, want := 0, make([]float64, 2)
		information := func(n *Network) float64 {
			if members == 1 {
				return math.NaN()
			}
			return n.several[0].MutualInformation()
		}
		l.PredictEach(inputs, func(i int, x []float64, a Prediction) error {
			one := l.Learner.(*Network)
			check.OK(t, one.Predict(want, x))
			check.Equal(t, "input", []any{i, x[0], class[i]}, []any{seen, float64(i) / 50, i % 2})
			same := floats.Same([]float64{a.MutualInformation}, []float64{information(one)})
			if !slices.Equal(a.P, want) || !slices.Equal(p[i], want) || !same {
				t.Errorf("input %d: %v and %v, want %v", i, a, p[i], want)
			}
			for k, layers := range layersOf(&one.several[0]) {
				last := len(layers) - 1
				check.Equal(t, fmt.Sprintf("input %d, member %d: hidden means", i, k), a.Members[k][last].Input, layers[last].Input)
			}
			seen++
			return nil
		})
		check.Equal(t, "inputs that are seen", seen, inputs.Len())
		set := inputs.Set(0, 150)
		set.X[70][0] = math.NaN()
		broken := dataset.NewExamples(set, 2)
		for _, c := range []struct {
			inputs      *dataset.Examples
			wrong, last int
		}{{broken, -1, 69}, {inputs, 20, 20}} {
			l = NewClassifier(l.Learner, 2)
			last := 0
			ok := l.PredictEach(c.inputs, func(i int, _ []float64, _ Prediction) error {
				if last = i; i == c.wrong {
					return errors.New("enough")
				}
				return nil
			})
			check.Equal(t, "the last input before a break-down or an error", []any{ok, last, l.Steps().Failed}, []any{false, c.last, true})
		}
		if p, _ := l.Test(inputs); p[3][0] != 0.5 || l.PredictEach(inputs, nil) {
			t.Error("a learner that broke down predicts")
		}
	}
}

// The network says what bnn says, normalised, and counts what that reports.
func TestNetwork(t *testing.T) {
	m := DefaultModel()
	m.OnIndefinite, m.Lambda, m.Layers, m.Output, m.PriorVar = bnn.Project, probit.Lambda{Number: 2}, []int{1, 3}, bnn.Joint, []float64{0.5}
	l := NewClassifier(&Network{Model: check.Must(m.Mixture(random.Source("network")))}, 3)
	l.Network().noise, l.Network().every = 0.25, 1
	n := check.Must(m.Mixture(random.Source("network"))).Members()[0]
	var want Steps
	for _, class := range []int{0, 0, 2, 1, 0, 0} {
		check.OK(t, n.AddProcessNoise(0.25))
		u := check.Must(n.Observe([]float64{3}, class))
		if u.Indefinite {
			want.Indefinite++
		}
		if u.Action == bnn.Projected {
			want.Projected++
		}
		l.Observe([]float64{3}, class)
	}
	check.Equal(t, "steps and some projected", []any{l.Steps(), l.Steps().Projected > 0}, []any{want, true})
	x := []float64{0.02}
	var p bnn.Prediction
	check.OK(t, n.Predict(&p, x))
	normalised := slices.Clone(p.P)
	floats.Scale(1/floats.Sum(p.P), normalised)
	check.NearAll(t, "p", l.Probabilities([][]float64{x})[0], normalised, 1e-12)
}

// Random features are certain and stay; a prior mean is taken.
func TestModelNetwork(t *testing.T) {
	m := DefaultModel()
	m.HiddenLayers, m.RandomFeatures, m.Hidden, m.PriorMeanVar = []int{4}, true, bnn.Frozen, 1
	m = check.Must(m.For(2, 3))
	n := check.Must(m.Mixture(random.Source("features"))).Members()[0]
	for l, want := range []bool{true, false} {
		_, cov := n.Weights(l)
		check.Equal(t, fmt.Sprintf("layer %d is certain", l), mat.Norm(cov[0], 1) == 0, want)
	}
	m = DefaultModel()
	m.Layers, m.PriorMean, m.Bias = []int{2, 2}, [][]float64{{1, 2}, {3, 4}}, false
	m.PriorVar = []float64{2}
	n = check.Must(m.Mixture(random.Source("mean"))).Members()[0]
	if mean, cov := n.Weights(0); mean.At(1, 0) != 3 || mean.At(0, 1) != 2 || math.Abs(cov[0].At(0, 0)-2) > 1e-15 {
		t.Errorf("mean %v, covariance %v", mean, cov[0])
	}
}

// Every method is there at every swept value, the last changing fastest. One error names all keys that methods do
// not have.
func TestSweep(t *testing.T) {
	model := DefaultModel()
	model.Output = bnn.Joint
	l := Learners{
		Methods: []Method{NewMethod("a", model), NewMethod("b", model)},
		Sweep:   Sweep{Lambda: []probit.Lambda{{Number: 1}, {Word: "slope"}}, Rho: []float64{0, 0.25}},
	}
	all, err := l.Expand()
	if err != nil || len(all) != 8 {
		t.Fatalf("%v, %d methods", err, len(all))
	}
	check.Equal(t, "methods", []any{all[1].Name, all[6].Name, all[6].Base, all[1].Model.Rho, all[6].Model.Lambda.Word}, []any{"a lambda=1.0 rho=0.25", "b lambda=slope rho=0.0", "b", 0.25, "slope"})
	if all, err = (&Learners{Model: model}).Expand(); err != nil || len(all) != 1 || all[0].Name != "model" {
		t.Errorf("%v, %q", err, Names(all))
	}
	l.Methods[0].Model.Output = bnn.ADFExact
	check.Refuses(t, "rules without these keys", check.Err(l.Expand()), "sweep.lambda: lambda and rho not allowed with the method a")
	l.Methods[0].Model.Output = bnn.ADF
	check.Refuses(t, "adf with another ρ than ½", check.Err(l.Expand()), "sweep.rho: rho not allowed with the method a")
	l.Methods, l.Sweep.Rho = l.Methods[:1], []float64{0.5}
	check.Equal(t, "adf with ρ = ½", len(check.Must(l.Expand())), 2)
	l.Methods[0].Model.Output, l.Sweep.Rho = bnn.Joint, []float64{1}
	check.Refuses(t, "a value", check.Err(l.Expand()), "sweep.rho: 1 is not allowed")
	l.Sweep = Sweep{}
	l.Methods[0].Passes, l.Methods[0].Scale = 2, dataset.Unit
	check.Refuses(t, "a study of networks", check.Err(l.Networks(2, 3, 1)), "method.a.scale: scale, passes not allowed")
}

// What cannot be is refused, by the word of the key.
func TestModelErrors(t *testing.T) {
	for want, change := range map[string]func(*Model){
		"rho":             func(m *Model) { m.Rho = 1 },
		"random_features": func(m *Model) { m.RandomFeatures, m.Hidden = true, bnn.Smooth },
		"hidden_layers":   func(m *Model) { m.HiddenLayers, m.Layers = []int{3}, []int{2, 2} },
		"prior_mean":      func(m *Model) { m.PriorMean = [][]float64{{1, 2}} },
		"layers: the cov": func(m *Model) { m.HiddenLayers = []int{20000, 20000} },
		"members: 65 is not allowed; allowed: 0 to 64": func(m *Model) { m.Members = 65 },
		"layers: [2] is not allowed":                   func(m *Model) { m.Layers = []int{2} },
	} {
		m := DefaultModel()
		change(&m)
		_, err := m.For(2, 2)
		check.Refuses(t, want, err, want)
	}
	m := DefaultModel()
	m.HiddenLayers = []int{0}
	check.Refuses(t, "no units", m.Validate(), "hidden_layers: [0] is not allowed")
}

func TestScores(t *testing.T) {
	p := [][]float64{{0.75, 0.25}, {0.5, 0.5}, {0.25, 0.75}}
	got := Scores(p, []int{0, 1, 0})
	// Of the largest probabilities 0.75 are one right and one wrong, 0.5 is wrong: the risk is
	// a half of one and of two, and two thirds of all.
	want := []float64{2. / 3, -math.Log(0.75*0.5*0.25) / 3, (2*0.0625 + 2*0.25 + 2*0.5625) / 3, (0.5 + 0.5) / 3, (0.5 + 0.5 + 2./3) / 3}
	check.NearAll(t, "scores", got, want, 1e-12)
	check.Equal(t, "columns and values differ in number", []any{len(ScoreColumns()), len(StepColumns())}, []any{len(got), len(Steps{}.Row())})
	runs := table.New("runs", append([]table.Column{table.Text("method", "")}, StepColumns()...)...)
	for i, method := range []string{"a", "b", "a", "a", "b"} {
		runs.Add(method, Steps{Floored: i, Failed: i == 2 || i == 3}.Row())
	}
	check.Equal(t, "notes", BrokenDown(runs), []string{"a broke down in 2 of 3 runs, and is scored there as equal probabilities"})
}

// About six snapshots, 1, 2 or 5 times a power of ten but for the last.
func TestSnapshots(t *testing.T) {
	for n, want := range map[int][]int{1: {1}, 2: {1, 2}, 25: {2, 5, 10, 25}, 210: {2, 5, 20, 50, 100, 210}, 1000: {2, 10, 20, 100, 200, 1000}, 60000: {5, 50, 200, 2000, 10000, 60000}} {
		check.Equal(t, n, Snapshots(n), want)
		check.OK(t, Increasing("k", Snapshots(n), n))
	}
}
