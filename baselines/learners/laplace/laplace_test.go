package laplace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

func TestLearner(t *testing.T) {
	for rule, layers := range map[Predictive][]int{
		Probit: {2, 6, 3}, MonteCarlo: {2, 5, 4, 3}, PlugIn: {2, 3},
	} {
		cfg := Config{PriorVar: 10, LaplaceVar: 1, Predictive: rule}
		check.Learner(t, 0.2, func(x [][]float64, class []int, src rand.Source) (check.Predictor, error) {
			return Fit(cfg, layers, x, class, src)
		})
	}
}

// A prior that is sure of zero weights makes the uniform prediction, as does no
// data; and more data make the logits more certain.
func TestLimits(t *testing.T) {
	x, class := clusters(400, "limits")
	uniform := []float64{0.25, 0.25, 0.25, 0.25}
	for _, layers := range [][]int{{3, 4}, {3, 6, 4}, {3, 5, 4, 4}} {
		name, cfg := fmt.Sprint(layers), Config{PriorVar: 1e-9}
		narrow := fit(cfg, layers, x, class)
		check.NearAll(t, name+" with a narrow prior", predict(t, narrow, x[0]), uniform, 1e-4)
		cfg.PriorVar = 4
		check.NearAll(t, name+" without examples", predict(t, fit(cfg, layers, nil, nil), x[0]), uniform, 1e-3)
		if len(layers) > 2 {
			continue
		}
		last := math.Inf(1)
		for _, n := range []int{0, 10, 100, 400} {
			m := fit(cfg, layers, x[:n], class[:n])
			check.OK(t, m.Predict(make([]float64, m.network.Outputs()), x[0]))
			c := m.logits.cov
			v := c.At(0, 0) + c.At(1, 1) - 2*c.At(0, 1)
			if n == 0 {
				check.Near(t, "variance of a difference of logits, prior", v, 2*(1+floats.Dot(x[0], x[0])), 1e-9)
			}
			check.True(t, v < last, "%s: variance %g after %d examples, %g before", name, v, n, last)
			last = v
		}
	}
}

// A LaplaceVar of zero is PriorVar, and it moves no mode.
func TestLaplaceVar(t *testing.T) {
	x, class := clusters(50, "variance")
	cfg, layers := Config{PriorVar: 3}, []int{3, 5, 4}
	same := fit(cfg, layers, x, class)
	for _, cfg.LaplaceVar = range []float64{3, 0.1} {
		m := fit(cfg, layers, x, class)
		check.Equal(t, "weights of the mode", m.weights, same.weights)
		equal := floats.Equal(predict(t, m, x[0]), predict(t, same, x[0]))
		check.Equal(t, fmt.Sprint("same prediction, variance ", cfg.LaplaceVar), equal, cfg.LaplaceVar == 3)
	}
}

func TestErrors(t *testing.T) {
	check.Keys(t, map[string]Config{
		"prior_var":   {PriorVar: -1},
		"laplace_var": {LaplaceVar: math.Inf(1)},
		"predictive":  {Predictive: "none"},
	})
	check.Refuses(t, "one class", check.Err(Fit(Config{}, []int{2, 1}, nil, nil, random.Source())))
	m := fit(Config{}, []int{2, 3}, [][]float64{{1, 2}}, []int{0})
	p := make([]float64, 3)
	check.Refuses(t, "an infinite covariance", m.Predict(p, []float64{1e200, 1e200}))
	m.cfg.Predictive, m.weights[0] = PlugIn, -1e10
	check.Refuses(t, "a logit of −1e310", m.Predict(p, []float64{1e300, 0}))
}

func clusters(n int, name string) (x [][]float64, class []int) {
	x, class, _ = check.Clusters(n, 3, 4, name)
	return x, class
}

func fit(cfg Config, layers []int, x [][]float64, class []int) *Model {
	return check.Must(Fit(cfg, layers, x, class, random.Source("laplace", "fit")))
}

func predict(t testing.TB, m *Model, x []float64) []float64 {
	t.Helper()
	return check.Predict(t, m, m.network.Outputs(), x...)
}

// For two classes probit has a closed form, and Monte Carlo the integral's value within five standard errors,
// here of 10⁵ pairs whose deviation is at most ½. Neither depends on what the logits have in common.
func TestTwoClasses(t *testing.T) {
	rnd := rand.New(random.Source("laplace", "two"))
	normal := random.Normals(rnd, 2e5)
	for range 20 {
		mean, root := random.Normals(rnd, 2), mat.NewDense(2, 4, random.Normals(rnd, 8))
		root.Scale(1.5, root)
		root.SetCol(3, []float64{5, 5})
		floats.AddConst(7, mean)
		cov := mat.NewSymDense(2, nil)
		cov.SymOuterK(1, root)
		m, v := mean[0]-mean[1], cov.At(0, 0)+cov.At(1, 1)-2*cov.At(0, 1)
		want := softmax.NewMoments(2)
		softmax.Exact{}.Moments(want, []float64{m, 0}, []float64{v, 0})
		s, p := newLogits(mean, cov), make([]float64, 2)
		s.probit(p)
		check.Near(t, "probit", p[0], 1/(1+math.Exp(-m/math.Sqrt(1+math.Pi/8*v))), 1e-12)
		check.Near(t, "probit and the integral", p[0], want.P[0], 0.02) // MacKay's formula is off by at most .018
		s.monteCarlo(p, normal)
		check.Near(t, "Monte Carlo", p[0], want.P[0], 5*0.5/math.Sqrt(1e5))
	}
}

// shapes are models of all kinds: with and without bias and hidden layers.
func shapes() []Prior {
	var models []Prior
	for _, layers := range [][]int{{1, 2}, {2, 3}, {3, 1, 2}, {2, 4, 3}, {2, 3, 5, 4}} {
		for _, bias := range []bool{false, true} {
			m := Prior{Layers: layers, Bias: bias}
			rnd := rand.New(random.Source("shapes", len(models)))
			for range mlp.New(m.Layers, m.Bias).Weights() {
				m.Mean = append(m.Mean, rnd.NormFloat64())
				m.Var = append(m.Var, rnd.ExpFloat64()+0.1)
			}
			models = append(models, m)
		}
	}
	return models
}

// The gradient is that of the value, which TestAgainstQuadrature knows. The information is the negative Hessian
// by the weights of the last layer.
func TestLogDensity(t *testing.T) {
	for _, m := range shapes() {
		rnd := rand.New(random.Source("density"))
		name := fmt.Sprintf("%v, bias %t: ", m.Layers, m.Bias)
		for _, examples := range []int{0, 1, 20} {
			var x [][]float64
			var class []int
			for range examples {
				x = append(x, random.Normals(rnd, m.Layers[0]))
				class = append(class, rnd.IntN(m.Layers[len(m.Layers)-1]))
			}
			p, n := problem(m, x, class), len(m.Mean)
			w, gradient, hessian := random.Normals(rnd, n), make([]float64, n), mat.NewDense(n, n, nil)
			p.logDensity(gradient, w)
			check.NoAllocs(t, "a gradient", func() { p.logDensity(gradient, w) })
			density := func(at []float64) float64 { return p.logDensity(make([]float64, n), at) }
			slope := fd.Gradient(nil, density, w, &fd.Settings{Formula: fd.Central})
			check.NearAll(t, name+"derivative", gradient, slope, 1e-7)
			offset := p.network.Layers[len(m.Layers)-2].Offset
			got := mat.NewSymDense(n-offset, nil)
			p.information(got, w)
			score := func(g, w []float64) { p.logDensity(g, w) }
			fd.Jacobian(hessian, score, w, &fd.JacobianSettings{Formula: fd.Central})
			hessian.Scale(-1, hessian)
			check.NearMatrix(t, name+"information", got, hessian.Slice(offset, n, offset, n), 1e-7)
		}
	}
}

// wedges draws n examples of the task of the paper's experiment on [−2, 2]²:
// class 0 above both diagonals, class 1 below both, class 2 beside them.
func wedges(n int, src rand.Source) (x [][]float64, class []int) {
	rnd := rand.New(src)
	for range n {
		input := []float64{4*rnd.Float64() - 2, 4*rnd.Float64() - 2}
		c := 2
		if math.Abs(input[1]) > math.Abs(input[0]) {
			c = 0
			if input[1] < 0 {
				c = 1
			}
		}
		x, class = append(x, input), append(class, c)
	}
	return x, class
}

func problem(m Prior, x [][]float64, class []int) *Problem {
	return check.Must(NewProblem(m, x, class))
}

func sample(draws int, p *Problem, path ...any) *Sample {
	return check.Must(p.Sample(draws, random.Source(path...)))
}

// On the paper's task the draws are nearly as good as independent ones.
func TestEffectiveSampleSize(t *testing.T) {
	for _, n := range []int{0, 1, 10, 50, 400} {
		x, class := wedges(n, random.Source("toy", n))
		s := sample(4000, problem(Prior{Layers: []int{2, 3}}, x, class), "importance", n)
		check.True(t, s.ESS >= 3000, "%d examples: effective sample size %.0f of 4000", n, s.ESS)
	}
}

// Many seeds against quadrature over the difference of two weights: errors are of the size that is
// reported.
func TestAgainstQuadrature(t *testing.T) {
	x, class := [][]float64{{1.5}, {-0.7}, {2}, {0.3}, {-2.5}}, []int{0, 1, 0, 1, 0}
	p := problem(Prior{Layers: []int{1, 2}, Mean: []float64{0.5, -0.25}, Var: []float64{1.5, 0.5}}, x, class)
	sigmoid := func(d float64) float64 { return 1 / (1 + math.Exp(-d)) }
	want := func(input float64) float64 {
		var z, first float64
		for u := -8.5; u < 8.5; u += 17. / 2000 {
			d, w := 0.75+math.Sqrt2*u, math.Exp(-u*u/2) // d ~ N(0.75, 2)
			for k, example := range x {
				w *= sigmoid(float64(1-2*class[k]) * d * example[0])
			}
			z += w
			first += w * sigmoid(d*input)
		}
		return first / z
	}
	var chi, terms float64
	for seed := range 25 {
		s := sample(1000, p, "quadrature", seed)
		for _, input := range []float64{-1, 0.2, 3} {
			p, stderr, err := s.Predict([][]float64{{input}})
			check.OK(t, err)
			z := (p[0][0] - want(input)) / stderr[0][0]
			check.True(t, math.Abs(z) < 5, "seed %d, input %g: %g ± %g", seed, input, p, stderr)
			chi += z * z
			terms++
		}
	}
	mean := chi / terms
	check.True(t, mean > 0.5 && mean < 1.7, "mean squared z-score %.2f; want about 1", mean)
}

// Where the sample would be bad, or the arithmetic fails, there is an error.
func TestSampleRefuses(t *testing.T) {
	// Many weights, and examples that say something about each.
	x, class := make([][]float64, 30), make([]int, 30)
	for k := range x {
		x[k], class[k] = make([]float64, 30), k%5
		x[k][k] = 3
	}
	s, err := problem(Prior{Layers: []int{30, 5}}, x, class).Sample(1000, random.Source("refuse"))
	check.Refuses(t, "many weights", err, "need 100: use fewer examples, or more draws")
	check.True(t, s == nil, "a sample beside the error")
	for _, scale := range []float64{1e20, 1e154, 1e300} {
		x, class, _ := check.Clusters(30, 2, 3, "overflow")
		for _, input := range x {
			input[0] *= scale
			input[1] *= scale
		}
		s, err := problem(Prior{Layers: []int{2, 3}}, x, class).Sample(4000, random.Source("overflow"))
		check.True(t, s == nil && err != nil, "inputs of size %g: error %v", scale, err)
	}
	s = sample(100, problem(Prior{Layers: []int{1, 2}, Var: []float64{1e20, 1e20}}, nil, nil), "a")
	for _, x := range []float64{math.NaN(), 1e300} {
		_, _, err := s.Predict([][]float64{{x}})
		check.Refuses(t, fmt.Sprint("input ", x), err)
	}
	one := Prior{Layers: []int{1, 2}}
	check.Refuses(t, "NaN", check.Err(NewProblem(one, [][]float64{{math.NaN()}}, []int{0})), "input 0 is NaN")
	p := problem(one, nil, nil)
	short := Prior{Layers: []int{1, 2}, Mean: []float64{1}}
	check.Panics(t, "", "", func() { _, _ = NewProblem(short, nil, nil) })
	check.Panics(t, "", "", func() { _, _ = p.Sample(4, nil) })
	for draws, p := range map[int]*Problem{5: p, 2: p, 4: problem(Prior{Layers: []int{2, 2, 3}}, nil, nil)} {
		check.Refuses(t, fmt.Sprint(draws, " draws"), check.Err(p.Sample(draws, random.Source())))
	}
}
