package unknown

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/stat"

	"closedform/core/bnn"
	"closedform/core/random"
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
	networks, err := model.Mixture(random.Source("scores"))
	if err != nil {
		t.Fatal(err)
	}
	l := learner.NewTolerant(&learner.Network{Model: networks}, 3)
	set := studytest.Clusters(60)
	for i, x := range set.X {
		_ = l.Observe(x, set.Class[i])
	}
	train := dataset.NewExamples(set, 3)
	wanted := []score{entropy, firstLayer, mahalanobis, logitVariance, relativeLogit}
	m, err := newMonitor(l, settings{Scores: wanted}, train)
	if err != nil {
		t.Fatal(err)
	}
	x := []float64{2, -3}
	got := m.predict(dataset.NewExamples(data.Set{X: [][]float64{x}, Class: []int{1}}, 3))
	want := map[score]float64{}
	for _, n := range networks.Members() {
		var p bnn.Prediction
		hidden := func(x []float64) []float64 {
			if err := n.Predict(&p, x); err != nil {
				t.Fatal(err)
			}
			return append([]float64{}, p.Layers[1].Input...)
		}
		var rows, within []float64
		means := make([][]float64, 3)
		for c := range means {
			var of []float64
			for i, xi := range set.X {
				if set.Class[i] == c {
					of = append(of, hidden(xi)...)
				}
			}
			matrix := mat.NewDense(len(of)/3, 3, of)
			for j := range 3 {
				means[c] = append(means[c], stat.Mean(mat.Col(nil, j, matrix), nil))
			}
			for i := range of {
				within = append(within, of[i]-means[c][i%3])
			}
			rows = append(rows, of...)
		}
		var overall []float64
		for j := range 3 {
			overall = append(overall, stat.Mean(mat.Col(nil, j, mat.NewDense(60, 3, rows)), nil))
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
		want[mahalanobis] += (distance(overall, about(rows)) - least) / 2
		_, cov := n.Weights(0)
		y := mat.NewVecDense(3, append(append([]float64{}, x...), 1))
		for j := range cov {
			want[firstLayer] -= math.Log(mat.Inner(y, cov[j], y)) / 3 / 2
		}
		for _, v := range p.Variance {
			want[logitVariance] -= v / 3 / 2
		}
		for _, v := range p.Variance {
			want[relativeLogit] -= v / 3 / mat.Dot(mat.NewVecDense(3, h), mat.NewVecDense(3, h)) / 2
		}
	}
	for s, w := range want {
		check.Near(t, string(s), got.by[s][0], w, 1e-8*(1+math.Abs(w)))
	}
}

// The combined score is the sum of the logarithms of the shares of the first examples that
// score no more; these do not change with those that follow.
func TestCombined(t *testing.T) {
	m := &monitor{settings: settings{Combine: []score{entropy, firstLayer}}}
	by := map[score][]float64{entropy: {1, 2, 2, 5}, firstLayer: {-1, -2, -3, -4}}
	first := predictions{p: make([][]float64, 4), by: by}
	m.combine(&first)
	log := func(shares ...float64) (sum float64) {
		for _, s := range shares {
			sum += math.Log(s / 5)
		}
		return sum
	}
	want := []float64{log(2, 5), log(4, 4), log(4, 3), log(5, 2)}
	check.NearAll(t, "validation", first.by[combined], want, 1e-14)
	next := predictions{p: make([][]float64, 2), by: map[score][]float64{entropy: {0, 9}, firstLayer: {-9, 9}}}
	m.combine(&next)
	check.NearAll(t, "others", next.by[combined], []float64{log(1, 1), log(5, 5)}, 1e-14)
	alone := predictions{p: make([][]float64, 1), by: map[score][]float64{entropy: {0}}}
	m.combine(&alone)
	if alone.by[combined] != nil {
		t.Error("one score combined")
	}
}

// A learner of two classes whose layer shows an input far from all as such, by each score
// that is about the input.
func TestFarInput(t *testing.T) {
	rnd := rand.New(random.Source("far"))
	set := data.Set{}
	for i := range 200 {
		set.X = append(set.X, []float64{float64(i%2)*4 - 2 + 0.5*random.Normal(rnd), 0.5 * random.Normal(rnd)})
		set.Class = append(set.Class, i%2)
	}
	model := learner.DefaultModel()
	model.Layers = []int{2, 10, 2}
	l, err := model.Learner(random.Source("far"))
	if err != nil {
		t.Fatal(err)
	}
	for i, x := range set.X {
		_ = l.Observe(x, set.Class[i])
	}
	m, err := newMonitor(l, settings{Scores: []score{firstLayer, mahalanobis}}, dataset.NewExamples(set, 2))
	if err != nil {
		t.Fatal(err)
	}
	got := m.predict(dataset.NewExamples(data.Set{X: [][]float64{{2, 0}, {2, 12}}, Class: []int{1, 1}}, 2))
	for _, s := range got.scores {
		if !(got.by[s][0] > got.by[s][1]) {
			t.Errorf("%v: %g near, %g far", s, got.by[s][0], got.by[s][1])
		}
	}
}
