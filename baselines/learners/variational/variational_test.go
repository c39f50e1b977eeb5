package variational

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/baselines/learners/mlp"
	"closedform/core/random"
	"closedform/internal/check"
)

// train returns the classifier with a prior variance v of every weight.
func train(v float64, x [][]float64, class []int, inputs, n int) *Model {
	return check.Must(Fit(Config{Inputs: inputs, Classes: n, PriorVar: v * float64(inputs+1)}, x, class, nil))
}

// score sets grad to the derivatives of log softmax_class by the logits and returns its value.
func score(grad, logit []float64, class int) float64 {
	copy(grad, logit)
	top, sum := mlp.Exponentials(grad)
	floats.Scale(-1/sum, grad)
	grad[class]++
	return logit[class] - top - math.Log(sum)
}

func TestLearner(t *testing.T) {
	cfg := Config{Inputs: 2, Classes: 3, PriorVar: 10}
	check.Learner(t, 0.1, func(x [][]float64, class []int, src rand.Source) (check.Predictor, error) {
		return Fit(cfg, x, class, src)
	})
}

// The quadratic function that touches a likelihood at one point is below it at all others.
func TestBound(t *testing.T) {
	rnd := rand.New(random.Source("bound"))
	for trial := range 3000 {
		n := 2 + trial%5
		at, z := make([]float64, n), make([]float64, n)
		scale := math.Exp(2 * rnd.NormFloat64())
		for j := range at {
			at[j] = 2 * rnd.NormFloat64()
			z[j] = at[j] + scale*rnd.NormFloat64()
		}
		slope := make([]float64, n)
		value := score(slope, at, trial%n)
		d := floats.SubTo(make([]float64, n), z, at)
		centred := slices.Clone(d)
		floats.AddConst(-floats.Sum(d)/float64(n), centred)
		lower := value + floats.Dot(slope, d) - curvature*floats.Dot(centred, centred)/2
		got := score(make([]float64, n), z, trial%n)
		if !(got >= lower-1e-8*(1+math.Abs(lower))) {
			t.Errorf("log likelihood %g at %v, bound from %v is %g", got, z, at, lower)
		}
	}
	// And it has no slack: for two classes Böhning's curvature is reached at the origin.
	g, z := make([]float64, 2), []float64{1e-3, -1e-3}
	value := score(g, []float64{0, 0}, 0)
	if got, want := score(make([]float64, 2), z, 0), value+floats.Dot(g, z)-curvature*floats.Dot(z, z)/2; !(math.Abs(got-want) < 1e-12) {
		t.Errorf("at the origin the bound is off by %g", got-want)
	}
}

// elbo is the lower bound by its definition, for any means (classes × inputs) and a
// covariance of the weights of all classes, class by class.
func elbo(v float64, x [][]float64, class []int, mean *mat.Dense, cov *mat.SymDense) float64 {
	n, in := mean.Dims()
	var sum float64
	for k, at := range x {
		at = append(slices.Clone(at), 1)
		z := mat.NewVecDense(n, nil)
		z.MulVec(mean, mat.NewVecDense(in, at))
		sum += score(make([]float64, n), z.RawVector().Data, class[k])
		for i := range n {
			for j := range n {
				a := -curvature / float64(n)
				if i == j {
					a += curvature
				}
				for p, xp := range at {
					for q, xq := range at {
						sum -= a / 2 * xp * xq * cov.At(i*in+p, j*in+q)
					}
				}
			}
		}
	}
	data := mean.RawMatrix().Data
	var chol mat.Cholesky
	chol.Factorize(cov)
	d := float64(n * in)
	return sum - ((mat.Trace(cov)+floats.Dot(data, data))/v-d+d*math.Log(v)-chol.LogDet())/2
}

// cov returns S, the covariance of the weights of a class.
func (m *Model) cov() *mat.SymDense {
	n := len(m.x)
	s := mat.NewSymDense(n, nil)
	for i := range n {
		column := make([]float64, n)
		column[i] = m.priorVar
		m.factor.Solve(column)
		m.factor.SolveT(column)
		for j := range i + 1 {
			s.SetSym(i, j, column[j])
		}
	}
	return s
}

// covariance returns that of the weights of all classes.
func (m *Model) covariance() *mat.SymDense {
	s := m.cov()
	n, in := m.weights.Dims()
	all := mat.NewSymDense(n*in, nil)
	for i := range n {
		for j := range n {
			for p := range in {
				for q := range in {
					if i*in+p > j*in+q {
						continue
					}
					var c float64
					if i == j {
						c = s.At(p, q)
					}
					all.SetSym(i*in+p, j*in+q, c)
				}
			}
		}
	}
	return all
}

// Neither other means nor another covariance make the ELBO larger.
func TestELBO(t *testing.T) {
	x, class, _ := check.Clusters(25, 2, 3, "definition")
	rnd := rand.New(random.Source("perturb"))
	const v = 2
	m := train(v, x, class, 2, 3)
	cov := m.covariance()
	best := elbo(v, x, class, m.weights, cov)
	for range 20 {
		mean := mat.DenseCopyOf(m.weights)
		for i := range mean.RawMatrix().Data {
			mean.RawMatrix().Data[i] += 0.01 * rnd.NormFloat64()
		}
		if got := elbo(v, x, class, mean, cov); !(got < best) {
			t.Errorf("ELBO %.15g at other means, %.15g at the maximum", got, best)
		}
		other := mat.NewSymDense(9, nil)
		other.CopySym(cov)
		i, j := rnd.IntN(9), rnd.IntN(9)
		j = i/3*3 + j%3 // stay independent between classes
		step := 0.03 * math.Sqrt(cov.At(i, i)*cov.At(j, j)) * float64(1-2*rnd.IntN(2))
		other.SetSym(i, j, other.At(i, j)+step)
		if got := elbo(v, x, class, m.weights, other); !(got < best) {
			t.Errorf("ELBO %.15g for another covariance, %.15g at the maximum", got, best)
		}
	}
}

// Without examples the posterior is the prior.
func TestPrior(t *testing.T) {
	m := train(5, nil, nil, 2, 4)
	if !mat.EqualApprox(m.cov(), mat.NewDiagDense(3, []float64{5, 5, 5}), 1e-13) {
		t.Errorf("covariance %v", m.cov())
	}
	for j, p := range check.Predict(t, m, 4, 3, -1) {
		if !(math.Abs(p-0.25) < 1e-8) {
			t.Errorf("class %d has %g", j, p)
		}
	}
}

func TestConfig(t *testing.T) {
	check.Keys(t, map[string]Config{"prior_var": {PriorVar: math.NaN()}})
	for want, cfg := range map[string]Config{"layers": {Inputs: 1, Classes: 1}, "singular": {Inputs: 1, Classes: 2, PriorVar: 1e12}} {
		if _, err := Fit(cfg, [][]float64{{1e3}, {1e3}}, []int{0, 0}, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: error %v", want, err)
		}
	}
	// PriorVar is divided by the inputs and the bias.
	m, err := Fit(Config{Inputs: 2, Classes: 2, PriorVar: 6}, nil, nil, nil)
	if err != nil || !scalar.EqualWithinAbs(m.cov().At(0, 0), 2, 1e-14) {
		t.Errorf("prior variance %v, error %v", m.cov(), err)
	}
}
