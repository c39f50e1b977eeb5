package metric

import (
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	check "closedform/internal/checktest"
)

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
