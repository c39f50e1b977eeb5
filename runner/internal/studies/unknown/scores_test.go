package unknown

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/classgaussian"
	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/readout"
	check "closedform/internal/checktest"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study/studytest"
)

// Each score is one of what has it.
func TestScores(t *testing.T) {
	set := studytest.Clusters(72)
	text := example(studytest.File(t, set), studytest.File(t, far)) + `
[[method]]; name = "six"; kind = "closed-form"; hidden_layers = [4]; members = 6
[[method]]; name = "tagi"; kind = "tagi"; hidden_layers = [4]; members = 2
[[method]]; name = "pixels"; kind = "class-gaussian"
[[method]]; name = "layer"; output = "gaussian"
`
	tables := studytest.Run(t, Kind, text, "sweep.seed=[2]", `unknown.scores=["probability", "entropy",
			"mutual-information", "first-layer-variance",
			"relative-mahalanobis", "density", "combined"]`)
	curve := studytest.Run(t, Kind, text, `unknown.scores=["entropy"]`).Get("risk_coverage")
	check.Equal(t, "the only score", curve.Distinct("confidence"), []string{"entropy"})
	for name, want := range map[string][]string{
		"probability":          {"ours", "filter", "six", "tagi", "pixels", "layer"},
		"mutual-information":   {"six", "tagi"},
		"first-layer-variance": {"ours", "six", "tagi"}, "relative-mahalanobis": {"ours", "six", "tagi"},
		"density": {"pixels", "layer"}, "combined": {"ours", "six", "tagi", "layer"},
	} {
		got := tables.Get("summary").Where("confidence", name)
		check.Equal(t, name, got.Distinct("method"), want)
		check.Equal(t, name+" of unseen classes", got.Where("data", "unseen").Len(), len(want))
	}
}

// scored returns a learner of inputs that are not scaled.
func scored(c *learner.Classifier, train *data.Examples) *scorer {
	return &scorer{Result: &learner.Result{Classifier: c, Scaler: check.Must(train.Scaler(dataset.None))}}
}

// The scores of layers are those of the weights and the hidden means, by hand.
func TestScoresByHand(t *testing.T) {
	model := learner.DefaultModel()
	model.Layers, model.Members = []int{2, 3, 3}, 2
	networks := check.Must(model.Mixture(random.Source("scores")))
	l := learner.NewClassifier(&learner.Network{Model: networks}, 3)
	set := studytest.Clusters(60)
	for i, x := range set.X {
		l.Observe(x, set.Class[i])
	}
	train := dataset.NewExamples(set, 3)
	m := scored(l, train)
	m.fitHidden(train)
	x := []float64{2, -3}
	got := m.predict(dataset.NewExamples(data.Set{X: [][]float64{x}, Class: []int{1}}, 3))
	var p bnn.Prediction
	check.OK(t, networks.Predict(&p, x))
	one, two, best := &p.Members[0], &p.Members[1], p.Class()
	wrong := math.Sqrt((1 - one.P[best]/one.Sum()) * (1 - two.P[best]/two.Sum()))
	want := map[score]float64{confidence: 1 - wrong}
	for _, n := range networks.Members() {
		hidden := func(x []float64) []float64 {
			var p bnn.Prediction
			check.OK(t, n.Predict(&p, x))
			return p.Layers[1].Input
		}
		classes := check.Must(classgaussian.New(classgaussian.Config{}, 3, 3, nil))
		overall := check.Must(classgaussian.New(classgaussian.Config{}, 3, 1, nil))
		for i, xi := range set.X {
			check.OK(t, classes.Observe(hidden(xi), set.Class[i]))
			check.OK(t, overall.Observe(hidden(xi), 0))
		}
		d, d0 := make([]float64, 3), make([]float64, 1)
		check.OK(t, classes.Distances(d, hidden(x)))
		check.OK(t, overall.Distances(d0, hidden(x)))
		want[mahalanobis] += (d0[0] - floats.Min(d)) / 2
		_, cov := n.Weights(0)
		y := mat.NewVecDense(3, append(append([]float64{}, x...), 1))
		for j := range cov {
			want[firstLayer] -= math.Log(mat.Inner(y, cov[j], y)) / 3 / 2
		}
	}
	for s, w := range want {
		check.Near(t, string(s), got.by[s][0], w, 1e-8*(1+math.Abs(w)))
	}
}

// The combined score of a network has the p-values of all examples for validation, whatever their classes.
func TestCombined(t *testing.T) {
	log := func(a, b float64) float64 { return math.Log(a) + math.Log(b) }
	m := new(scorer)
	combine := func(a, b []float64) []float64 {
		p := predictions{wrong: make([]bool, len(a)), by: map[score][]float64{entropy: a, firstLayer: b}}
		m.combine(p)
		return p.by[combined]
	}
	a, b := []float64{1, 2, 2, 5}, []float64{-1, -2, -3, -4}
	first := combine(a, b)
	m.validation.by = map[score][]float64{entropy: a, firstLayer: b}
	next := combine([]float64{0, 9}, []float64{-9, 9})
	check.NearAll(t, "validation", first, []float64{log(.4, 1), log(.8, .8), log(.8, .6), log(1, .4)}, 1e-14)
	check.NearAll(t, "others", next, []float64{log(.2, .2), 0}, 1e-14)
}

// The combined score of an output layer is its familiarity, 0 where the class had too few examples.
func TestLayer(t *testing.T) {
	layer := check.Must(readout.New(readout.Config{Kind: readout.Gaussian, Inputs: 2, Classes: 3}))
	l := learner.NewClassifier(&learner.Network{Model: layer}, 3)
	set := studytest.Clusters(60)
	for i, x := range set.X {
		if set.Class[i] < 2 || i < 15 {
			l.Observe(x, set.Class[i])
		}
	}
	got := scored(l, dataset.NewExamples(set, 3)).predict(dataset.NewExamples(set, 3))
	var top []int
	for _, q := range l.Probabilities(set.X) {
		top = append(top, floats.MaxIdx(q))
	}
	p, log, err := layer.Familiarity(set.X, top)
	check.OK(t, err)
	for i := range p {
		few := math.IsNaN(p[i])
		check.Equal(t, "too few examples", few, top[i] == 2)
		if few {
			p[i] = 0
		}
	}
	check.NearAll(t, "familiarity", got.by[combined], p, 0)
	check.NearAll(t, "density", got.by[density], log, 0)
	have := (&tables{spec: spec{Unknown: settings{Scores: scores}}}).scores(got)
	check.Equal(t, "scores", have, []score{probability, confidence, entropy, density, combined})
}
