package activation

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	check "closedform/internal/checktest"
)

func TestReference(t *testing.T) {
	for _, x := range check.Rows(t, "testdata/moments.csv") {
		m, v := x[0], x[1]
		f := PiecewiseLinear{Alpha: x[2], Beta: x[3]}
		mean, variance, cross := f.Moments(m, v)
		cond := 1.0 // 1 + a² in the left tail, as far as it does not underflow
		if v > 0 && math.Abs(m)/math.Sqrt(v) < 40 {
			cond += math.Pow(math.Min(m, 0), 2) / v
		}
		magnitude := math.Abs(f.Eval(m)) + math.Abs(x[4]-f.Eval(m))
		for i, c := range []struct{ got, want, scale float64 }{
			{mean, x[4], magnitude}, {variance, x[5], math.Abs(x[5])}, {cross, x[6], math.Abs(x[6])},
		} {
			// or within a few units of the smallest subnormal number
			if !(math.Abs(c.got-c.want) <= 4e-15*cond*c.scale+1e-322) {
				t.Errorf("%+v, N(%v, %v), moment %d: got %v, want %v", f, m, v, i, c.got, c.want)
			}
		}
	}
}

// randomCase draws a unit and a normal distribution with |m|/√v mostly below 15.
func randomCase(src *rand.Rand) (f PiecewiseLinear, m, v float64) {
	alpha := math.Max(0, src.Float64()-0.3)
	v = math.Exp(10 * src.NormFloat64())
	return PiecewiseLinear{alpha, alpha + 2*src.Float64()}, 5 * src.NormFloat64() * math.Sqrt(v), v
}

// Properties of the moments of random units:
//
//   - f(z) − f(−z) = (α+β) z, hence the means at ±m differ by (α+β) m and the
//     cross-covariances add up to (α+β) v;
//   - f(cz) = c f(z) for c > 0;
//   - cross² ≤ v variance; α and β bound variance and cross;
//   - with α = β the moments are exactly those of αz.
func TestProperties(t *testing.T) {
	src := rand.New(rand.NewPCG(3, 4))
	const (
		c    = 1 << 40 // a power of two, so that nothing is rounded
		ulps = 1e-14
	)
	for range 5000 {
		f, m, v := randomCase(src)
		name := fmt.Sprintf("%+v, N(%v, %v)", f, m, v)
		sum := f.Alpha + f.Beta
		mean, variance, cross := f.Moments(m, v)
		mean2, _, cross2 := f.Moments(-m, v)
		tol := ulps * (mean + math.Abs(mean2) + sum*math.Abs(m))
		if got, want := mean-mean2, sum*m; !scalar.EqualWithinAbs(got, want, tol) {
			t.Errorf("%s: means at ±m differ by %v, want %v", name, got, want)
		}
		if got, want := cross+cross2, sum*v; !scalar.EqualWithinRel(got, want, ulps) {
			t.Errorf("%s: cross-covariances at ±m add up to %v, want %v", name, got, want)
		}
		if a, b, d := f.Moments(c*m, c*c*v); a != c*mean || b != c*c*variance || d != c*c*cross {
			t.Errorf("%s: moments %v, %v, %v do not scale", name, mean, variance, cross)
		}
		check.True(t, cross*cross <= v*variance*(1+1e-12), "%s: cross² = %v beyond v·variance", name, cross*cross)
		check.True(t, f.Alpha*v*(1-ulps) <= cross && cross <= f.Beta*v*(1+ulps), "%s: cross = %v", name, cross)
		if !(f.Alpha*f.Alpha*v*(1-ulps) <= variance && variance <= f.Beta*f.Beta*v*(1+ulps)) {
			t.Errorf("%s: variance = %v", name, variance)
		}
		a, b, d := (PiecewiseLinear{f.Alpha, f.Alpha}).Moments(m, v)
		check.True(t, a == f.Alpha*m && b == v*(f.Alpha*f.Alpha) && d == v*f.Alpha, "%s: linear unit", name)
	}
}

func TestPanics(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, arg := range [][2]float64{{0, -1}, {0, -1e-300}, {0, nan}, {nan, 1}, {nan, 0}, {0, inf}, {-inf, 1}} {
		check.Panics(t, "activation: ", "finite", func() { PiecewiseLinear{0, 1}.Moments(arg[0], arg[1]) })
	}
}
