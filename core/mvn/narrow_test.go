package mvn

import (
	"testing"

	"closedform/core/gauss"
)

// Variables that are almost the same, all but one without a limit: the integrand
// falls from its maximum to zero at x₁, over a distance of any size.
func TestNarrowTransition(t *testing.T) {
	for _, gap := range []float64{1e-4, 1e-6, 1e-8, 1e-10, 1e-12} {
		for _, d := range []int{3, 4, 5} {
			equal := filled(d, func(i, j int) float64 { return 1 - gap })
			for h := -1.5; h < 1.5; h += 0.1 {
				x := []float64{h, 9, 9, 9, 9}[:d]
				checkProb(t, "equal", x, equal, gauss.CDF(h), 1e-13)
				if d == 3 { // else the lattice
					unequal := filled(d, func(i, j int) float64 { return 1 - gap*(1+0.3*float64((i*i+3*j)%4)) })
					checkProb(t, "unequal", x, unequal, gauss.CDF(h), 1e-13)
				}
			}
		}
	}
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
}
