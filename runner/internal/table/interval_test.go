package table

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
	"gonum.org/v1/gonum/stat/distuv"

	check "closedform/internal/checktest"
)

func TestStudent(t *testing.T) {
	mean, low, high := Student([]float64{1, 2, 3, 4})
	// t_{0.975} with 3 degrees of freedom is 3.182446305284263.
	half := 3.182446305284263 * math.Sqrt(5.0/3) / 2
	if mean != 2.5 || !scalar.EqualWithinAbs(low, 2.5-half, 1e-8) ||
		!scalar.EqualWithinAbs(high, 2.5+half, 1e-8) {
		t.Errorf("%g in [%g, %g], want 2.5 ± %g", mean, low, high, half)
	}
	if _, low, high := Student([]float64{1}); !math.IsInf(low, -1) || !math.IsInf(high, 1) {
		t.Errorf("interval of one value is [%g, %g], want the whole line", low, high)
	}
}

func TestQuantile(t *testing.T) {
	for _, nu := range []int{1, 2, 3, 4, 5, 9, 10, 29, 99, 1000, 9999} {
		got := StudentQuantile(nu, 0.95)
		check.Near(t, fmt.Sprint("CDF of ", nu), (distuv.StudentsT{Sigma: 1, Nu: float64(nu)}).CDF(got), 0.975,
			1e-12)
		check.Near(t, fmt.Sprint("within, of ", nu), StudentWithin(nu, got), 0.95, 1e-12)
	}
	check.Near(t, "1 degree of freedom", StudentQuantile(1, 0.95), 12.706204736174698, 1e-14) // tan(0.95 π/2)
}

func TestMeanVariance(t *testing.T) {
	x := []float64{1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16}
	if mean, variance := MeanVariance(x); mean != 1e9+10 || variance != 30 {
		t.Errorf("mean %v, variance %v", mean, variance)
	}
}
