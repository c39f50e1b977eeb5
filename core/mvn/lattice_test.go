package mvn

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/mathext"

	"closedform/core/gauss"
)

// nested returns P(X ≤ x) for 4, 5 or 6 variables by integrating over the values
// of all but three.
func nested(p *problem) float64 {
	if p.n <= 3 {
		return value(p.few())
	}
	c := p.given(0)
	f := func(t float64) float64 { return gauss.PDF(t) * nested(c.at(t).sub([]int{0, 1, 2, 3, 4, 5}[:p.n-1])) }
	lo, hi := -8.5, min(8.5, p.x[0])
	mid := 0.5 * (lo + hi)
	return integrate(f, lo, mid, 1e-9) + integrate(f, mid, hi, 1e-9)
}

// quick is a hundredth of the usual effort.
var quick = effort{fine: 1e-7, work: 3e6, coarse: 1e-6, most: 3e6}

// Matrices without structure against nested quadrature: the error is within the
// bound, and the bound is small.
func TestLatticeAgainstQuadrature(t *testing.T) {
	rnd := rand.New(rand.NewPCG(11, 12))
	for _, c := range []struct{ d, cases int }{{4, 20}, {5, 8}, {6, 1}} {
		for range c.cases {
			x, corr := normals(rnd, c.d, 0.5), wishart(rnd, c.d, c.d+3)
			p := problemOf(x, corr)
			want := nested(p)
			got, abserr := p.lattice(usual)
			if !(math.Abs(got-want) < abserr+1e-10 && abserr < 1e-7) {
				t.Errorf("d = %d: P = %.12g ± %.1e, want %.12g", c.d, got, abserr, want)
			}
			if c.d == 4 {
				checkProb(t, "quadrivariate", x, corr, want, 1e-12)
			}
		}
	}
}

// One factor hidden from the recognition, against its quadrature: the bound holds
// and is not idle.
func TestLatticeBound(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 14))
	var largest float64
	for _, d := range []int{5, 6, 8, 10, 20, 50, 100} {
		a := make([]float64, d)
		for i := range a {
			a[i] = math.Tanh(rnd.NormFloat64())
		}
		x := normals(rnd, d, 1)
		corr := filled(d, func(i, j int) float64 { return a[i] * a[j] })
		want := oneFactor(x, loaded(a))
		got, abserr := problemOf(x, corr).lattice(quick)
		ratio := math.Abs(got-want) / abserr
		if !(ratio < 1) || !(abserr < 5e-5) {
			t.Errorf("d = %d: P = %.12g ± %.1e, want %.12g", d, got, abserr, want)
		}
		largest = max(largest, ratio)
	}
	if !(largest > 0.01) {
		t.Errorf("the largest error is %.1e of its bound", largest)
	}
}

// twoFactor returns P(X ≤ x) for X_k = b_k·T + s_k Z_k with two independent factors
// T, by the trapezoidal rule in both.
func twoFactor(x []float64, b [][2]float64) float64 {
	const step, reach = 0.25, 6.0
	var sum float64
	for u := -reach; u <= reach; u += step {
		for v := -reach; v <= reach; v += step {
			y := gauss.PDF(u) * gauss.PDF(v)
			for k, bk := range b {
				y *= gauss.CDF((x[k] - bk[0]*u - bk[1]*v) / math.Sqrt(1-bk[0]*bk[0]-bk[1]*bk[1]))
				if y < 1e-18 {
					break
				}
			}
			sum += y
		}
	}
	return sum * step * step
}

// randomFactors returns loadings on two factors, of communality c, and the matrix.
func randomFactors(rnd *rand.Rand, d int, c float64) ([][2]float64, *mat.SymDense) {
	b := make([][2]float64, d)
	for i := range b {
		sin, cos := math.Sincos(2 * math.Pi * rnd.Float64())
		b[i] = [2]float64{math.Sqrt(c) * cos, math.Sqrt(c) * sin}
	}
	return b, filled(d, func(i, j int) float64 { return b[i][0]*b[j][0] + b[i][1]*b[j][1] })
}

// With few points the bound holds, and needs its six standard errors.
func TestLatticeCoverage(t *testing.T) {
	rnd := rand.New(rand.NewPCG(37, 32))
	var largest float64
	for k := range 120 {
		d := 8 + 4*(k%3)
		b, corr := randomFactors(rnd, d, 0.6)
		x := normals(rnd, d, 0)
		if k%2 == 0 {
			clear(x)
		}
		want := twoFactor(x, b)
		got, abserr := problemOf(x, corr).lattice(effort{fine: 0, work: 1e5, coarse: 1, most: 1e5})
		ratio := math.Abs(got-want) / abserr
		if !(ratio < 1) {
			t.Errorf("d = %d: P = %.12g ± %.1e, want %.12g", d, got, abserr, want)
		}
		largest = max(largest, ratio)
	}
	if !(largest > 0.5) {
		t.Errorf("the largest error is %.2g of its bound", largest)
	}
}

// The points double beyond the first budget for a problem that needs it.
func TestLatticeEffort(t *testing.T) {
	rnd := rand.New(rand.NewPCG(33, 34))
	b, corr := randomFactors(rnd, 8, 0.7)
	x := make([]float64, 8)
	want := twoFactor(x, b)
	p := problemOf(x, corr)
	_, bound := p.lattice(effort{fine: 0, work: 0, coarse: 0, most: 1e6})
	if _, same := p.lattice(effort{fine: 0, work: 1e6, coarse: 1, most: 1e8}); !(same == bound) {
		t.Errorf("bounds %.1e and %.1e, want the same", bound, same)
	}
	target := bound / 4
	got, abserr := p.lattice(effort{fine: 0, work: 1e6, coarse: target, most: 1e8})
	if !(abserr < target && math.Abs(got-want) < abserr) {
		t.Errorf("P = %.9g ± %.1e, want %.9g ± %.1e", got, abserr, want, target)
	}
}

// Rank-deficient matrices, with variables bounded from both sides.
func TestLatticeSingular(t *testing.T) {
	rnd := rand.New(rand.NewPCG(15, 16))
	for _, rank := range []int{1, 2, 3} {
		for range 8 {
			x, corr := normals(rnd, 4, 0.7), wishart(rnd, 4, rank)
			p := problemOf(x, corr)
			got, abserr := p.lattice(usual)
			want, bound := p.cdf()
			if !(math.Abs(got-want) < abserr+bound && abserr < 1e-5) {
				t.Errorf("rank %d: P = %.12g ± %.1e, quadrature %.12g", rank, got, abserr, want)
			}
		}
	}
	// X₅ = −X₁ among five variables: the difference of two probabilities of four.
	x, corr := normals(rnd, 5, 1), filled(5, func(i, j int) float64 { return 0 })
	four := wishart(rnd, 4, 6)
	for i := range 4 {
		for j := range i {
			corr.SetSym(i, j, four.At(i, j))
		}
		corr.SetSym(4, i, -four.At(0, i))
	}
	upper, _ := CDF(x[:4], four)
	lower, _ := CDF([]float64{-x[4], x[1], x[2], x[3]}, four)
	checkProb(t, "both signs of a variable", x, corr, upper-lower, 1e-7)
	// X₅ = X₁.
	for i := range 4 {
		corr.SetSym(4, i, four.At(0, i))
	}
	once, _ := CDF([]float64{min(x[0], x[4]), x[1], x[2], x[3]}, four)
	checkProb(t, "a variable twice", x, corr, once, 1e-12)
	x[4] = x[0]
	once, _ = CDF(x[:4], four)
	checkProb(t, "a variable twice with one limit", x, corr, once, 1e-12)
}

// Rounding does not hide the rank, not after conditioning either.
func TestRank(t *testing.T) {
	rnd := rand.New(rand.NewPCG(21, 22))
	for range 100 {
		p := problemOf(normals(rnd, 6, 0), wishart(rnd, 6, 3))
		if rank := len(p.sequence().own); rank != 3 {
			t.Errorf("rank %d, want 3", rank)
		}
		if rank := len(p.given(0).at(0.5).sequence().own); rank != 2 {
			t.Errorf("rank %d given a variable, want 2", rank)
		}
		// Much correlated with the given variable, the others lose digits.
		base, rows := normals(rnd, 3, 0), make([][]float64, 6)
		for i := range rows {
			rows[i] = normals(rnd, 3, 0)
			for k := range rows[i] {
				rows[i][k] = base[k] + 1e-3*rows[i][k]
			}
			rows[i] = scaledRow(rows[i])
		}
		p = problemOf(normals(rnd, 6, 0), filled(6, func(i, j int) float64 { return inner(rows[i], rows[j]) }))
		if rank := len(p.given(0).at(0.5).sequence().own); rank != 2 {
			t.Errorf("rank %d given a variable much like the others, want 2", rank)
		}
	}
}

// Given X₁ ≤ −1, whose mean is −1.5, X₃ ≤ 0.3 is less probable than X₂ ≤ 0.
func TestSequence(t *testing.T) {
	s := problemOf([]float64{-1, 0, 0.3}, symmetric(3, []float64{0.8, -0.5, -0.4})).sequence()
	root := math.Sqrt(0.75)
	if got, want := s.own[1].limit, 0.3/root; !(math.Abs(got-want) < 1e-15) {
		t.Errorf("second limit %g, want %g", got, want)
	}
	if got, want := s.own[1].coef[0], -0.5/root; !(math.Abs(got-want) < 1e-15) {
		t.Errorf("second coefficient %g, want %g", got, want)
	}
}

// The proposal pays: the weights of the draws vary less, as much as they may.
func TestProposal(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 18))
	scatter := func(w *walk) float64 {
		var sum, square, n float64
		for k := 0; k < 64; k += points {
			for _, v := range w.weights(uint32(k), 1, 6) {
				sum, square, n = sum+v, square+v*v, n+1
			}
		}
		return math.Sqrt(square/n-sum/n*sum/n) / (sum / n)
	}
	for range 5 {
		d := 20
		s := problemOf(normals(rnd, d, -1), wishart(rnd, d, 2*d)).sequence()
		w := newWalk(s)
		proposed := scatter(w)
		none := make([]float64, d)
		w.proposal = s.drawn(none, none, none)
		if plain := scatter(w); !(proposed < 0.15 && proposed < 0.1*plain) {
			t.Errorf("relative scatter %.3f with a proposal, %.3f without", proposed, plain)
		}
	}
}

func TestQuantile(t *testing.T) {
	for _, p := range []float64{0, 1e-300, 1e-17, 0.3, 0.5, 0.999, 1} {
		if q := quantile(p); math.IsInf(q, 0) || !(math.Abs(gauss.CDF(q)-p) < 1e-13) {
			t.Errorf("Φ⁻¹(%g) = %g", p, q)
		}
	}
	for p := 0.5; p > 1e-299; p *= 0.97 {
		if got, want := quantile(p), mathext.NormalQuantile(p); !scalar.EqualWithinAbsOrRel(got, want, 1e-13, 1e-13) {
			t.Errorf("Φ⁻¹(%g) = %g, want %g", p, got, want)
		}
	}
	// A share of an interval, in both tails and across.
	for _, c := range [][3]float64{{-9, -8, 0.3}, {8, 9, 0.3}, {-1, 2, 0.9}, {math.Inf(-1), 0.5, 0.2}} {
		mass, y := between(c[0], c[1], c[2])
		left, _ := between(c[0], y, 0.5)
		if !(math.Abs(left-c[2]*mass) < 1e-12*mass) {
			t.Errorf("share of [%g, %g] below %g is %g, want %g", c[0], c[1], y, left/mass, c[2])
		}
	}
	if mass, _ := between(1, 1, 0.5); mass != 0 {
		t.Errorf("mass %g of an empty interval", mass)
	}
}
