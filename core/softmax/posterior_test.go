package softmax

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/mvn"
	check "closedform/internal/checktest"
)

func TestPosteriorReference(t *testing.T) {
	for k, row := range check.Rows(t, "testdata/adf_probit.csv") {
		n := int(row[0])
		mean, variance, want := row[3:3+n], row[3+n:3+2*n], row[3+2*n:]
		got := NewPosterior(n)
		Probit{row[1], 0.5}.Posterior(got, mean, variance, int(row[2]))
		what := fmt.Sprintf("row %d: ", k)
		check.Near(t, what+"log p", got.LogP, want[0], 1e-9)
		check.NearAll(t, what+"mean", got.Mean, want[1:1+n], 1e-9)
		for j, x := range got.Var {
			w := want[1+n+j]
			check.True(t, scalar.EqualWithinRel(x, w, 1e-9), "%svariance of logit %d is %g, want %g", what, j, x, w)
		}
	}
}

// likelihoods calls f with random likelihoods of both kinds.
func likelihoods(n, count int, f func(l Likelihood, m, v []float64)) {
	cases(n, count, func(p Probit, m, v []float64) {
		p.Rho = 0.5
		f(p, m, v)
		f(Exact{}, m, v)
	})
}

// Averaged over the classes, the posterior moments are the prior ones.
func TestPosteriorIsConsistent(t *testing.T) {
	numbersOnly(t)
	for _, n := range []int{2, 3, 7} {
		got := NewPosterior(n)
		likelihoods(n, 60, func(p Likelihood, m, v []float64) {
			total, mean, square := 0.0, make([]float64, n), make([]float64, n)
			free, zero, products := make([]float64, n), make([]float64, n), make([]float64, n)
			for c := range n {
				p.Posterior(got, m, v, c)
				w := math.Exp(got.LogP)
				total += w
				moved := floats.Sum(got.Mean) - floats.Sum(m)
				for j := range n {
					d := got.Mean[j] - m[j]
					mean[j] += w * d
					square[j] += w * (got.Var[j] + d*d)
					products[j] = d * (moved - d)
				}
				// Covariances of the class, and of its means, cancel.
				FreeVariances(products, zero, products)
				for j := range n {
					free[j] += w * (got.Free[j] - got.Var[j] + products[j])
				}
			}
			check.Near(t, "Σp", total, 1, 1e-10)
			for j := range n {
				what := fmt.Sprintf("%+v m=%v v=%v: logit %d: ", p, m, v, j)
				check.Near(t, what+"sum of covariances", free[j]/(1+floats.Max(v)), 0, 1e-9)
				check.Near(t, what+"move of the mean", mean[j], 0, 1e-9*(1+math.Abs(m[j])+math.Sqrt(v[j])))
				check.Near(t, what+"move of the variance", square[j]-v[j], 0, 1e-9*v[j]+1e-300)
			}
		})
	}
}

// Two classes: probit regression in z_1 − z_2. A narrow competitor far below a wide winner cuts W off.
func TestPosteriorOfTwoClasses(t *testing.T) {
	const lambda = 0.6
	got := NewPosterior(2)
	test := func(gap float64, v ...float64) {
		m := []float64{gap, 0}
		Probit{lambda, 0.5}.Posterior(got, m, v, 0)
		s := math.Sqrt(1/(lambda*lambda) + v[0] + v[1])
		a := gap / s
		what := fmt.Sprintf("gap %g, v = %g: ", gap, v)
		check.Near(t, what+"log p", got.LogP, gauss.LogCDF(a), 1e-11)
		h, lost := gauss.InverseMills(a), (1-gauss.TruncatedVar(a))/(s*s) // of V = C + lost V(1, −1)ᵀ(1, −1)V
		for j, sign := range []float64{1, -1} {
			check.Near(t, what+"mean", (got.Mean[j]-m[j])/s, sign*v[j]*h/(s*s), 1e-9)
			want := v[j] - v[j]*v[j]*lost
			ok := scalar.EqualWithinRel(got.Var[j], want, 1e-9) || want <= 0
			check.True(t, ok, "%svariance %.12g, want %.12g", what, got.Var[j], want)
			check.Near(t, what+"C_jj − C_12", got.Free[j]/(s*s), (v[j]-v[j]*(v[0]+v[1])*lost)/(s*s), 1e-9)
		}
	}
	for _, gap := range []float64{0, 1, -3, 40, -40, -2000} {
		test(gap, 2, 0.5)
		test(gap, 0, 0.5)
	}
	for _, wide := range []float64{1, 10, 100, 1e4, 1e8} {
		for ratio := 4.0; ratio < 9; ratio += 0.1 {
			test(ratio*math.Sqrt(1/(lambda*lambda)+wide), wide, 0)
		}
	}
}

// FreeVariances fits the variances of all differences of correlated variables by least squares: for each
// variable, the errors of its differences from the others add up to zero.
func TestFreeVariances(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 1))
	for n := 3; n < 7; n++ {
		cov := check.RandomCorrelations(rnd, n, n+1)
		variance, sums, free := make([]float64, n), make([]float64, n), make([]float64, n)
		for i := range n {
			variance[i] = 1 + rnd.Float64()
			cov.SetSym(i, i, variance[i])
			sums[i] = floats.Sum(mat.Row(nil, i, cov)) - variance[i]
		}
		FreeVariances(free, variance, sums)
		for i := range n {
			residual := -2 * free[i] // for j = i
			for j := range n {
				residual += free[i] + free[j] - variance[i] - variance[j] + 2*cov.At(i, j)
			}
			check.Near(t, "sum of the errors", residual, 0, 1e-12)
		}
	}
}

// A constant added to all logits and another order change nothing, and neither does a label that was certain.
func TestPosteriorInvariances(t *testing.T) {
	const n = 5
	perm := []int{3, 0, 4, 1, 2} // 2 is the last
	want, got := NewPosterior(n), NewPosterior(n)
	likelihoods(n, 20, func(l Likelihood, m, v []float64) {
		l.Posterior(want, m, v, 2)
		moved := check.Permuted(m, perm)
		floats.AddConst(100, moved)
		l.Posterior(got, moved, check.Permuted(v, perm), n-1)
		tol := 1e-9 * (1 + floats.Max(v))
		floats.AddConst(-100, got.Mean)
		for _, x := range [][2][]float64{{got.Mean, want.Mean}, {got.Var, want.Var}, {got.Free, want.Free}} {
			check.NearAll(t, fmt.Sprintf("%+v m=%v v=%v", l, m, v), x[0], check.Permuted(x[1], perm), tol)
		}
		m[2] += 1e4 * (1 + math.Sqrt(floats.Max(v)))
		l.Posterior(got, m, v, 2)
		check.NearAll(t, "variances given a certain class", got.Free, v, tol)
	})
}

// Beside logits that are certain, W is flat at a distance of its mode: log p is that of the moments.
func TestPosteriorBesideCertainLogits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 1))
	test := func(m, v []float64, class int) {
		got := NewPosterior(len(m))
		Exact{}.Posterior(got, m, v, class)
		what, want := fmt.Sprintf("p of class %d, m=%v v=%v", class, m, v), moments(Exact{}, m, v).P[class]
		check.Near(t, what, math.Exp(got.LogP), want, 1e-9)
	}
	test([]float64{-300, 300}, []float64{1e10, 0}, 0)
	test([]float64{130.8, 183.5}, []float64{1e7, 0}, 0)
	for range 300 {
		m := []float64{300 * rnd.NormFloat64(), 0, 30}
		v := []float64{math.Pow(10, 12*rnd.Float64()), 0, rnd.ExpFloat64()}
		test(m[:2], v[:2], 0)
		test(m, v, rnd.IntN(3))
	}
}

// Where the posterior of the softmax takes the table of log F, its moments are those of the integrals.
func TestTableHasTheDigits(t *testing.T) {
	var w gumbelWinner
	var d tiltedNormal
	dst, tabled := NewPosterior(2), 0
	for scale := -2.0; scale < 5; scale += 0.1 {
		sd := math.Pow(10, scale)
		m, v := []float64{0, 0}, []float64{0, sd * sd}
		w.posterior(dst, m, v, 0, winnerRule, tiltedRule) // sets the series
		w.mean, w.variance = m, v
		for xi := -8.4; xi < 8; xi += 0.1 {
			at := xi * math.Sqrt(1+v[1])
			_, ratio, second, tabulated := w.logit(1, at)
			if !tabulated {
				continue
			}
			tabled++
			d.integrate(-at, v[1], 0, finerRule(tiltedRule))
			what := fmt.Sprintf("sd %g, ξ = %g: error of the ", sd, xi)
			check.Near(t, what+"mean", (v[1]*ratio+d.shift)/math.Sqrt(d.variance), 0, 1e-9)
			check.Near(t, what+"variance", v[1]*(1+v[1]*second)/d.variance-1, 0, 5e-9) // less for all nodes together
		}
	}
	check.True(t, tabled >= 1000, "%d from the table", tabled)
}

// finerRule has half of the step, twice the distance.
func finerRule(r posteriorRule) posteriorRule {
	return posteriorRule{drop: 1.2 * r.drop, step: 0.5 * r.step, spread: 2 * r.spread}
}

// Half of the step, twice the distance, changes nothing, also where W is cut off.
func TestPosteriorRuleIsFineEnough(t *testing.T) {
	numbersOnly(t)
	compare := func(l Likelihood, m, v []float64) {
		got, want, tol := NewPosterior(len(m)), NewPosterior(len(m)), 2e-9
		l.Posterior(got, m, v, 0)
		if p, ok := l.(Probit); ok {
			new(probitWinner).posterior(want, p.Lambda, m, v, 0, finerRule(probitRule))
			tol = 1e-10
		} else {
			new(gumbelWinner).posterior(want, m, v, 0, finerRule(winnerRule), finerRule(tiltedRule))
		}
		if want.LogP < -1e4 {
			return // the digits of log p no longer tell those of W
		}
		what := fmt.Sprintf("%+v m=%v v=%v: ", l, m, v)
		check.Near(t, what+"log p", got.LogP, want.LogP, tol)
		for j, x := range want.Var {
			check.Near(t, fmt.Sprint(what, "error of mean ", j), got.Mean[j]-want.Mean[j], 0, tol*math.Sqrt(x))
			check.Near(t, fmt.Sprint(what, "error of variance ", j), got.Var[j]-x, 0, tol*x)
		}
	}
	for n, count := range map[int]int{2: 60, 3: 60, 10: 30, 40: 6} {
		likelihoods(n, count, compare)
	}
	for _, wide := range []float64{1, 10, 100, 1e4, 1e8} {
		for ratio := 4.0; ratio < 9; ratio += 0.1 {
			compare(Exact{}, []float64{ratio * math.Sqrt(2.8+wide), 0}, []float64{wide, 0})
		}
	}
}

// binary is the closed form for n = 2 in a = z_1 − z_2, whatever ρ. p and Cov(a, y) = Var(a) e are those of
// Huber's Bayesian perceptron (2020); Var y = p(1 − p) − e is not, his is p(1 − p)(1 − 1/s).
func binary(lambda float64, m, v []float64) (p, e float64) {
	s := math.Sqrt(1 + lambda*lambda*(v[0]+v[1]))
	a := lambda * (m[0] - m[1]) / s
	return gauss.CDF(a), lambda / s * gauss.PDF(a)
}

func TestProbitBinaryClosedForm(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	var cov mat.SymDense
	var cross mat.Dense
	for range 2000 {
		lambda, rho := math.Exp(rnd.NormFloat64()), rnd.Float64()
		m := []float64{5 * rnd.NormFloat64(), 5 * rnd.NormFloat64()}
		v := []float64{math.Exp(4 * rnd.NormFloat64()), math.Exp(4 * rnd.NormFloat64())}
		if rnd.IntN(4) == 0 {
			v[rnd.IntN(2)] = 0
		}
		p, e := binary(lambda, m, v)
		corr := mat.NewSymDense(1, []float64{1})
		for _, a := range []Approximation{Probit{lambda, rho}, ProbitCorr{lambda, corr}} {
			got := moments(a, m, v)
			got.Cov(&cov)
			got.Cross(&cross, v)
			check.NearAll(t, "p", got.P, []float64{p, 1 - p}, 1e-11)
			check.NearAll(t, "E", got.E.RawMatrix().Data, []float64{0, e, e, 0}, 1e-11)
			check.Near(t, "Var y_1", cov.At(0, 0), p*(1-p)-e, 1e-11)
			check.Near(t, "Cov(y_1, y_2)", cov.At(0, 1), e-p*(1-p), 1e-11)
			check.Near(t, "Cov(z_1, y_1)", cross.At(0, 0), v[0]*e, 1e-11)
			check.Near(t, "Cov(z_2, y_1)", cross.At(1, 0), -v[1]*e, 1e-11)
			if t.Failed() {
				t.Fatalf("%T, λ=%g ρ=%g m=%v v=%v", a, lambda, rho, m, v)
			}
		}
	}
}

// The trapezoidal rule against itself with three times as many nodes.
func TestStepIsFineEnough(t *testing.T) {
	for n, count := range map[int]int{2: 300, 3: 300, 10: 120, 100: 12, 1000: 0} {
		compare := func(p Probit, m, v []float64) {
			finer := NewMoments(n)
			new(probitTable).moments(finer, p, m, v, step(n)/3)
			d := farthest(moments(p, m, v), finer)
			check.True(t, d < 1e-11, "n=%d %+v: the step changes the moments by %.1e", n, p, d)
		}
		cases(n, count, compare)
		compare(Probit{1, 0.5}, make([]float64, n), make([]float64, n)) // the worst case
	}
}

// At λ, E at the origin is 1/n². Closed forms: n = 2; n = 3, P_1 = ½; n = 4, P_2 = ¼ + asin(ρ/(1+ρ))/2π.
func TestSlopeLambda(t *testing.T) {
	for _, rho := range []float64{0, 0.3, 0.5, 0.9} {
		for _, n := range []int{2, 3, 4, 10, 100} {
			got := moments(Probit{SlopeLambda(n, rho), rho}, make([]float64, n), make([]float64, n))
			if rho > 0 {
				check.Near(t, fmt.Sprintf("n²E at the origin, n=%d ρ=%g", n, rho), got.E.At(0, 1)*float64(n*n), 1, 1e-8)
			}
		}
		root := math.Sqrt(2 * math.Pi)
		check.Near(t, "λ_2", SlopeLambda(2, rho), root/4, 1e-14)
		check.Near(t, "λ_3", SlopeLambda(3, rho), root/(9*0.5), 1e-14)
		check.Near(t, "λ_4", SlopeLambda(4, rho), root/(16*(0.25+math.Asin(rho/(1+rho))/(2*math.Pi))), 1e-13)
	}
}

// Without variances p is the definition; a variance is the mean over its logit.
func TestProbitCorrIsDefinition(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	for n := 3; n <= 4; n++ {
		p := ProbitCorr{0.7, check.RandomCorrelations(rnd, n-1, n)}
		m, v := problem(rnd, n)
		certain, x := moments(p, m, make([]float64, n)), make([]float64, n-1)
		for j := range m {
			for k := range x {
				x[k] = p.Lambda * (m[j] - m[other(j, k)])
			}
			prob, _ := mvn.CDF(x, p.Corr)
			check.Near(t, "p without variances", certain.P[j], prob, 1e-12)
		}
		want := moments(p, m, v)
		for k := range m {
			mean, known, point := NewMoments(n), slices.Clone(v), slices.Clone(m)
			known[k] = 0
			for u := -8.0; u <= 8; u += 0.25 {
				point[k] = m[k] + math.Sqrt(v[k])*u
				mean.AddScaled(0.25*gauss.PDF(u), moments(p, point, known))
			}
			d := farthest(want, mean)
			check.True(t, d < 1e-9, "n = %d: mean over logit %d is off by %g", n, k, d)
		}
	}
}

// Only differences of logits matter: Σ + a1ᵀ + 1aᵀ has the moments of Σ. For n = 2 they are in closed form.
func TestProbitCorrCovariance(t *testing.T) {
	rnd := rand.New(rand.NewPCG(25, 26))
	for range 20 {
		for n := 2; n <= 4; n++ {
			p := ProbitCorr{math.Exp(rnd.NormFloat64()), check.RandomCorrelations(rnd, n-1, n)}
			m, v := problem(rnd, n)
			a, cov := make([]float64, n), mat.NewSymDense(n, nil)
			for i := range a {
				a[i], v[i] = 1+0.1*rnd.Float64(), v[i]+1
			}
			for i := range n {
				for j := range i {
					cov.SetSym(i, j, a[i]+a[j])
				}
				cov.SetSym(i, i, v[i]+2*a[i])
			}
			got := NewMoments(n)
			check.OK(t, p.MomentsCov(got, m, cov))
			d := farthest(moments(p, m, v), got)
			check.True(t, d < 1e-10, "n = %d: correlated logits differ by %g", n, d)
			if n == 2 {
				q, e := binary(p.Lambda, m, []float64{cov.At(0, 0) + cov.At(1, 1), -2 * cov.At(0, 1)})
				check.NearAll(t, "p and E", []float64{got.P[0], got.E.At(0, 1)}, []float64{q, e}, 1e-12)
			}
		}
	}
	one, two := ProbitCorr{1, mat.NewSymDense(1, []float64{1})}, []float64{0, 0}
	indefinite := mat.NewSymDense(2, []float64{1, 2, 2, 1})
	check.Refuses(t, "an indefinite covariance", one.MomentsCov(NewMoments(2), two, indefinite), "positive definite")
	check.Refuses(t, "three classes", one.MomentsCov(NewMoments(3), two, indefinite), "for 3 classes")
	cov := mat.NewSymDense(2, []float64{1, 0.5, 0.5, 1})
	check.Refuses(t, "NaN", one.MomentsCov(NewMoments(2), []float64{math.NaN(), 0}, cov), "finite means")
	check.Refuses(t, "λ = 0", ProbitCorr{0, one.Corr}.MomentsCov(NewMoments(2), two, cov), "0 < λ < ∞")
}

func TestProbitCorrValidate(t *testing.T) {
	good := check.Correlations(3, func(i, j int) float64 { return 0.5 })
	scaled := mat.NewSymDense(3, []float64{2, 0.5, 0.5, 0.5, 1, 0.5, 0.5, 0.5, 1})
	for _, c := range []struct {
		p    ProbitCorr
		want string
	}{
		{ProbitCorr{0, good}, "0 < λ < ∞"},
		{ProbitCorr{math.NaN(), good}, "0 < λ < ∞"},
		{ProbitCorr{1, nil}, "without correlations"},
		{ProbitCorr{1, new(mat.SymDense)}, "without correlations"},
		{ProbitCorr{1, scaled}, "1 on its diagonal"},
		{ProbitCorr{1, check.Correlations(2, func(i, j int) float64 { return 0.5 })}, "need 3×3"},
		{ProbitCorr{1, check.Correlations(3, func(i, j int) float64 { return -0.6 })}, "positive semi-definite"},
		{ProbitCorr{1, check.Correlations(3, func(i, j int) float64 { return math.NaN() })}, "[−1, 1]"},
	} {
		check.Refuses(t, fmt.Sprint(c.p), c.p.Validate(4), c.want)
	}
	check.OK(t, ProbitCorr{1, good}.Validate(4))
	check.Panics(t, "softmax: ", "need 4×4", func() {
		ProbitCorr{1, good}.Moments(NewMoments(5), make([]float64, 5), make([]float64, 5))
	})
}
