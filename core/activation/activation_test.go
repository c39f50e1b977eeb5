package activation

import (
	"math"
	"testing"

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
			near := math.Abs(c.got-c.want) <= 4e-15*cond*c.scale+1e-322
			check.True(t, near, "%+v, N(%v, %v), moment %d: got %v, want %v", f, m, v, i, c.got, c.want)
		}
	}
}

func TestPanics(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, arg := range [][2]float64{{0, -1}, {0, -1e-300}, {0, nan}, {nan, 1}, {nan, 0}, {0, inf}, {-inf, 1}} {
		check.Panics(t, "activation: ", "finite", func() { PiecewiseLinear{0, 1}.Moments(arg[0], arg[1]) })
	}
}
