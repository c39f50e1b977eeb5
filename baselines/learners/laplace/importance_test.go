package laplace

import (
	"math"
	"math/rand/v2"
	"testing"

	"closedform/core/random"
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

// square returns the centres of n×n cells of [−2, 2]².
func square(n int) [][]float64 {
	var grid [][]float64
	for i := range n {
		for j := range n {
			grid = append(grid, []float64{4*(float64(i)+0.5)/float64(n) - 2, 4*(float64(j)+0.5)/float64(n) - 2})
		}
	}
	return grid
}

func problem(t testing.TB, m Prior, x [][]float64, class []int) *Problem {
	t.Helper()
	p, err := NewProblem(m, x, class)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func sample(t testing.TB, s Importance, p *Problem, path ...any) *Sample {
	t.Helper()
	out, err := s.Sample(p, random.Source(path...))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func predictSample(t testing.TB, s *Sample, x []float64) (p, stderr []float64) {
	t.Helper()
	p, stderr, err := s.Predict(x)
	if err != nil {
		t.Fatal(err)
	}
	return p, stderr
}

// The stated use: 25 to 400 points of the paper's experiment, noise of the total
// variation below 0.005.
func TestImportanceOnToy(t *testing.T) {
	for _, n := range []int{0, 1, 3, 10, 25, 50, 100, 400} {
		x, class := wedges(n, random.Source("toy", n))
		s := sample(t, Importance{}, problem(t, Prior{Layers: []int{2, 3}}, x, class), "importance", n)
		if s.ESS < 3000 {
			t.Errorf("%d examples: effective sample size %.0f of 4000", n, s.ESS)
		}
		var noise float64
		grid := square(6)
		for _, at := range grid {
			_, stderr := predictSample(t, s, at)
			for _, e := range stderr {
				noise += e / 2 * math.Sqrt(2/math.Pi) / float64(len(grid))
			}
		}
		if !(noise < 0.004) {
			t.Errorf("%d examples: mean noise of the total variation %.2g", n, noise)
		}
	}
}
