package softmax

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
	"closedform/internal/check"
)

// binary is the closed form for n = 2 in a = z_1 − z_2: only λ²Var(a) + 1 matters,
// not ρ. p and Cov(a, y) = Var(a) e are those of Huber's Bayesian perceptron (2020);
// Var y = p(1 − p) − e is not, his is p(1 − p)(1 − 1/s).
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
		for _, a := range []Approximation{Probit{lambda, rho}, ProbitCorr{lambda, mat.NewSymDense(1, []float64{1})}} {
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

// finer returns the moments with nodes that are so many times as near.
func finer(p Probit, m, v []float64, times float64) *Moments {
	dst := NewMoments(len(m))
	new(probitTable).moments(dst, p, m, v, step(len(m))/times)
	return dst
}

// The trapezoidal rule against itself with three times as many nodes.
func TestStepIsFineEnough(t *testing.T) {
	for n, count := range map[int]int{2: 300, 3: 300, 10: 120, 100: 12, 1000: 0} {
		compare := func(p Probit, m, v []float64) {
			if d := farthest(moments(p, m, v), finer(p, m, v, 3)); !(d < 1e-11) {
				t.Errorf("n=%d %+v: the step changes the moments by %.1e", n, p, d)
			}
		}
		cases(n, count, compare)
		compare(Probit{1, 0.5}, make([]float64, n), make([]float64, n)) // the worst case
	}
}

// λ is by definition where E at the origin is the softmax's 1/n². Closed forms: n = 2
// for any ρ; n = 3, where P_1 = ½; n = 4: P_2 = ¼ + asin(ρ/(1+ρ))/2π.
func TestSlopeLambda(t *testing.T) {
	for _, rho := range []float64{0, 0.3, 0.5, 0.9} {
		for _, n := range []int{2, 3, 4, 10, 100} {
			got := moments(Probit{SlopeLambda(n, rho), rho}, make([]float64, n), make([]float64, n))
			if want := 1 / float64(n*n); !scalar.EqualWithinRel(got.E.At(0, 1), want, 1e-8) && rho > 0 {
				t.Errorf("n=%d ρ=%g: derivative %g at the origin, want %g", n, rho, got.E.At(0, 1), want)
			}
		}
		root := math.Sqrt(2 * math.Pi)
		check.Near(t, "λ_2", SlopeLambda(2, rho), root/4, 1e-14)
		check.Near(t, "λ_3", SlopeLambda(3, rho), root/(9*0.5), 1e-14)
		check.Near(t, "λ_4", SlopeLambda(4, rho), root/(16*(0.25+math.Asin(rho/(1+rho))/(2*math.Pi))), 1e-13)
	}
}
