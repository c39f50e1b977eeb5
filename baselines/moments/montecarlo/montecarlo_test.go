package montecarlo

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/core/softmax"
	check "closedform/internal/checktest"
	"closedform/internal/linalg"
)

func TestSampleWithinItsErrors(t *testing.T) {
	const cases = 160
	chi := map[string]float64{}
	for c := range cases {
		m := []float64{0.3 * float64(c%7), 0.5}
		v := []float64{0.2 + 0.3*float64(c%5), 0.1 * float64(c%3)}
		exact, e := softmax.NewMoments(2), NewEstimate(2)
		softmax.Exact{}.Moments(exact, m, v)
		p, pair := exact.P[0], exact.E.At(0, 1)
		e.Sample(m, v, 4000, random.Source("montecarlo", c))
		for _, q := range []struct {
			name            string
			got, err, exact float64
		}{
			{"p_1", e.P[0], e.PErr[0], p},
			{"p_2", e.P[1], e.PErr[1], 1 - p},
			{"Var s_1", e.Var[0], e.VarErr[0], p*(1-p) - pair},
		} {
			z := (q.got - q.exact) / q.err
			check.True(t, math.Abs(z) < 5, "case %d: %s = %g ± %g, exact %g", c, q.name, q.got, q.err, q.exact)
			chi[q.name] += z * z / cases
		}
		check.Near(t, "E_12 = p_1 − E s_1²", e.E.At(0, 1), e.P[0]*(1-e.P[0])-e.Var[0]*3999/4000, 1e-12)
	}
	// Errors that are reported too large or too small by a fifth would show.
	for name, mean := range chi {
		check.True(t, 0.7 <= mean && mean <= 1.4, "%s: mean squared z-score %.2f; want about 1", name, mean)
	}
}

// Only differences of logits matter: Σ + a1ᵀ + 1aᵀ has the moments of Σ.
func TestSampleCov(t *testing.T) {
	m, v, a := []float64{1, 0, -1}, []float64{0.5, 1, 2}, []float64{0.5, 0.7, -0.1}
	cov, exact, e := mat.NewSymDense(3, nil), softmax.NewMoments(3), NewEstimate(3)
	for i := range 3 {
		for j := range i {
			cov.SetSym(i, j, a[i]+a[j])
		}
		cov.SetSym(i, i, v[i]+2*a[i])
	}
	var l linalg.Cholesky
	check.True(t, l.Factorize(cov), "the covariance is not positive definite")
	softmax.Exact{}.Moments(exact, m, v)
	e.SampleCov(m, &l, 100_000, random.Source("correlated"))
	for j, p := range exact.P {
		check.Near(t, "p", e.P[j], p, 4*e.PErr[j])
	}
	check.NearAll(t, "E", e.E.RawMatrix().Data, exact.E.RawMatrix().Data, 0.002)
}

func TestSamplePanics(t *testing.T) {
	ok := []float64{0, 0}
	check.Panics(t, "", "", func() { NewEstimate(1) })
	check.Panics(t, "", "", func() { NewEstimate(2).Sample([]float64{0}, ok, 10, random.Source()) })
	check.Panics(t, "", "", func() { NewEstimate(2).Sample(ok, []float64{1, -1}, 10, random.Source()) })
	check.Panics(t, "", "", func() { NewEstimate(2).Sample(ok, ok, 1, random.Source()) })
	check.Panics(t, "", "", func() { NewEstimate(2).Sample(ok, ok, 10, nil) })
}

// The approximation is the estimate from the same stream.
func TestSoftmax(t *testing.T) {
	m, v := []float64{0.5, -0.5, 0}, []float64{0.3, 0.2, 0.1}
	e, src, dst := NewEstimate(3), random.Source("approximation"), softmax.NewMoments(3)
	e.Sample(m, v, 500, src)
	Softmax{Samples: 500, Source: random.Source("approximation")}.Moments(dst, m, v)
	check.Equal(t, "moments", dst, e.Moments)
	check.NoAllocs(t, "Sample", func() { e.Sample(m, v, 10, src) })
}
