package laplace

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

// wedges draws n examples of the task of the paper's experiment on [−2, 2]²:
// class 0 above both diagonals, class 1 below both, class 2 beside them.
func wedges(n int, src rand.Source) (x [][]float64, class []int) {
	rnd := rand.New(src)
	for range n {
		at := []float64{4*rnd.Float64() - 2, 4*rnd.Float64() - 2}
		c := 2
		if math.Abs(at[1]) > math.Abs(at[0]) {
			c = 0
			if at[1] < 0 {
				c = 1
			}
		}
		x, class = append(x, at), append(class, c)
	}
	return x, class
}

func problem(m Prior, x [][]float64, class []int) *Problem {
	return check.Must(NewProblem(m, x, class))
}

func sample(draws int, p *Problem, path ...any) *Sample {
	return check.Must(p.Sample(draws, random.Source(path...)))
}

// On the paper's task the draws are nearly as good as independent ones.
func TestEffectiveSampleSize(t *testing.T) {
	for _, n := range []int{0, 1, 10, 50, 400} {
		x, class := wedges(n, random.Source("toy", n))
		s := sample(4000, problem(Prior{Layers: []int{2, 3}}, x, class), "importance", n)
		check.True(t, s.ESS >= 3000, "%d examples: effective sample size %.0f of 4000", n, s.ESS)
	}
}

// Many seeds against quadrature over the difference of two weights: errors are of the size that is
// reported.
func TestAgainstQuadrature(t *testing.T) {
	x, class := [][]float64{{1.5}, {-0.7}, {2}, {0.3}, {-2.5}}, []int{0, 1, 0, 1, 0}
	p := problem(Prior{Layers: []int{1, 2}, Mean: []float64{0.5, -0.25}, Var: []float64{1.5, 0.5}}, x, class)
	sigmoid := func(d float64) float64 { return 1 / (1 + math.Exp(-d)) }
	want := func(at float64) float64 {
		var z, first float64
		for u := -8.5; u < 8.5; u += 17. / 2000 {
			d, w := 0.75+math.Sqrt2*u, math.Exp(-u*u/2) // d ~ N(0.75, 2)
			for k, example := range x {
				w *= sigmoid(float64(1-2*class[k]) * d * example[0])
			}
			z += w
			first += w * sigmoid(d*at)
		}
		return first / z
	}
	var chi, terms float64
	for seed := range 25 {
		s := sample(1000, p, "quadrature", seed)
		for _, at := range []float64{-1, 0.2, 3} {
			p, stderr, err := s.Predict([][]float64{{at}})
			check.OK(t, err)
			z := (p[0][0] - want(at)) / stderr[0][0]
			check.True(t, math.Abs(z) < 5, "seed %d, at %g: %g ± %g", seed, at, p, stderr)
			chi += z * z
			terms++
		}
	}
	mean := chi / terms
	check.True(t, mean > 0.5 && mean < 1.7, "mean squared z-score %.2f; want about 1", mean)
}

// Where the sample would be bad, or the arithmetic fails, there is an error.
func TestSampleRefuses(t *testing.T) {
	// Many weights, and examples that say something about each.
	x, class := make([][]float64, 30), make([]int, 30)
	for k := range x {
		x[k], class[k] = make([]float64, 30), k%5
		x[k][k] = 3
	}
	s, err := problem(Prior{Layers: []int{30, 5}}, x, class).Sample(1000, random.Source("refuse"))
	check.Refuses(t, "many weights", err, "need 100: use fewer examples, or more draws")
	check.True(t, s == nil, "a sample beside the error")
	for _, scale := range []float64{1e20, 1e154, 1e300} {
		x, class, _ := check.Clusters(30, 2, 3, "overflow")
		for _, at := range x {
			at[0] *= scale
			at[1] *= scale
		}
		s, err := problem(Prior{Layers: []int{2, 3}}, x, class).Sample(4000, random.Source("overflow"))
		check.True(t, s == nil && err != nil, "inputs of size %g: error %v", scale, err)
	}
	s = sample(100, problem(Prior{Layers: []int{1, 2}, Var: []float64{1e20, 1e20}}, nil, nil), "a")
	for _, x := range []float64{math.NaN(), 1e300} {
		_, _, err := s.Predict([][]float64{{x}})
		check.Refuses(t, fmt.Sprint("input ", x), err)
	}
	one := Prior{Layers: []int{1, 2}}
	check.Refuses(t, "NaN", check.Err(NewProblem(one, [][]float64{{math.NaN()}}, []int{0})), "input 0 is NaN")
	p := problem(one, nil, nil)
	short := Prior{Layers: []int{1, 2}, Mean: []float64{1}}
	check.Panics(t, "", "", func() { _, _ = NewProblem(short, nil, nil) })
	check.Panics(t, "", "", func() { _, _ = p.Sample(4, nil) })
	for draws, p := range map[int]*Problem{5: p, 2: p, 4: problem(Prior{Layers: []int{2, 2, 3}}, nil, nil)} {
		check.Refuses(t, fmt.Sprint(draws, " draws"), check.Err(p.Sample(draws, random.Source())))
	}
}
