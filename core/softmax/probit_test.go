package softmax

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/core/mvn"
	check "closedform/internal/checktest"
)

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

// Half the step, twice the even spacing and more of both tails change nothing.
func TestExactRuleIsFineEnough(t *testing.T) {
	finer := exactRule{step: 0.15, spread: 12, tail: 1e-18, right: gumbelHigh + 4}
	rnd := rand.New(rand.NewPCG(3, 1))
	for _, n := range []int{2, 3, 10, 100} {
		got, want := NewMoments(n), NewMoments(n)
		m, v := make([]float64, n), make([]float64, n)
		for k := range 120 / n * 2 {
			spread := math.Pow(10, 4*rnd.Float64()-1)
			for j := range n {
				m[j] = spread * (2*rnd.Float64() - 1)
				v[j] = []float64{1, math.Pow(10, 8*rnd.Float64()-4), 0, math.Pow(10, 4*rnd.Float64())}[(k+j*(k%2))%4]
			}
			new(exactTable).moments(want, m, v, finer)
			for _, e := range settings {
				e.Moments(got, m, v)
				d := farthest(got, want)
				check.True(t, d < 0.5*tolerance(e), "%+v, m=%v v=%v: off by %g", e, m, v, d)
			}
		}
	}
}
