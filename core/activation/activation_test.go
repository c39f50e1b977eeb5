package activation

import (
	"encoding/csv"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat"
)

// within reports whether got is within tol of want or within a few units of
// the smallest subnormal number; false for NaN.
func within(got, want, tol float64) bool {
	return math.Abs(got-want) <= tol+1e-322
}

func TestReference(t *testing.T) {
	file, err := os.Open("testdata/moments.csv")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment = '#'
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) < 1000 {
		t.Fatalf("only %d reference values", len(records))
	}
	var worst [3]float64
	for _, record := range records {
		var x [7]float64
		for i, field := range record {
			if x[i], err = strconv.ParseFloat(field, 64); err != nil {
				t.Fatal(err)
			}
		}
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
			if !within(c.got, c.want, 4e-15*cond*c.scale) {
				t.Errorf("%+v, N(%v, %v), moment %d: got %v, want %v", f, m, v, i, c.got, c.want)
			}
			if c.scale > 1e-307 {
				worst[i] = math.Max(worst[i], math.Abs(c.got-c.want)/c.scale)
			}
		}
	}
	t.Logf("largest relative errors of mean, variance and cross: %.2g", worst)
}

// TestLinear: with α = β the moments are exactly those of αz.
func TestLinear(t *testing.T) {
	src := rand.New(rand.NewPCG(1, 2))
	for range 1000 {
		alpha := src.Float64()
		m, v := 10*src.NormFloat64(), math.Exp(5*src.NormFloat64())
		mean, variance, cross := PiecewiseLinear{alpha, alpha}.Moments(m, v)
		if mean != alpha*m || variance != v*(alpha*alpha) || cross != v*alpha {
			t.Errorf("slope %v, N(%v, %v): %v, %v, %v", alpha, m, v, mean, variance, cross)
		}
	}
}

// TestReflection: f(z) − f(−z) = (α+β) z, hence the means at ±m differ by
// (α+β) m and the cross-covariances add up to (α+β) v.
func TestReflection(t *testing.T) {
	src := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		f, m, v := randomCase(src)
		sum := f.Alpha + f.Beta
		mean1, _, cross1 := f.Moments(m, v)
		mean2, _, cross2 := f.Moments(-m, v)
		if got, want := mean1-mean2, sum*m; !scalar.EqualWithinAbs(got, want, 1e-14*(mean1+math.Abs(mean2)+sum*math.Abs(m))) {
			t.Errorf("%+v, N(±%v, %v): means differ by %v, want %v", f, m, v, got, want)
		}
		if got, want := cross1+cross2, sum*v; !scalar.EqualWithinRel(got, want, 1e-14) {
			t.Errorf("%+v, N(±%v, %v): cross-covariances add up to %v, want %v", f, m, v, got, want)
		}
	}
}

// TestScale: f(cz) = c f(z) for c > 0.
func TestScale(t *testing.T) {
	src := rand.New(rand.NewPCG(5, 6))
	const c = 1 << 40 // a power of two, so that nothing is rounded
	for range 1000 {
		f, m, v := randomCase(src)
		mean, variance, cross := f.Moments(m, v)
		scaled, variance2, cross2 := f.Moments(c*m, c*c*v)
		if scaled != c*mean || variance2 != c*c*variance || cross2 != c*c*cross {
			t.Errorf("%+v, N(%v, %v): moments %v, %v, %v do not scale", f, m, v, mean, variance, cross)
		}
	}
}

// randomCase draws a unit and a normal distribution with |m|/√v mostly below 15.
func randomCase(src *rand.Rand) (f PiecewiseLinear, m, v float64) {
	alpha := math.Max(0, src.Float64()-0.3)
	v = math.Exp(10 * src.NormFloat64())
	return PiecewiseLinear{alpha, alpha + 2*src.Float64()}, 5 * src.NormFloat64() * math.Sqrt(v), v
}

// TestCauchySchwarz: cross² ≤ v variance, and the slopes bound variance and
// cross.
func TestCauchySchwarz(t *testing.T) {
	src := rand.New(rand.NewPCG(7, 8))
	for range 20000 {
		f, m, v := randomCase(src)
		_, variance, cross := f.Moments(m, v)
		if !(cross*cross <= v*variance*(1+1e-12)) {
			t.Errorf("%+v, N(%v, %v): cross² = %v exceeds v·variance = %v", f, m, v, cross*cross, v*variance)
		}
		const ulps = 1e-14
		if !(f.Alpha*v*(1-ulps) <= cross && cross <= f.Beta*v*(1+ulps)) {
			t.Errorf("%+v, N(%v, %v): cross = %v", f, m, v, cross)
		}
		if !(f.Alpha*f.Alpha*v*(1-ulps) <= variance && variance <= f.Beta*f.Beta*v*(1+ulps)) {
			t.Errorf("%+v, N(%v, %v): variance = %v", f, m, v, variance)
		}
	}
}

// TestMonteCarlo compares with sample moments, within five standard errors
// that are estimated from the same sample.
func TestMonteCarlo(t *testing.T) {
	const n = 100000
	src := rand.New(rand.NewPCG(9, 10))
	y, d2, dz := make([]float64, n), make([]float64, n), make([]float64, n)
	for _, f := range []PiecewiseLinear{{0, 1}, {0.1, 1}, {0.5, 2}} {
		for _, m := range []float64{-3, -1, 0, 0.5, 4} {
			const v = 2.25
			mean, variance, cross := f.Moments(m, v)
			for i := range n {
				z := m + 1.5*src.NormFloat64()
				y[i] = f.Eval(z)
				d2[i] = (y[i] - mean) * (y[i] - mean)
				dz[i] = (y[i] - mean) * (z - m)
			}
			for i, want := range []float64{mean, variance, cross} {
				got, std := stat.MeanStdDev([][]float64{y, d2, dz}[i], nil)
				if se := stat.StdErr(std, n); !(math.Abs(got-want) <= 5*se) {
					t.Errorf("%+v, N(%v, %v), moment %d: %v, sampled %v ± %v", f, m, v, i, want, got, se)
				}
			}
		}
	}
}

func TestEval(t *testing.T) {
	f := PiecewiseLinear{Alpha: 0.25, Beta: 2}
	for _, test := range [][2]float64{{-4, -1}, {0, 0}, {3, 6}} {
		if got := f.Eval(test[0]); got != test[1] {
			t.Errorf("f(%v) = %v, want %v", test[0], got, test[1])
		}
	}
}

func TestValidate(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, f := range []PiecewiseLinear{{}, {0, 1}, {1, 1}, {0.5, 1e10}} {
		if err := f.Validate(); err != nil {
			t.Errorf("%+v: %v", f, err)
		}
	}
	for _, test := range []struct {
		f    PiecewiseLinear
		want string
	}{
		{PiecewiseLinear{-0.1, 1}, "0 ≤ alpha ≤ 1"},
		{PiecewiseLinear{1.1, 2}, "0 ≤ alpha ≤ 1"},
		{PiecewiseLinear{nan, 2}, "0 ≤ alpha ≤ 1"},
		{PiecewiseLinear{0.5, 0.4}, "beta ≥ alpha"},
		{PiecewiseLinear{0.5, nan}, "beta ≥ alpha"},
		{PiecewiseLinear{0.5, inf}, "beta ≥ alpha"},
	} {
		if err := test.f.Validate(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%+v: error %v, want one with %q", test.f, err, test.want)
		}
	}
}

func TestMomentsPanics(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, arg := range [][2]float64{{0, -1}, {0, -1e-300}, {0, nan}, {nan, 1}, {nan, 0}, {0, inf}, {-inf, 1}} {
		func() {
			defer func() {
				if msg, ok := recover().(string); !ok || !strings.HasPrefix(msg, "activation: ") {
					t.Errorf("N(%v, %v): no panic of this package", arg[0], arg[1])
				}
			}()
			PiecewiseLinear{0, 1}.Moments(arg[0], arg[1])
		}()
	}
}

func TestAllocs(t *testing.T) {
	f := PiecewiseLinear{0.1, 1}
	m := -3.0
	if n := testing.AllocsPerRun(100, func() {
		mean, _, _ := f.Moments(m, 2)
		m += 0.1 * mean
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}

func FuzzMoments(f *testing.F) {
	f.Add(0.0, 1.0, -3.0, 2.0)
	f.Add(0.0, 1.0, -1e150, 1e-300)
	f.Add(0.5, 0.5, 1e-300, 1e150)
	f.Add(1.0, 1e3, -40.0, 0.0)
	f.Fuzz(func(t *testing.T, alpha, beta, m, v float64) {
		unit := PiecewiseLinear{alpha, beta}
		if unit.Validate() != nil || !(beta <= 1e3 && math.Abs(m) <= 1e150 && 0 <= v && v <= 1e150) {
			t.Skip()
		}
		mean, variance, cross := unit.Moments(m, v)
		if !(unit.Eval(m) <= mean && mean <= math.MaxFloat64) {
			t.Errorf("%+v, N(%v, %v): mean %v below f(m) = %v", unit, m, v, mean, unit.Eval(m))
		}
		const room = 1 + 1e-14
		if !(0 <= variance && variance <= v*(beta*beta)*room+1e-322) || !(0 <= cross && cross <= v*beta*room+1e-322) {
			t.Errorf("%+v, N(%v, %v): variance %v, cross %v", unit, m, v, variance, cross)
		}
	})
}

func BenchmarkMoments(b *testing.B) {
	f := PiecewiseLinear{0.01, 1}
	var mean [256]float64
	for b.Loop() {
		for i := range mean {
			x, y, z := f.Moments(-6+float64(i)/21, 1.7)
			mean[i] = x + y + z
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(mean)), "ns/unit")
}
