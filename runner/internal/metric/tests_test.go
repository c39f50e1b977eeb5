package metric

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	check "closedform/internal/checktest"
)

// By hand; what is not a number counts among the tests.
func TestHolm(t *testing.T) {
	check.NearAll(t, "p", Holm([]float64{0.01, 0.04, 0.03, 0.005}), []float64{0.03, 0.06, 0.06, 0.02}, 1e-15)
	if all := Holm([]float64{math.NaN(), 0.01}); !math.IsNaN(all[0]) || all[1] != 0.02 {
		t.Errorf("with a gap %v", all)
	}
}

func TestTotalVariation(t *testing.T) {
	check.Near(t, "total variation", TotalVariation([]float64{1, 0, 0}, []float64{0.5, 0.2, 0.3}), 0.5, 1e-15)
}

// The critical distances at 5 and 1 %, from Miller (1956), are met to 0.002 in p, and the exact value of
// Marsaglia, Tsang and Wang (2003) to 0.01.
func TestKolmogorov(t *testing.T) {
	for _, c := range []struct {
		n                int
		distance, p, tol float64
	}{
		{5, 0.56328, 0.05, 0.002},
		{10, 0.48893, 0.01, 0.002},
		{40, 0.25205, 0.01, 0.002},
		{100, 0.13403, 0.05, 0.002},
		{10, 0.274, 1 - 0.6284796154565043, 0.01},
	} {
		// Normal quantiles, shifted so that the largest distance is the wanted one.
		x := make([]float64, c.n)
		for k := range x {
			x[k] = mathext.NormalQuantile(min(1-1e-12, float64(k)/float64(c.n)+c.distance))
		}
		slices.Reverse(x)
		distance, p := Kolmogorov(x)
		check.Near(t, "distance", distance, c.distance, 1e-9)
		check.Near(t, fmt.Sprintf("p, n = %d, distance %g", c.n, c.distance), p, c.p, c.tol)
		for k := range x {
			x[k] = -x[k]
		}
		mirrored, _ := Kolmogorov(x)
		check.Near(t, "mirrored distance", mirrored, c.distance, 1e-9)
	}
	if _, p := Kolmogorov([]float64{-1, 0, 1}); !(p > 0.9 && p <= 1) {
		t.Errorf("p = %g of three quartiles", p)
	}
}

// Tails of the normal distribution, against those of another library.
func TestNormalTail(t *testing.T) {
	for _, p := range []float64{0.4, 0.025, 1e-6, 1e-12} {
		check.Near(t, fmt.Sprint(p), NormalTail(p), -mathext.NormalQuantile(p), 1e-12)
	}
}

func TestRanks(t *testing.T) {
	nan := math.NaN()
	check.Equal(t, "ranks", Ranks([]float64{3, 1, nan, 3 - 1e-14, math.Inf(1), nan}),
		[]float64{2.5, 1, 5.5, 2.5, 4, 5.5})
}

// Tabled values of the studentized range (Demšar 2006, Table 5, times √2).
func TestStudentizedRange(t *testing.T) {
	for k, want := range []float64{1: 0, 1.960, 2.343, 2.569, 2.728, 2.850, 2.949, 3.031, 3.102, 3.164} {
		check.Near(t, fmt.Sprint("k = ", k), StudentizedRange(k)/math.Sqrt2, want, 1e-3)
	}
}
