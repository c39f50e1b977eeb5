package mvn

import (
	"math"
	"math/rand/v2"
	"testing"

	"closedform/core/gauss"
)

// Variables that are almost the same, all but one without a limit: the integrand
// falls from its maximum to zero at x₁, over a distance of any size.
func TestNarrowTransition(t *testing.T) {
	for _, gap := range []float64{1e-4, 1e-6, 1e-8, 1e-10, 1e-12} {
		for _, d := range []int{3, 4, 5} {
			equal := filled(d, func(i, j int) float64 { return 1 - gap })
			for h := -1.5; h < 1.5; h += 0.02 {
				x := []float64{h, 9, 9, 9, 9}[:d]
				checkProb(t, "equal", x, equal, gauss.CDF(h), 1e-13)
				if d < 5 { // else the lattice rule
					unequal := filled(d, func(i, j int) float64 { return 1 - gap*(1+0.3*float64((i*i+3*j)%4)) })
					checkProb(t, "unequal", x, unequal, gauss.CDF(h), 1e-13)
				}
			}
		}
	}
}

// Four variables nearly ±T, two of them with limits: those two alone. Some pairs
// are much more alike than others, and some matrices singular to rounding.
func TestNarrowPairs(t *testing.T) {
	corr := symmetric(4, []float64{
		0.9999999606792507, 0.9999999558245447, 0.9999999196192518,
		0.9999999732691951, 0.9999999786781607, 0.9999999851909381,
	})
	checkProb(t, "review", []float64{0.542017197083803, 8.9, 0.5417199582731009, 8.9}, corr, 0.7059857500854, 1e-13)

	rnd := rand.New(rand.NewPCG(23, 24))
	for k := range 1500 {
		size := math.Pow(10, -7+6*rnd.Float64())
		rows := make([][]float64, 4)
		for i := range rows {
			rows[i] = normals(rnd, 5, 0)
			for k := range rows[i] {
				rows[i][k] *= size
				if i%2 == 1 {
					rows[i][k] *= 0.01
				}
			}
			rows[i][0] = 1
			if k%3 == 0 && i > 1 {
				rows[i][0] = -1
			}
			rows[i] = scaledRow(rows[i])
		}
		corr := filled(4, func(i, j int) float64 { return max(-1, min(1, inner(rows[i], rows[j]))) })
		x, perm := []float64{8.9, 8.9, 8.9, 8.9}, rnd.Perm(4)
		i, j := perm[0], perm[1]
		r := corr.At(i, j)
		x[i] = rnd.NormFloat64()
		x[j] = math.Copysign(1, r)*x[i] + float64(rnd.IntN(3))*math.Sqrt(2*(1-math.Abs(r)))
		checkProb(t, "pair", x, corr, bivariate(x[i], x[j], r, full), 1e-7) // and within its bound
	}
}

// Two variables near T and two near −T leave T a narrow band: X = ±cT + AZ, where
// T is integrated exactly and Z drawn.
func TestBand(t *testing.T) {
	rnd := rand.New(rand.NewPCG(25, 26))
	for _, size := range []float64{1e-2, 1e-4, 1e-6} {
		x, load, a := []float64{0.5, 0.5, -0.5 + 10*size, -0.5 + 10*size}, []float64{1, 1, -1, -1}, make([][]float64, 4)
		for i := range a {
			a[i] = normals(rnd, 4, 0)
			for k := range a[i] {
				a[i][k] *= size
			}
			load[i] *= math.Sqrt(1 - inner(a[i], a[i]))
		}
		corr := filled(4, func(i, j int) float64 { return load[i]*load[j] + inner(a[i], a[j]) })
		const draws = 20000
		var sum, square float64
		for range draws {
			z := normals(rnd, 4, 0)
			lo, hi := math.Inf(-1), math.Inf(1)
			for i := range x {
				if bound := (x[i] - inner(a[i], z)) / load[i]; load[i] > 0 {
					hi = min(hi, bound)
				} else {
					lo = max(lo, bound)
				}
			}
			band := max(0, gauss.CDF(hi)-gauss.CDF(lo))
			sum, square = sum+band, square+band*band
		}
		mean := sum / draws
		got, _ := CDF(x, corr)
		if se := math.Sqrt((square/draws - mean*mean) / draws); !(math.Abs(got-mean) < 5*se) {
			t.Errorf("size %g: P = %.6g, Monte Carlo %.6g ± %.1g", size, got, mean, se)
		}
	}
}

// Given the first variable, two of the others are nearly equal or opposite, or the
// three nearly dependent: the quadrature against one in many pieces.
func TestKinks(t *testing.T) {
	rnd := rand.New(rand.NewPCG(27, 28))
	for k := range 30 {
		size := math.Pow(10, -5+4*rnd.Float64())
		rows := make([][]float64, 4)
		for i := range rows {
			rows[i] = normals(rnd, 4, 0)
		}
		for l := range rows[3] { // more alike given X₁ than without
			rows[3][l] = float64(2*(k%2)-1)*rows[2][l] + size*rows[3][l]
			if k%3 == 0 {
				rows[3][l] += rows[1][l]
			}
		}
		rows[3][0] += rnd.NormFloat64()
		for i := range rows {
			rows[i] = scaledRow(rows[i])
		}
		x := normals(rnd, 4, 0.5)
		corr := filled(4, func(i, j int) float64 { return inner(rows[i], rows[j]) })
		c := problemOf(x, corr).given(0)
		f := func(t float64) float64 { return gauss.PDF(t) * value(c.at(t).few()) }
		var want float64
		const pieces = 200
		lo, hi := -8.5, min(x[0], 8.5)
		for k := range pieces {
			want += integrate(f, lo+(hi-lo)*float64(k)/pieces, lo+(hi-lo)*float64(k+1)/pieces, 1e-15)
		}
		checkProb(t, "kink", x, corr, want, 1e-13)
	}
}

// X₂ = X₁ but for a variance that the quadrature over X₁ would take for zero: that
// over X₃ keeps it.
func TestChoiceOfVariable(t *testing.T) {
	const gap, h = 1e-14, 0.3
	r := 1 - gap
	corr := symmetric(4, []float64{r, 0.5, -0.3, r * 0.5, r * -0.3, 0.4})
	x := []float64{h, h, 0.5, 0.7}
	// Less P(X₁ ≤ h < X₂, …) to first order in the standard deviation of X₂.
	root := math.Sqrt((1 - r) * (1 + r))
	third, fourth := limit(0.5, h, 0.5), limit(0.7, h, -0.3)
	given := bivariate(third, fourth, (0.4+0.15)/math.Sqrt(0.75*0.91), full)
	want := value(trivariate(h, 0.5, 0.7, 0.5, -0.3, 0.4, full)) - gauss.PDF(h)*root/math.Sqrt(2*math.Pi)*given
	checkProb(t, "choice", x, corr, want, 1e-10)
	if _, abserr := CDF(x, corr); !(abserr < 1e-9) {
		t.Errorf("bound %.1e", abserr)
	}
	// Where all are alike there is no choice, and the bound says so.
	corr = filled(4, func(i, j int) float64 { return 1 - gap*(1+0.1*float64(i*j)) })
	want = bivariate(h, h, corr.At(0, 3), full)
	checkProb(t, "no choice", []float64{h, 9, 9, h}, corr, want, 1e-7)
}

// Matrices that rounding made indefinite: X₂ and X₃, or X₁ and X₂, are the same to
// rounding, but do not correlate alike with the third.
func TestIndefiniteToRounding(t *testing.T) {
	for _, c := range []struct {
		x, r []float64
		want float64
	}{
		{
			[]float64{-0.46836712582793016, -3, -0.580034767482174},
			[]float64{0.5576812219629533, 0.9999999999999997, 0.557681194210146},
			0.00125715106,
		},
		{make([]float64, 3), []float64{0.15101821273603244, 0.9999999999999997, 0.15101818706340378}, 0.27412760165},
		{[]float64{-0.8364516044190269, 8, 0}, []float64{0.9999999999999292, 0.3972050790064394, 0.3972047334454208}, 0.14560779388},
		{[]float64{0, 8, 0}, []float64{0.5, 0.5 + 2e-7, 1}, bivariate(0, 0, 0.5+2e-7, full)},
		{[]float64{0, 0, 8}, []float64{0.5, -0.5 - 2e-7, -1}, 1. / 3},
	} {
		checkProb(t, "three", c.x, symmetric(3, c.r), c.want, 1e-7)
	}
	// One of four dropped because it is another, though not for the fourth.
	corr := symmetric(4, []float64{1 - 5e-15, 1, 1 - 17e-15, 1 - 6e-15, 1 - 38e-15, 1 - 14e-15})
	x := []float64{8.9, 8.9, 0.3021648681036848, 0.3021648681036848}
	checkProb(t, "four", x, corr, bivariate(x[2], x[3], corr.At(2, 3), full), 1e-8)
}

// A variable that is another one but for a standard deviation of 1e-7, which is
// taken for zero: the bound includes it.
func TestBoundOfDetermined(t *testing.T) {
	const small = 1e-7
	rows := [][]float64{{1, 0, 0}, {0.5, math.Sqrt(0.75), 0}, {0.3, 0.2, math.Sqrt(0.87)}, {math.Sqrt(1 - small*small), 0, small}}
	s := problemOf([]float64{-1, 0, 1, 2}, filled(4, func(i, j int) float64 { return inner(rows[i], rows[j]) })).sequence()
	if len(s.own) != 3 || !(s.abserr > 0.9*gauss.PDF(0)*small) {
		t.Errorf("rank %d, bound %.2e, want 3 and at least %.2e", len(s.own), s.abserr, gauss.PDF(0)*small)
	}
}

// Correlations that are nearly none count, or their effect is in the bound.
func TestNearlyIndependent(t *testing.T) {
	const r = 5e-12
	// A chain X₂, X₁, X₃, X₄: the orthants of two pairs, and for each correlation ρ
	// between them φ₂(0, 0; 0)ρ, a quarter of it left by the limits of the others.
	corr := symmetric(4, []float64{0.5, r, 0.5 * r, 0.5 * r, 0.25 * r, 0.5})
	checkProb(t, "small correlation", make([]float64, 4), corr, 1./9+(1+0.5+0.5+0.25)*r/(8*math.Pi), 1e-15)

	const d, negligible = 40, 9e-15
	p := problemOf(make([]float64, d), filled(d, func(i, j int) float64 { return negligible }))
	groups, abserr := p.independent()
	if want := d * (d - 1) / 2 * negligible / (2 * math.Pi); len(groups) != d || !(abserr >= 0.99*want && abserr < 2*want) {
		t.Errorf("%d groups, bound %.2e, want %d and %.2e", len(groups), abserr, d, want)
	}
}
