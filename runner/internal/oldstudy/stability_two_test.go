package study

import (
	"fmt"
	"math"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/softmax"
)

func TestFlattest(t *testing.T) {
	// Φ(x)Φ(−x)/φ(x) in 40 digits by mpmath.
	for _, c := range []struct{ x, want float64 }{
		{0, math.Sqrt(2*math.Pi) / 4},
		{0.5, 0.60597312403253278724},
		{-1, 0.55165253811868243483},
		{3, 0.30417913286542090477},
		{8, 0.12313196325793221968},
		{30, 0.033296419072497213382},
		{1000, 0.000999999000002999985},
		{math.Inf(1), 0},
	} {
		if got := flattest(c.x); !(math.Abs(got-c.want) <= 5e-15*c.want) {
			t.Errorf("h(%g) = %.17g, want %.17g", c.x, got, c.want)
		}
	}
	for x := 0.0; x < 60; x += 0.01 {
		if !(flattest(x+0.01) < flattest(x)) || !(flattest(x+0.01) < 1/(x+0.01)) {
			t.Fatalf("h does not fall below 1/x at %g", x)
		}
	}
}

// The closed form is that of the moments of the probit, whatever ρ.
func TestTwoClassesAreTheProbit(t *testing.T) {
	moments := softmax.NewMoments(2)
	var cov mat.SymDense
	for _, rho := range []float64{0, 0.3, 0.5, 0.9} {
		for _, lambda := range []float64{0.05, 0.3, 0.6, 1, 4} {
			for _, v := range []float64{0, 0.01, 0.4, 3, 100} {
				for gap := 0.0; gap < 12; gap += 0.37 {
					softmax.Probit{Lambda: lambda, Rho: rho}.Moments(moments, []float64{1 + gap, 1}, []float64{v, v})
					moments.Cov(&cov)
					got := twoClasses{lambda, v}.variance(gap)
					if !(math.Abs(got-cov.At(0, 0)) <= 1e-11) {
						t.Fatalf("λ = %g, ρ = %g, v = %g, gap %g: variance %g, of the probit %g", lambda, rho, v, gap, got, cov.At(0, 0))
					}
				}
			}
		}
	}
}

// erfcVariance is Var y by its definition and another library's erfc.
func erfcVariance(lambda, v, gap float64) float64 {
	c := lambda / math.Sqrt(1+2*lambda*lambda*v)
	x := c * gap
	return math.Erfc(x/math.Sqrt2)*math.Erfc(-x/math.Sqrt2)/4 - c*math.Exp(-x*x/2)/math.Sqrt(2*math.Pi)
}

// The boundary is where a search along the gap finds that Var y, worked out
// otherwise, changes from positive to negative.
func TestBoundaryBySearch(t *testing.T) {
	for _, lambda := range []float64{0.25, 0.4, 0.6, 0.62, 0.7, 1, 3} {
		for _, v := range []float64{0, 0.01, 0.3, 1, 2, 3} {
			at := twoClasses{lambda, v}
			lo, hi := 0.0, 30.0
			if erfcVariance(lambda, v, 0) <= 0 {
				if got := at.boundary(); got != 0 || at.definite(0) || at.definite(0.1) {
					t.Errorf("λ = %g, v = %g: boundary at %g, want none", lambda, v, got)
				}
				continue
			}
			if erfcVariance(lambda, v, hi) >= 0 {
				t.Fatalf("λ = %g, v = %g: no boundary to be found", lambda, v)
			}
			for hi-lo > 1e-13 {
				if mid := (lo + hi) / 2; erfcVariance(lambda, v, mid) > 0 {
					lo = mid
				} else {
					hi = mid
				}
			}
			near(t, fmt.Sprintf("boundary at λ = %g, v = %g", lambda, v), at.boundary(), lo, 1e-10)
			for _, gap := range []float64{0, 0.5 * lo, lo - 1e-6, lo + 1e-6, 2 * lo, 100 * lo} {
				if got, want := at.definite(gap), gap < lo; got != want {
					t.Errorf("λ = %g, v = %g, gap %g: definite %t, want %t", lambda, v, gap, got, want)
				}
			}
		}
	}
}

// The boundary goes through the points c = h(x), V = 1/c² − 1/λ², m = x/c.
func TestBoundaryByParameter(t *testing.T) {
	points := 0
	for _, lambda := range []float64{0.2, 0.5, math.Sqrt(2*math.Pi) / 4, 1, 50} {
		for x := 0.1; x < 40; x *= 1.1 {
			c := flattest(x)
			v := (1/(c*c) - 1/(lambda*lambda)) / 2
			if v < 1e-3 {
				continue
			}
			points++
			near(t, fmt.Sprintf("boundary at λ = %g, x = %g", lambda, x), twoClasses{lambda, v}.boundary(), x/c, 1e-11)
		}
	}
	if points < 100 {
		t.Errorf("only %d points", points)
	}
}

// From a λ that matches the slope on there is no gap at which no variance is too
// small; below it there is no variance that is too small at the gap 0.
func TestOnset(t *testing.T) {
	critical := math.Sqrt(2*math.Pi) / 4
	for _, c := range []struct{ lambda, gap, variance float64 }{
		{critical, 0, 0},
		{softmax.SlopeLambda(2, 0.5), 0, 0},
		{1, 0, 4/math.Pi - 0.5},
		{10, 0, 4/math.Pi - 0.005},
		{0.5, 1.370893364646064 / 0.5, 0},
	} {
		at := twoClasses{lambda: c.lambda}
		near(t, fmt.Sprintf("gap at variance 0, λ = %g", c.lambda), at.boundary(), c.gap, 1e-12)
		near(t, fmt.Sprintf("variance at gap 0, λ = %g", c.lambda), at.onset(), c.variance, 1e-14)
	}
	// Just below it the gap is not 0 but like the root of the difference.
	for _, below := range []float64{1e-6, 1e-10, 1e-12} {
		curvature := (flattest(0) - flattest(1e-3)) / 1e-6
		near(t, fmt.Sprintf("part of the gap expected %g below the slope-matched λ", below),
			twoClasses{lambda: critical - below}.boundary()*critical/math.Sqrt(below/curvature), 1, 1e-3)
	}
	for _, lambda := range []float64{0.64, 1, 10} {
		v := twoClasses{lambda: lambda}.onset()
		if below, over := (twoClasses{lambda, v * (1 - 1e-9)}), (twoClasses{lambda, v * (1 + 1e-9)}); below.definite(0) || !over.definite(0) {
			t.Errorf("λ = %g: definite at gap 0 just below %g: %t, just above: %t", lambda, v, below.definite(0), over.definite(0))
		}
	}
}
