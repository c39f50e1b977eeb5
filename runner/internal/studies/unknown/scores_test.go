package unknown

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/core/random"
	"closedform/core/readout"
	"closedform/internal/check"
	"closedform/runner/dataset"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study/studytest"
)

// The scores of layers are those of the weights and the hidden means, by gonum.
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
	m := monitor{Classifier: l, scores: []score{firstLayer, mahalanobis}}
	m.observeHidden(train)
	x := []float64{2, -3}
	got := m.predict(dataset.NewExamples(data.Set{X: [][]float64{x}, Class: []int{1}}, 3))
	want := map[score]float64{}
	for _, n := range networks.Members() {
		var p bnn.Prediction
		hidden := func(x []float64) []float64 {
			check.OK(t, n.Predict(&p, x))
			return append([]float64{}, p.Layers[1].Input...)
		}
		var rows, within []float64
		centre := func(rows []float64) (mean []float64) {
			for j := range 3 {
				mean = append(mean, stat.Mean(mat.Col(nil, j, mat.NewDense(len(rows)/3, 3, rows)), nil))
			}
			return mean
		}
		means := make([][]float64, 3)
		for c := range means {
			var of []float64
			for i, xi := range set.X {
				if set.Class[i] == c {
					of = append(of, hidden(xi)...)
				}
			}
			means[c] = centre(of)
			for i := range of {
				within = append(within, of[i]-means[c][i%3])
			}
			rows = append(rows, of...)
		}
		about := func(rows []float64) *mat.Cholesky {
			cov := mat.NewSymDense(3, nil)
			stat.CovarianceMatrix(cov, mat.NewDense(60, 3, rows), nil)
			cov.ScaleSym(59./60, cov)
			level := mat.Trace(cov) / 3
			cov.ScaleSym(1-1e-3, cov)
			for j := range 3 {
				cov.SetSym(j, j, cov.At(j, j)+1e-3*level)
			}
			var root mat.Cholesky
			root.Factorize(cov)
			return &root
		}
		h := hidden(x)
		distance := func(mean []float64, root *mat.Cholesky) float64 {
			d := stat.Mahalanobis(mat.NewVecDense(3, h), mat.NewVecDense(3, mean), root)
			return d * d
		}
		least := math.Inf(1)
		for _, mean := range means {
			least = min(least, distance(mean, about(within)))
		}
		want[mahalanobis] += (distance(centre(rows), about(rows)) - least) / 2
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

// The combined score of a network has the p-values of all first examples, whatever their classes; these do not
// change with those that follow.
func TestCombined(t *testing.T) {
	log := func(a, b float64) float64 { return math.Log(a) + math.Log(b) }
	m := &monitor{parts: []score{entropy, firstLayer}}
	of := func(a, b []float64) predictions {
		return predictions{p: make([][]float64, len(a)), by: map[score][]float64{entropy: a, firstLayer: b}}
	}
	first := of([]float64{1, 2, 2, 5}, []float64{-1, -2, -3, -4})
	m.combine(&first)
	next := of([]float64{0, 9}, []float64{-9, 9})
	m.combine(&next)
	check.NearAll(t, "validation", first.by[combined], []float64{log(.4, 1), log(.8, .8), log(.8, .6), log(1, .4)}, 1e-14)
	check.NearAll(t, "others", next.by[combined], []float64{log(.2, .2), 0}, 1e-14)
}

// The combined score of an output layer is its familiarity, 0 where too few examples of the class were learned.
func TestLayer(t *testing.T) {
	layer := check.Must(readout.New(readout.Config{Kind: readout.Gaussian, Inputs: 2, Classes: 3}))
	l := learner.NewClassifier(&learner.Network{Model: layer}, 3)
	set := studytest.Clusters(60)
	for i, x := range set.X {
		if set.Class[i] < 2 || i < 15 {
			l.Observe(x, set.Class[i])
		}
	}
	m := monitor{Classifier: l, scores: scores}
	got := m.predict(dataset.NewExamples(set, 3))
	var top []int
	for _, q := range got.p {
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
	check.Equal(t, "scores", got.scores, []score{probability, entropy, density, combined})
}
