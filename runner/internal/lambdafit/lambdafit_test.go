package lambdafit

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"

	"closedform/core/softmax"
	"closedform/internal/check"
)

// long skips a test under -short, with which the race detector runs: it has one goroutine.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("long, and of one goroutine")
	}
}

var probits = []softmax.Probit{{Lambda: 0.5, Rho: 0.5}, {Lambda: 0.4, Rho: 0.1}, {Lambda: 0.3, Rho: 0}, {Lambda: 0.4, Rho: 0.01}, {Lambda: 0.6, Rho: 0.9}}

// errors sets dst to e_j at z.
func (b Box) errors(dst []float64, p softmax.Probit, z []float64) {
	zero := make([]float64, b.Classes)
	exact, probit := softmax.NewMoments(b.Classes), softmax.NewMoments(b.Classes)
	softmax.Exact{Fast: true}.Moments(exact, z, zero)
	p.Moments(probit, z, zero)
	for j := range dst {
		dst[j] = exact.P[j] - probit.P[j]
	}
}

func TestRMSAgainstSampling(t *testing.T) {
	long(t)
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
	below, at := b.RMS(softmax.Probit{Lambda: 0.5, Rho: math.Nextafter(smallNoise, 0)}), b.RMS(softmax.Probit{Lambda: 0.5, Rho: smallNoise})
	check.Near(t, "RMS just below smallNoise", below, at, 1e-9)
}

func TestMaxIsTheLargest(t *testing.T) {
	long(t)
	rnd := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{2, 3, 4, 5} {
		b := Box{n, 3}
		for _, p := range []softmax.Probit{{Lambda: 0.45, Rho: 0.5}, {Lambda: 0.55, Rho: 0.5}, {Lambda: 0.5, Rho: 0.2}, {Lambda: 0.7, Rho: 0.8}} {
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
	p := b.Fit("minimax", 0.5)
	if !scalar.EqualWithinAbs(1/p.Lambda, 1.702, 5e-4) {
		t.Errorf("1/λ = %.6g, want 1.702", 1/p.Lambda)
	}
	check.Near(t, "error", b.Max(p), 0.0095, 5e-5)
}

// No neighbour of a fit is better.
func TestFitsAreBest(t *testing.T) {
	long(t)
	for _, n := range []int{2, 3, 6} {
		b := Box{n, 3}
		for _, f := range []struct {
			name string
			fit  softmax.Probit
			loss func(softmax.Probit) float64
		}{
			{"lsq", b.Fit("lsq", 0.3), b.RMS},
			{"minimax", b.Fit("minimax", 0.5), b.Max},
		} {
			best := f.loss(f.fit)
			for _, factor := range []float64{0.997, 1.003} {
				near := f.fit
				near.Lambda *= factor
				if got := f.loss(near); !(got > best) {
					t.Errorf("n=%d: %s = %+v has loss %.8g, %+v has %.8g", n, f.name, f.fit, best, near, got)
				}
			}
		}
	}
}

func TestPanics(t *testing.T) {
	check.Panics(t, "softmax: ", "ρ = 1", func() { Box{3, 1}.Fit("lsq", 1) })
	check.Panics(t, "lambdafit: ", "steep", func() { Box{3, 1}.Fit("steep", 0.5) })
}
