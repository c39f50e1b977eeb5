package laplace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

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
