package posterior

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/laplace"
	"closedform/baselines/learners/perceptron"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/runner/internal/data"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/study/studytest"
)

// The prior of a perceptron is that of the difference of the logits; the first class is the positive one.
func TestPerceptron(t *testing.T) {
	m := studytest.New(t, Kind, example).(*experiment).Model
	prior := laplace.Prior{Mean: []float64{1, 2, 3, 0.5, -1, 4}, Var: slices.Repeat([]float64{0.7}, 6)}
	p := newPerceptron(perceptron.ADF, m, prior)
	mean, cov := p.Weights()
	check.NearAll(t, "mean", mean, []float64{0.5, 3, -1}, 1e-15)
	for i := range mean {
		check.Near(t, "variance", cov.At(i, i), 1.4, 1e-15)
	}
	l, x := learner.NewClassifier(p, 2), [][]float64{{1, -1}}
	before := l.Probabilities(x)[0]
	l.Observe(x[0], 0)
	if after := l.Probabilities(x)[0]; !(after[0] > before[0]) || math.Abs(floats.Sum(after)-1) > 1e-15 {
		t.Errorf("probabilities %v, after an example of the first class %v", before, after)
	}
	l.Observe([]float64{1e200, 0}, 0)
	if got := l.Probabilities(x)[0]; !l.Steps().Failed || got[0] != 0.5 {
		t.Errorf("after an overflow %v, %+v", got, l.Steps())
	}

	m.Lambda.Word, m.Lambda.Number = "", 0.1
	huber := newPerceptron(perceptron.Huber, m, prior)
	for i := range 6 {
		check.OK(t, huber.Observe([]float64{0.5, 0.5}, i%2))
	}
	if s := huber.Steps(); s.Indefinite == 0 || s.Skipped != s.Indefinite || s.Projected != 0 {
		t.Errorf("a perceptron without ground to stand on: %+v", s)
	}
}

// The moments of Huber's perceptron are those of its own step: the mean moves by Cov(a, y)/Var y · (y − p)
// and the variance falls by Cov(a, y)²/Var y.
func TestHuberMoments(t *testing.T) {
	for _, c := range []struct{ lambda, m, v float64 }{{0.6, 0.3, 9}, {0.2, -2, 200}, {1.5, 0, 4}} {
		p, cross, variance := huberMoments(c.lambda, c.m, c.v)
		for y, positive := range []bool{false, true} {
			cfg, v := perceptron.Config{Rule: perceptron.Huber, Lambda: c.lambda}, mat.NewDiagDense(1, []float64{c.v})
			neuron := perceptron.New(cfg, []float64{c.m}, v)
			before := check.Must(neuron.Predict([]float64{1}))
			check.Near(t, "p", p, before.Positive, 1e-15)
			check.Must(neuron.Observe([]float64{1}, positive))
			mean, cov := neuron.Weights()
			name := fmt.Sprintf("%+v after %d", c, y)
			check.Near(t, name+": step", cross/variance*(float64(y)-p), mean[0]-c.m, 1e-12)
			check.Near(t, name+": fall", cross*cross/variance, c.v-cov.At(0, 0), 1e-11)
		}
	}
}

// The tables have the paper's rule, and no other; one that has broken down has no beliefs to compare.
func TestPaper(t *testing.T) {
	agreement, state := tables(t).Get("agreement"), tables(t).Get("state")
	check.Equal(t, "methods of agreement", agreement.Distinct("method"), []string{"fail"})
	check.Equal(t, "methods of state", state.Distinct("method"), []string{"fail"})
	size := state.Nums("bytes")[0]
	for i, seed := range agreement.Texts("seed") {
		failed := number(t, "curve", "method=fail seed="+seed+" k="+agreement.Texts("k")[i], "failed") == 1
		p, cross := agreement.Nums("p_gap")[i], agreement.Nums("cross_gap")[i]
		variance := agreement.Nums("variance_gap")[i]
		none := math.IsNaN(p) && math.IsNaN(cross) && math.IsNaN(variance)
		if none != failed || !failed && !(p < 1e-13 && cross < 1e-12 && variance > 0.01) {
			t.Errorf("row %d: gaps %g, %g, %g; broken down: %v", i, p, cross, variance, failed)
		}
		if state.Nums("twin_gap")[i] != 0 || state.Nums("bytes")[i] != size || size < 100 {
			t.Errorf("row %d: twin gap %g, %g bytes", i, state.Nums("twin_gap")[i], state.Nums("bytes")[i])
		}
	}
}

// Averages over a square are integrals: exact for what is linear in each input.
func TestSquare(t *testing.T) {
	s := newGrid(data.Generator{Name: "logistic"}.Task(), 7)
	var one, moment, second float64
	for i, x := range s.Points {
		one += s.weight[i]
		moment += s.weight[i] * (3 + x[0] - 2*x[1] + x[0]*x[1])
		second += s.weight[i] * x[0] * x[0]
	}
	check.Near(t, "1", one, 1, 1e-14)
	check.Near(t, "3 + x₁ − 2x₂ + x₁x₂", moment, 3, 1e-13)
	h := 10. / 6
	check.Near(t, "x₁²", second, 25./3+h*h/6, 1e-13) // with the error of the trapezoidal rule
	wedge := newGrid(data.Generator{Name: "wedges"}.Task(), 5)
	if wedge.truth[0] != nil || wedge.truth[12] != nil || !slices.Equal(wedge.truth[2], []float64{0, 1, 0}) {
		t.Errorf("truths of the wedges %v", wedge.truth)
	}
}

// The truth has the error rate of Bayes; equal probabilities are decided by lot.
func TestError(t *testing.T) {
	s := newGrid(data.Generator{Name: "logistic"}.Task(), 201)
	check.Near(t, "error", s.errorRate(s.truth), 0.15921444838015841, 1e-4)
	s = &grid{
		&data.Grid{Points: [][]float64{{0, 0}, {1, 0}, {0, 1}, {1, 1}}},
		[]float64{0.4, 0.1, 0.2, 0.3},
		[][]float64{{1, 0}, {0.3, 0.7}, nil, {0.5, 0.5}},
	}
	q := [][]float64{{0.9, 0.1}, {0.92, 0.08}, {1, 0}, {0.5, 0.5}}
	check.Near(t, "error", s.errorRate(q), (0.1*0.7+0.3*0.5)/0.8, 1e-14)
}

// The probabilities are those of softmax.Probit without variances.
func TestProbit(t *testing.T) {
	rnd := rand.New(random.Source("probit"))
	for _, n := range []int{2, 3, 4, 10} {
		q, want := newProbit(n), softmax.NewMoments(n)
		z, none := make([]float64, n), make([]float64, n)
		for scale := 0.0; scale < 6; scale++ {
			for j := range z {
				z[j] = scale * rnd.NormFloat64()
			}
			p := slices.Clone(z)
			q.normalise(slices.Collect(slices.Chunk(p, 1)))
			softmax.Probit{Lambda: softmax.SlopeLambda(n, 0.5), Rho: 0.5}.Moments(want, z, none)
			for j, w := range want.P {
				if w > 1e-7 {
					check.Near(t, "p", p[j]/w, 1, 1e-4)
				}
			}
		}
	}
}
