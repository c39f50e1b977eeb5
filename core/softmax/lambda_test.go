package softmax

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"closedform/internal/check"
)

var probits = []Probit{{0.5, 0.5}, {0.4, 0.1}, {0.3, 0}, {0.4, 0.01}, {0.6, 0.9}}

// errors sets dst to e_j at z.
func (b Box) errors(dst []float64, p Probit, z []float64) {
	zero := make([]float64, b.Classes)
	exact, probit := moments(Exact{Fast: true}, z, zero), moments(p, z, zero)
	for j := range dst {
		dst[j] = exact.P[j] - probit.P[j]
	}
}

func TestRMSAgainstSampling(t *testing.T) {
	numbersOnly(t)
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{2, 3, 10} {
		for _, p := range probits {
			b := Box{n, 2.5}
			e, z := make([]float64, n), make([]float64, n)
			var sum, squares float64
			const samples = 2000
			for range samples {
				for j := range z {
					z[j] = b.Half * (2*rnd.Float64() - 1)
				}
				b.errors(e, p, z)
				var q float64
				for _, x := range e {
					q += x * x
				}
				sum += q
				squares += q * q
			}
			mean := sum / samples
			se := math.Sqrt((squares/samples - mean*mean) / samples)
			if got := b.RMS(p); !(math.Abs(got*got-mean) < 5*se) {
				t.Errorf("n=%d, %+v: mean square %g, sampled %g ± %g", n, p, got*got, mean, se)
			}
		}
	}
}

// Two ways to integrate the common noise meet at smallNoise.
func TestRMSIsContinuousInRho(t *testing.T) {
	b := Box{4, 3}
	below, at := b.RMS(Probit{0.5, math.Nextafter(smallNoise, 0)}), b.RMS(Probit{0.5, smallNoise})
	if !scalar.EqualWithinAbs(below, at, 1e-9) {
		t.Errorf("RMS %.12g just below ρ = %g, %.12g there", below, smallNoise, at)
	}
}

func TestMaxIsTheLargest(t *testing.T) {
	numbersOnly(t)
	rnd := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{2, 3, 4, 5} {
		b := Box{n, 3}
		for _, p := range []Probit{{0.45, 0.5}, {0.55, 0.5}, {0.5, 0.2}, {0.7, 0.8}} {
			e := make([]float64, n)
			largest := 0.0
			for range 15 {
				z := make([]float64, n)
				for j := range z {
					z[j] = b.Half * (2*rnd.Float64() - 1)
				}
				best := simplex(func(z []float64) float64 {
					for _, x := range z {
						if math.Abs(x) > b.Half {
							return 1
						}
					}
					b.errors(e, p, z)
					return -math.Abs(e[0])
				}, z, 0.5)
				b.errors(e, p, best)
				largest = max(largest, math.Abs(e[0]))
			}
			if got := b.Max(p); !(largest < got*(1+1e-6)) || !(largest > 0.8*got) {
				t.Errorf("n=%d, %+v: Max = %.8g, free search found %.8g", n, p, got, largest)
			}
		}
	}
}

// The normal distribution function nearest to the logistic one is at x/1.702
// (Haley 1952, Camilli 1994), with an error of 0.0095.
func TestMinimaxOfTwoClasses(t *testing.T) {
	b := Box{2, 4}
	p := b.Minimax(0.5)
	if !scalar.EqualWithinAbs(1/p.Lambda, 1.702, 5e-4) {
		t.Errorf("1/λ = %.6g, want 1.702", 1/p.Lambda)
	}
	if got := b.Max(p); !scalar.EqualWithinAbs(got, 0.0095, 5e-5) {
		t.Errorf("error %.6g, want 0.0095", got)
	}
}

// No neighbour of a fit is better.
func TestFitsAreBest(t *testing.T) {
	numbersOnly(t)
	for _, n := range []int{2, 3, 6} {
		b := Box{n, 3}
		for _, f := range []struct {
			name string
			fit  Probit
			loss func(Probit) float64
			free bool
		}{
			{"LeastSquares(0.3)", b.LeastSquares(0.3), b.RMS, false},
			{"LeastSquaresRho", b.LeastSquaresRho(), b.RMS, n > 2},
			{"Minimax(0.5)", b.Minimax(0.5), b.Max, false},
			{"MinimaxRho", b.MinimaxRho(), b.Max, n > 2},
		} {
			best := f.loss(f.fit)
			for k := range 8 {
				angle := math.Pi * float64(k) / 4
				near := Probit{f.fit.Lambda * (1 + 0.003*math.Cos(angle)), f.fit.Rho}
				if f.free {
					near.Rho += 0.003 * math.Sin(angle)
				} else if k%4 != 0 {
					continue
				}
				if got := f.loss(near); !(got > best) {
					t.Errorf("n=%d: %s = %+v has loss %.8g, %+v has %.8g", n, f.name, f.fit, best, near, got)
				}
			}
		}
	}
}

// Fits gain on the slope-matched λ, each by its own measure.
func TestFittedLambda(t *testing.T) {
	numbersOnly(t)
	b := Box{3, 3}
	slope := Probit{SlopeLambda(3, 0.5), 0.5}
	if !(b.RMS(b.LeastSquares(0.5)) < b.RMS(slope)) || !(b.Max(b.Minimax(0.5)) < b.Max(slope)) {
		t.Error("a fitted λ is worse than the slope-matched one")
	}
}

// λ is by definition where E at the origin is the softmax's 1/n². Closed forms: n = 2
// for any ρ; n = 3, where P_1 = ½; n = 4: P_2 = ¼ + asin(ρ/(1+ρ))/2π.
func TestSlopeLambda(t *testing.T) {
	for _, rho := range []float64{0, 0.3, 0.5, 0.9} {
		for _, n := range []int{2, 3, 4, 10, 100} {
			got := moments(Probit{SlopeLambda(n, rho), rho}, make([]float64, n), make([]float64, n))
			if want := 1 / float64(n*n); !scalar.EqualWithinRel(got.E.At(0, 1), want, 1e-8) && rho > 0 {
				t.Errorf("n=%d ρ=%g: derivative %g at the origin, want %g", n, rho, got.E.At(0, 1), want)
			}
		}
		root := math.Sqrt(2 * math.Pi)
		check.Near(t, "λ_2", SlopeLambda(2, rho), root/4, 1e-14)
		check.Near(t, "λ_3", SlopeLambda(3, rho), root/(9*0.5), 1e-14)
		check.Near(t, "λ_4", SlopeLambda(4, rho), root/(16*(0.25+math.Asin(rho/(1+rho))/(2*math.Pi))), 1e-13)
	}
}
