package mvn

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"

	"closedform/core/gauss"
)

// An infinite limit drops its variable or makes P zero; a huge one does nearly.
func TestInfiniteLimits(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for d := 2; d <= 6; d++ {
		corr := wishart(rnd, d, d+2)
		for i := range d {
			x := normals(rnd, d, 0.5)
			rest, others := mat.NewSymDense(d-1, nil), append(append([]float64(nil), x[:i]...), x[i+1:]...)
			for a := range d - 1 {
				for b := range a + 1 {
					rest.SetSym(a, b, corr.At(skip(a, i), skip(b, i)))
				}
			}
			want, _ := CDF(others, rest)
			for _, v := range []float64{math.Inf(1), math.MaxFloat64, 40} {
				x[i] = v
				checkProb(t, "no limit", x, corr, want, 1e-14)
				if g := Gradient(nil, x, corr)[i]; g != 0 {
					t.Errorf("d = %d: ∂P at x = %g is %g", d, v, g)
				}
			}
			for _, v := range []float64{math.Inf(-1), -math.MaxFloat64, -40} {
				x[i] = v
				checkProb(t, "impossible", x, corr, 0, 0)
				for _, g := range Gradient(nil, x, corr) {
					if !scalar.EqualWithinAbs(g, 0, 1e-300) {
						t.Errorf("d = %d: gradient %g of an impossible event", d, g)
					}
				}
			}
		}
	}
	all := []float64{math.Inf(1), math.Inf(1), math.Inf(1), math.Inf(1)}
	checkProb(t, "no limits", all, wishart(rnd, 4, 6), 1, 0)
	checkProb(t, "no limits", all[:3], wishart(rnd, 3, 6), 1, 0)
	checkProb(t, "no limits", all[:2], wishart(rnd, 2, 6), 1, 0)
}

func skip(a, i int) int {
	if a < i {
		return a
	}
	return a + 1
}

// The order of the variables does not matter.
func TestPermutation(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	for d := 2; d <= 6; d++ {
		x, corr, perm := normals(rnd, d, 0.5), wishart(rnd, d, d+1), rnd.Perm(d)
		y := make([]float64, d)
		for i, k := range perm {
			y[i] = x[k]
		}
		turned := filled(d, func(i, j int) float64 { return corr.At(perm[i], perm[j]) })
		p, e := CDF(x, corr)
		checkProb(t, "permuted", y, turned, p, e+1e-14)
		g := Gradient(nil, x, corr)
		for i, got := range Gradient(nil, y, turned) {
			if !scalar.EqualWithinAbs(got, g[perm[i]], 1e-7) {
				t.Errorf("d = %d: ∂_%d P = %.12g, permuted %.12g", d, perm[i], g[perm[i]], got)
			}
		}
	}
}

// Far in the tails a factor and the tilted lattice rule keep their relative accuracy.
func TestTails(t *testing.T) {
	x := []float64{-9, -8, -10, -7, -9}
	a := []float64{0.6, 0.5, 0.7, 0.4, 0.6}
	want := oneFactor(x, loaded(a))
	if !(want > 1e-120 && want < 1e-40) {
		t.Fatalf("P = %g", want)
	}
	p := problemOf(x, filled(5, func(i, j int) float64 { return a[i] * a[j] }))
	if got, abserr := p.lattice(usual); !scalar.EqualWithinRel(got, want, 1e-3) || !(abserr < 2e-14) {
		t.Errorf("lattice rule: P = %g ± %g, want %g", got, abserr, want)
	}
	alone := oneFactor([]float64{-20, 3}, loaded([]float64{0, 0}))
	if want := gauss.CDF(-20) * gauss.CDF(3); !scalar.EqualWithinRel(alone, want, 1e-13) {
		t.Errorf("independent factor: P = %g, want %g", alone, want)
	}
}

// Any limits and any matrix, singular and nearly so, give a probability.
func TestSound(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 6))
	limits := []float64{0, 1e-300, -1, 1, 3, -7, 30, 1e8, -1e8, math.Inf(1)}
	for k := range 400 {
		d := 2 + k%4
		corr := wishart(rnd, d, 1+rnd.IntN(d))
		if k%3 == 0 { // near ±1
			s := math.Pow(10, -17*rnd.Float64())
			corr = filled(d, func(i, j int) float64 { return (1 - s) * []float64{1, -1, 1, 1, -1}[i] * []float64{1, -1, 1, 1, -1}[j] })
		}
		x := make([]float64, d)
		for i := range x {
			x[i] = limits[rnd.IntN(len(limits))]
		}
		p, abserr := CDF(x, corr)
		if !(p >= 0 && p <= 1 && abserr >= 0 && abserr < 1e-4) {
			t.Errorf("x = %v, corr %v: P = %g ± %g", x, corr.RawSymmetric().Data, p, abserr)
		}
		for i, g := range Gradient(nil, x, corr) {
			if !(g >= 0 && g <= gauss.PDF(x[i])*(1+1e-4)) {
				t.Errorf("x = %v, corr %v: ∂_%d P = %g", x, corr.RawSymmetric().Data, i, g)
			}
		}
	}
}

func TestPanics(t *testing.T) {
	four := func(r float64) *mat.SymDense { return filled(4, func(i, j int) float64 { return r }) }
	variance := four(0)
	variance.SetSym(2, 2, 2)
	dummy := mat.NewSymDense(2, []float64{1, 0, 0, 1})
	for _, c := range []struct {
		name string
		x    []float64
		corr mat.Symmetric
		want string
	}{
		{"order", make([]float64, 3), dummy, "need the same order"},
		{"nothing", nil, new(mat.SymDense), "at least 1"},
		{"NaN limit", []float64{0, math.NaN()}, dummy, "limit 1 is NaN"},
		{"variance", make([]float64, 4), variance, "1 on its diagonal"},
		{"correlation above 1", make([]float64, 2), symmetric(2, []float64{1.1}), "[−1, 1]"},
		{"NaN correlation", make([]float64, 3), symmetric(3, []float64{0, 0, math.NaN()}), "[−1, 1]"},
		{"NaN in four", make([]float64, 4), four(math.NaN()), "[−1, 1]"},
		{"three indefinite", make([]float64, 3), symmetric(3, []float64{0.9, 0.9, -0.9}), "indefinite"},
		{"three slightly indefinite", make([]float64, 3), symmetric(3, []float64{-0.5, -0.5, -0.5 - 1e-12}), "indefinite"},
		{"four indefinite", make([]float64, 4), four(-0.5), "indefinite"},
		{"four slightly indefinite", make([]float64, 4), four(-1./3 - 1e-12), "indefinite"},
		{"zero pivots", make([]float64, 4), symmetric(4, []float64{1, 1, 0.5, 1, -0.5, 0.5}), "indefinite"},
	} {
		for what, f := range map[string]func(){
			"CDF":      func() { CDF(c.x, c.corr) },
			"Gradient": func() { Gradient(nil, c.x, c.corr) },
		} {
			if got := message(f); !strings.HasPrefix(got, "mvn: ") || !strings.Contains(got, c.want) {
				t.Errorf("%s: %s: panic %q, want %q", what, c.name, got, c.want)
			}
		}
		if err := valid(c.corr); c.x != nil && !strings.Contains(c.name, "limit") && c.name != "order" && err == nil {
			t.Errorf("Validate: %s: no error", c.name)
		}
	}
	if got := message(func() { Gradient(make([]float64, 3), make([]float64, 2), dummy) }); !strings.Contains(got, "same length") {
		t.Errorf("short dst: panic %q", got)
	}
	// Singular to rounding is allowed.
	for _, corr := range []*mat.SymDense{four(-1. / 3), four(1), symmetric(3, []float64{-0.5, -0.5, -0.5})} {
		if err := valid(corr); err != nil {
			t.Error(err)
		}
		CDF(make([]float64, corr.SymmetricDim()), corr)
	}
}

func message(f func()) (text string) {
	defer func() { text, _ = recover().(string) }()
	f()
	return ""
}

func TestSmallDoesNotAllocate(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for d := 1; d <= 3; d++ {
		x, corr, dst := normals(rnd, d, 0), wishart(rnd, d, 4), make([]float64, d)
		if n := testing.AllocsPerRun(20, func() {
			CDF(x, corr)
			Gradient(dst, x, corr)
		}); n > 0 {
			t.Errorf("d = %d: %g allocations", d, n)
		}
	}
}

func FuzzTrivariate(f *testing.F) {
	f.Add(0.0, 0.0, 0.0, 0.5, 0.5, 0.5)
	f.Add(1.0, -1.0, 0.3, 1.0, 0.2, 0.2)
	f.Add(0.2, -0.2, 0.2, -0.999999, 0.999999, -0.999999)
	f.Fuzz(func(t *testing.T, x1, x2, x3, r12, r13, r23 float64) {
		corr := symmetric(3, []float64{r12, r13, r23})
		if math.IsNaN(x1) || math.IsNaN(x2) || math.IsNaN(x3) || valid(corr) != nil {
			t.Skip()
		}
		p, _ := CDF([]float64{x1, x2, x3}, corr)
		q, _ := CDF([]float64{x1, x2}, symmetric(2, []float64{r12}))
		// At least what X₃ alone can take away, at most P(X₁ ≤ x₁, X₂ ≤ x₂).
		if !(p <= q+1e-13 && p >= q-gauss.CDF(-x3)-1e-13) {
			t.Errorf("P = %g, without x₃ %g", p, q)
		}
	})
}
