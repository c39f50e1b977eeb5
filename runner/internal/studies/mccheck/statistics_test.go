package mccheck

import (
	"fmt"
	"slices"
	"testing"

	"gonum.org/v1/gonum/mathext"

	check "closedform/internal/checktest"
	"closedform/runner/internal/study/studytest"
)

// The critical distances at 5 and 1 %, from Miller (1956), are met to 0.002 in p, and
// the exact value of Marsaglia, Tsang and Wang (2003) to 0.01.
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
		distance, p := kolmogorov(x)
		check.Near(t, "distance", distance, c.distance, 1e-9)
		check.Near(t, fmt.Sprintf("p, n = %d, distance %g", c.n, c.distance), p, c.p, c.tol)
		for k := range x {
			x[k] = -x[k]
		}
		mirrored, _ := kolmogorov(x)
		check.Near(t, "mirrored distance", mirrored, c.distance, 1e-9)
	}
	if _, p := kolmogorov([]float64{-1, 0, 1}); !(p > 0.9 && p <= 1) {
		t.Errorf("p = %g of three quartiles", p)
	}
}

func TestRefused(t *testing.T) {
	studytest.Refused(t, Kind, manifest, map[string]string{
		"mc_check.classes=[1]": "2 to", "mc_check.rho=[1]": "0 to 0.999", "mc_check.samples=1": "samples", "mc_check.cases=0": "cases",
		"mc_check.variance=0": "variance", "mc_check.lambda=[2, 1]": "low < high", "mc_check.lambda=[0, 1]": "lambda", "mc_check.rho=[]": "mc_check.rho: [] is",
	})
}
