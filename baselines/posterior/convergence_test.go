package posterior

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"closedform/core/random"
)

// autoregressive returns chains of x_t = φ x_{t−1} + √(1−φ²) ε_t.
func autoregressive(chains, draws int, phi float64, path ...any) [][]float64 {
	rnd := rand.New(random.Source(path...))
	out := make([][]float64, chains)
	for c := range out {
		x := rnd.NormFloat64()
		for range draws {
			x = phi*x + math.Sqrt(1-phi*phi)*rnd.NormFloat64()
			out[c] = append(out[c], x)
		}
	}
	return out
}

// apply returns f(chain, draw, value) of all draws.
func apply(chains [][]float64, f func(c, i int, x float64) float64) [][]float64 {
	out := make([][]float64, len(chains))
	for c, chain := range chains {
		for i, x := range chain {
			out[c] = append(out[c], f(c, i, x))
		}
	}
	return out
}

func TestRHat(t *testing.T) {
	good := autoregressive(4, 1000, 0, "rhat")
	for _, test := range []struct {
		name        string
		chains      [][]float64
		above, upTo float64
	}{
		{"independent", good, 0.999, 1.005},
		{"one chain apart", apply(good, func(c, _ int, x float64) float64 { return x + float64(c/3) }), 1.08, 1.2},
		{"far apart", apply(good, func(c, _ int, x float64) float64 { return x + 100*float64(c) }), 2, 10},
		{"one chain wider", apply(good, func(c, _ int, x float64) float64 { return x * float64(1+3*(c/3)) }), 1.1, 2},
		{"all drift", apply(good, func(_, i int, x float64) float64 { return x + float64(i)/500 }), 1.1, 2},
		{"constant", apply(good, func(int, int, float64) float64 { return 3 }), 0.999999, 1},
	} {
		if r := rHat(test.chains); !(r > test.above && r <= test.upTo) {
			t.Errorf("%s: R̂ = %g, want above %g up to %g", test.name, r, test.above, test.upTo)
		}
	}
	stuck := apply(good, func(c, _ int, _ float64) float64 { return float64(c) })
	if r := rHat(stuck); !math.IsInf(r, 1) {
		t.Errorf("chains stuck at different places: R̂ = %g", r)
	}
}

// Without ties R̂ of two short chains, by hand: split into {1,2}, {3,4}, {5,6},
// {7,8}, the ranks are the values themselves.
func TestRHatByHand(t *testing.T) {
	z := func(rank float64) float64 { return math.Sqrt2 * math.Erfinv(2*(rank-0.375)/8.25-1) }
	var within, between float64
	for c := range 4 {
		lo, hi := z(float64(2*c+1)), z(float64(2*c+2))
		within += (hi - lo) * (hi - lo) / 2 / 4
		between += (lo + hi) * (lo + hi) / 4 / 3
	}
	want := math.Sqrt((within/2 + between) / within)
	if got := rHat([][]float64{{1, 2, 3, 4}, {5, 6, 7, 8}}); !scalar.EqualWithinRel(got, want, 1e-12) {
		t.Errorf("R̂ = %g, want %g", got, want)
	}
}

// For an autoregressive process the sum of the correlations is known.
func TestBulkESS(t *testing.T) {
	const chains, draws = 4, 10000
	for _, phi := range []float64{-0.5, -0.2, 0, 0.5, 0.9} {
		want := chains * draws * (1 - phi) / (1 + phi)
		if got := bulkESS(autoregressive(chains, draws, phi, "ess")); !scalar.EqualWithinRel(got, want, 0.15) {
			t.Errorf("φ = %g: effective sample size %.0f, want about %.0f", phi, got, want)
		}
	}
	x := autoregressive(4, 1000, 0.5, "ess")
	// Ranks do not feel a monotone map, not even one without moments.
	mapped := apply(x, func(_, _ int, x float64) float64 { return math.Exp(5 * x * x * x) })
	if a, b := bulkESS(x), bulkESS(mapped); a != b {
		t.Errorf("effective sample size %g, after a monotone map %g", a, b)
	}
	if got := bulkESS(apply(x, func(c, _ int, x float64) float64 { return x + 5*float64(c) })); !(got < 20) {
		t.Errorf("chains apart: effective sample size %g", got)
	}
	if got := bulkESS(apply(x, func(int, int, float64) float64 { return 1 })); got != 4000 {
		t.Errorf("constant: effective sample size %g", got)
	}
	alternating := apply(x, func(_, i int, _ float64) float64 { return float64(i % 2) })
	if got, limit := bulkESS(alternating), 4000*math.Log10(4000); !scalar.EqualWithinRel(got, limit, 1e-12) {
		t.Errorf("alternating draws: effective sample size %g, want the limit %g", got, limit)
	}
	// Ties have their mean rank, whichever end they are counted from.
	rounded := apply(x, func(_, _ int, x float64) float64 { return math.Floor(x) })
	mirrored := apply(rounded, func(_, _ int, x float64) float64 { return -x })
	if a, b := bulkESS(rounded), bulkESS(mirrored); !scalar.EqualWithinRel(a, b, 1e-9) {
		t.Errorf("effective sample size %g, mirrored %g", a, b)
	}
}

// Geyer's monotone sequence: with a period of 4 on top of a slow decay, sums of
// neighbouring correlations alternate about the decay, and must not rise.
func TestBulkESSIsMonotone(t *testing.T) {
	const phi, share = 0.9, 0.8
	x := apply(autoregressive(4, 20000, phi, "monotone"), func(_, i int, x float64) float64 {
		return math.Sqrt(share)*x + math.Sqrt(2*(1-share))*math.Cos(math.Pi/2*float64(i))
	})
	tau, last := -1.0, math.Inf(1)
	for k := 0; last > 0; k++ {
		pair := share*math.Pow(phi, float64(2*k))*(1+phi) + (1-share)*float64(1-2*(k%2))
		last = min(last, max(pair, 0))
		tau += 2 * last
	}
	if got, want := bulkESS(x), 80000/tau; !scalar.EqualWithinRel(got, want, 0.1) {
		t.Errorf("effective sample size %.0f, want about %.0f", got, want)
	}
}
