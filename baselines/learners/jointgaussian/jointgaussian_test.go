package jointgaussian

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/diff/fd"
	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"closedform/core/bnn"
	"closedform/core/mvn"
	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

func TestLearner(t *testing.T) {
	for _, l := range []Likelihood{Exact, Probit} {
		check.Online(t, 0.2, func(src rand.Source) (*Model, error) {
			return New(Config{Likelihood: l, PriorFactor: 0.1}, 2, 3, src)
		})
	}
}

func TestExtremes(t *testing.T) {
	for _, size := range []float64{0, 1e-200, 1e10, 1e100, 1e200} {
		m := check.Must(New(Config{}, 2, 3, nil))
		check.Extremes(t, fmt.Sprint("inputs of ", size), m, size, func() []float64 {
			return slices.Concat(m.mean, m.cov)
		})
	}
}

// Logits that overflow are errors.
func TestOverflow(t *testing.T) {
	g := WithPrior(Exact, 1, 2, []float64{1e308, -1e308}, []float64{1, 1})
	for class := range 2 {
		check.Refuses(t, "logits", g.Observe([]float64{10}, class), "overflows")
	}
	check.Refuses(t, "logits", g.Predict(make([]float64, 2), []float64{10}), "overflows")
}

func TestErrors(t *testing.T) {
	check.Keys(t, map[string]Config{"likelihood": {Likelihood: "none"}, "prior_factor": {PriorFactor: -1}})
	check.Refuses(t, "one class", check.Err(New(Config{}, 2, 1, nil)), "2 to 25 classes")
	check.Refuses(t, "26 classes", check.Err(New(Config{}, 2, 26, nil)), "2 to 25 classes")
	check.Panics(t, "jointgaussian: ", "5 means", func() { WithPrior(Exact, 2, 2, make([]float64, 5), make([]float64, 5)) })
}

// draw returns means and a covariance of d differences with about this standard deviation.
func draw(rnd *rand.Rand, d int, sd float64) (m, s []float64) {
	root, cov := mat.NewDense(d, d, random.Normals(rnd, d*d)), mat.NewSymDense(d, nil)
	cov.SymOuterK(sd*sd/float64(d), root)
	m = random.Normals(rnd, d)
	for i := range d {
		m[i] *= sd
		for j := range d {
			s = append(s, cov.At(i, j))
		}
	}
	return m, s
}

// checkDerivatives compares the probability, and the derivatives of its logarithm by finite differences, with p.
func checkDerivatives(t *testing.T, o *orthant, m, s []float64, p func(m []float64) float64) {
	t.Helper()
	d := len(m)
	logP := func(m []float64) float64 { return math.Log(p(m)) }
	hessian, want := mat.NewSymDense(d, nil), fd.Gradient(nil, logP, m, &fd.Settings{Formula: fd.Central, Step: 1e-3})
	fd.Hessian(hessian, logP, m, &fd.Settings{Formula: fd.Central, Step: 0.02})
	g, h := make([]float64, d), make([]float64, d*d)
	check.True(t, o.derivatives(g, h, m, s), "d = %d", d)
	check.Near(t, "p", o.probability(m, s)/p(m), 1, 3e-3)
	noise, tol := o.noise, 6e-3
	if o.exact {
		noise, tol = 0, 4e-3
	}
	scale := func(i int) float64 { return math.Sqrt(s[i*d+i] + noise) }
	for i := range d {
		check.Near(t, fmt.Sprintf("s = %v: gradient", s), (g[i]-want[i])*scale(i), 0, tol)
		for j := range d {
			gap := (h[i*d+j] - hessian.At(i, j)) * scale(i) * scale(j)
			check.Near(t, fmt.Sprintf("s = %v: Hessian", s), gap, 0, 2e-2)
		}
	}
}

// The probability of the probit is that of package mvn.
func TestProbit(t *testing.T) {
	rnd := rand.New(random.Source("probit"))
	for d := 1; d <= 4; d++ {
		o := newOrthant(Probit, d)
		for _, sd := range []float64{0.3, 3} {
			m, s := draw(rnd, d, sd)
			scale := make([]float64, d) // of S + R/λ²
			for i := range d {
				scale[i] = math.Sqrt(s[i*d+i] + o.noise)
			}
			corr := check.Correlations(d, func(i, j int) float64 { return (s[i*d+j] + o.noise/2) / (scale[i] * scale[j]) })
			checkDerivatives(t, o, m, s, func(m []float64) float64 {
				x := make([]float64, d)
				for i := range x {
					x[i] = -m[i] / scale[i]
				}
				p, _ := mvn.CDF(x, corr)
				return p
			})
		}
	}
}

// The probability of the softmax is that of a product rule of many nodes.
func TestExact(t *testing.T) {
	rnd := rand.New(random.Source("exact"))
	for d := 1; d <= 3; d++ {
		o := newOrthant(Exact, d)
		for _, sd := range []float64{0.3, 1.5, 5} {
			m, s := draw(rnd, d, sd)
			o.factorise(s)
			factor := slices.Clone(o.c)
			checkDerivatives(t, o, m, s, func(m []float64) (p float64) {
				const side, step = 36, 0.4 // from −7 to 7
				y := make([]float64, d)
				for node := range int(math.Pow(side, float64(d))) {
					w, sum := math.Pow(step/math.Sqrt(2*math.Pi), float64(d)), 1.0
					for k, rest := 0, node; k < d; k, rest = k+1, rest/side {
						y[k] = float64(rest%side)*step - 7
						w *= math.Exp(-y[k] * y[k] / 2)
					}
					for k := range d {
						sum += math.Exp(m[k] + floats.Dot(factor[k*d:k*d+k+1], y[:k+1]))
					}
					p += w / sum
				}
				return p
			})
		}
	}
}

// Two classes depend on the difference of the logits alone, whose variance independent neurons keep as well.
func TestTwoClasses(t *testing.T) {
	for likelihood, rule := range map[Likelihood]bnn.OutputRule{Exact: bnn.ADFExact, Probit: bnn.ADF} {
		cfg := bnn.Default(2, 2)
		cfg.Output, cfg.PriorVar = rule, []float64{2}
		if likelihood == Exact {
			cfg.Softmax = softmax.Exact{}
		}
		network := check.Must(bnn.New(cfg, random.Source("unused")))
		g := check.Must(New(Config{Likelihood: likelihood, PriorFactor: 0.02}, 2, 2, nil))
		rnd := rand.New(random.Source("two"))
		var q bnn.Prediction
		p := make([]float64, 2)
		for range 30 {
			x, class := random.Normals(rnd, 2), rnd.IntN(2)
			check.OK(t, network.Predict(&q, x))
			check.OK(t, g.Predict(p, x))
			check.NearAll(t, string(likelihood), p, q.P, 1e-3)
			check.Must(network.Observe(x, class))
			check.OK(t, g.Observe(x, class))
		}
	}
}

// The first example meets independent logits: their moments given the class are those of package softmax.
func TestFirstExample(t *testing.T) {
	const inputs, classes = 2, 5
	x := []float64{0.5, -1.2, 1}
	rnd := rand.New(random.Source("first"))
	for likelihood, rule := range map[Likelihood]interface {
		Posterior(dst *softmax.Posterior, mean, variance []float64, class int)
	}{
		Exact: softmax.Exact{}, Probit: softmax.Probit{Lambda: softmax.SlopeLambda(classes, 0.5), Rho: 0.5},
	} {
		mean, variance := random.Normals(rnd, 3*classes), slices.Repeat([]float64{1.5}, 3*classes)
		g := WithPrior(likelihood, inputs, classes, mean, variance)
		logit := func(j int) (m, v float64) {
			count := 3 * classes
			for a := range x {
				m += g.mean[3*j+a] * x[a]
				for b := range x {
					v += g.cov[(3*j+a)*count+3*j+b] * x[a] * x[b]
				}
			}
			return m, v
		}
		m, v := make([]float64, classes), make([]float64, classes)
		for j := range classes {
			m[j], v[j] = logit(j)
		}
		want := softmax.NewPosterior(classes)
		rule.Posterior(want, m, v, 3)
		check.OK(t, g.Observe(x[:2], 3))
		for j := range classes {
			m, v := logit(j)
			check.Near(t, string(likelihood)+": mean", m, want.Mean[j], 5e-3)
			check.Near(t, string(likelihood)+": variance", v, want.Var[j], 2e-2)
		}
	}
}

// Without a bias, zero inputs say nothing: equal probabilities, and nothing is learned.
func TestZeroInputs(t *testing.T) {
	for _, l := range []Likelihood{Exact, Probit} {
		g := WithPrior(l, 2, 3, []float64{1, 2, 3, 4, 5, 6}, slices.Repeat([]float64{1}, 6))
		before, p := slices.Clone(g.mean), make([]float64, 3)
		check.OK(t, g.Predict(p, []float64{0, 0}))
		check.NearAll(t, string(l), p, []float64{1. / 3, 1. / 3, 1. / 3}, 1e-6)
		check.OK(t, g.Observe([]float64{0, 0}, 1))
		check.NearAll(t, string(l), g.mean, before, 0)
	}
}

// The covariance of the weights stays positive semidefinite, with the errors of the integrals, in a stream of
// nearly certain labels, which has the largest derivatives.
func TestDefinite(t *testing.T) {
	for _, classes := range []int{3, 6, 10} {
		for _, l := range []Likelihood{Exact, Probit} {
			rnd, g := rand.New(random.Source("definite", classes)), check.Must(New(Config{Likelihood: l}, 2, classes, nil))
			n, lowest := len(g.mean), 0.0
			for range 60 {
				x := random.Normals(rnd, 2)
				angle := math.Atan2(x[1], x[0]) + math.Pi
				check.OK(t, g.Observe(x, min(classes-1, int(float64(classes)*angle/(2*math.Pi)))))
				var eigen mat.EigenSym
				check.True(t, eigen.Factorize(mat.NewSymDense(n, slices.Clone(g.cov)), false), "no eigenvalues")
				values := eigen.Values(nil)
				lowest = min(lowest, values[0]/values[n-1])
			}
			check.True(t, lowest > -1e-12, "%s, %d classes: smallest eigenvalue over largest %g", l, classes, lowest)
		}
	}
}
