package slope

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/BurntSushi/toml"
	"gonum.org/v1/gonum/floats"

	"closedform/core/softmax"
	check "closedform/internal/checktest"
)

// errorsAt sets dst to e_j at the logits z.
func errorsAt(dst []float64, p softmax.Probit, z []float64) {
	zero, exact, probit := make([]float64, len(z)), softmax.NewMoments(len(z)), softmax.NewMoments(len(z))
	softmax.Exact{Fast: true}.Moments(exact, z, zero)
	p.Moments(probit, z, zero)
	floats.SubTo(dst, exact.P, probit.P)
}

// The mean square error is that of random logits, to its standard error.
func TestBoxErrors(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine")
	}
	rnd := rand.New(rand.NewPCG(1, 1))
	for _, n := range []int{2, 3, 10} {
		for _, c := range [][2]float64{{0.5, 0.5}, {0.4, 0.1}, {0.3, 0}, {0.4, 0.01}, {0.6, 0.9}} {
			p := softmax.Probit{Lambda: c[0], Rho: c[1]}
			e, z := make([]float64, n), make([]float64, n)
			var sum, squares float64
			const samples = 2000
			for range samples {
				for j := range z {
					z[j] = 3 * (2*rnd.Float64() - 1)
				}
				errorsAt(e, p, z)
				q := floats.Dot(e, e)
				sum += q
				squares += q * q
			}
			mean := sum / samples
			se := math.Sqrt((squares/samples - mean*mean) / samples)
			rms, _ := BoxErrors(p, n)
			check.True(t, math.Abs(rms*rms-mean) < 5*se, "%d, %+v: %g, sampled %g ± %g", n, p, rms*rms, mean, se)
		}
	}
	rms, largest := BoxErrors(softmax.Probit{Lambda: 1e9}, 50)
	check.True(t, math.IsNaN(rms) && largest > 0.1, "λ = 1e9: errors %g, %g", rms, largest)
}

// The contrasts that are searched include the largest error: raising |e_0| by random steps finds no larger.
func TestLargestInBox(t *testing.T) {
	if testing.Short() {
		t.Skip("long, and of one goroutine")
	}
	rnd := rand.New(rand.NewPCG(2, 1))
	for _, n := range []int{2, 3, 10} {
		for _, c := range [][2]float64{{0.45, 0.5}, {0.55, 0.5}, {0.5, 0.2}, {0.7, 0.8}} {
			p := softmax.Probit{Lambda: c[0], Rho: c[1]}
			e, best := make([]float64, n), 0.0
			for range 15 {
				z, next, found := make([]float64, n), make([]float64, n), 0.0
				for step := 2.0; step > 0.01; step *= 0.98 {
					for j := range z {
						next[j] = min(3, max(-3, z[j]+step*(2*rnd.Float64()-1)))
					}
					if errorsAt(e, p, next); math.Abs(e[0]) > found {
						found = math.Abs(e[0])
						copy(z, next)
					}
				}
				best = max(best, found)
			}
			if _, got := BoxErrors(p, n); !(best < got*(1+1e-6)) || !(best > 0.9*got) {
				t.Errorf("n=%d, %+v: the largest error is %.8g, a free search found %.8g", n, p, got, best)
			}
		}
	}
}

// No neighbour of a fit is better by the measure of its criterion.
func TestFitsAreBest(t *testing.T) {
	for _, n := range []int{2, 3, 6} {
		for k, criterion := range Criteria[1:] {
			measure := func(lambda float64) float64 {
				rms, largest := BoxErrors(softmax.Probit{Lambda: lambda, Rho: 0.5}, n)
				return []float64{rms, largest}[k]
			}
			lambda := fit(criterion, n, 0.5)
			for _, factor := range []float64{0.997, 1.003} {
				best, got := measure(lambda), measure(factor*lambda)
				check.True(t, got > best, "n=%d: %s λ = %g has %g, %g times it %g", n, criterion, lambda, best, factor, got)
			}
		}
		check.Equal(t, fmt.Sprint("slope, n=", n), fit("slope", n, 0.3), softmax.SlopeLambda(n, 0.3))
	}
}

// A number or a word is read, stands for its λ, and is written so that it reads back.
func TestLambda(t *testing.T) {
	const n, rho = 3, 0.5
	for text, want := range map[string]float64{
		"0.3": 0.3, "2": 2, `"slope"`: 0.5570285054735558, `"lsq"`: 0.5659105014928423,
		`"minimax"`: 0.5698516815497554,
	} {
		var v, again struct{ L Lambda }
		check.Must(toml.Decode("L = "+text, &v))
		spelled := check.Must(v.L.MarshalTOML())
		_, err := toml.Decode("L = "+string(spelled), &again)
		if err != nil || again != v || !(math.Abs(v.L.Value(n, rho)-want) < 1e-9) {
			t.Errorf("%s: %v, λ = %g, want %g; spelled %s", text, err, v.L.Value(n, rho), want, spelled)
		}
	}
	for _, text := range []string{"0", "-1", `"steep"`, "nan", "inf", "[1]"} {
		var v struct{ L Lambda }
		check.Refuses(t, text, check.Err(toml.Decode("L = "+text, &v)), "minimax")
	}
	check.Panics(t, "softmax: ", "ρ = 1", func() { Lambda{Word: "lsq"}.Value(3, 1) })
	check.Panics(t, "slope: ", "steep", func() { Lambda{Word: "steep"}.Value(3, 0.5) })
}
