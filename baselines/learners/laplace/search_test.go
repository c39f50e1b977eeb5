package laplace

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// rosenbrock is Σ 100 (x_{i+1} − x_i²)² + (1 − x_i)², and not a number far out.
func rosenbrock(grad, x []float64) (sum float64) {
	clear(grad)
	for i := range len(x) - 1 {
		rise, rest := x[i+1]-x[i]*x[i], 1-x[i]
		sum += 100*rise*rise + rest*rest
		grad[i] -= 400*x[i]*rise + 2*rest
		grad[i+1] += 200 * rise
	}
	if floats.Norm(x, math.Inf(1)) > 10 {
		return math.NaN()
	}
	return sum
}

func TestRosenbrock(t *testing.T) {
	for _, n := range []int{2, 3, 40} {
		x, evaluations := make([]float64, n), 0
		for i := range x {
			x[i] = -1.2 + 2.2*float64(i%2)
		}
		value := minimize(func(grad, x []float64) float64 {
			evaluations++
			return rosenbrock(grad, x)
		}, x, 1e-10, 1000)
		for i := range x {
			if math.Abs(x[i]-1) > 1e-10 {
				t.Errorf("n = %d: x[%d] = %v", n, i, x[i])
			}
		}
		if value > 1e-20 || evaluations > 400 {
			t.Errorf("n = %d: value %g after %d evaluations", n, value, evaluations)
		}
	}
}

// A badly scaled quadratic on top of a large number, which hides what the last steps gain.
func TestRounding(t *testing.T) {
	x := []float64{3, -2, 5, 1, 1}
	minimize(func(grad, x []float64) float64 {
		sum := 1e3
		for i := range x {
			scale := math.Pow(10, float64(i-2))
			grad[i] = scale * (x[i] - float64(i))
			sum += grad[i] * grad[i] / scale / 2
		}
		return sum
	}, x, 1e-10, 1000)
	for i := range x {
		if math.Abs(x[i]-float64(i)) > 1e-7 {
			t.Errorf("x[%d] = %v", i, x[i])
		}
	}
}

// At the minimum of |x − 1| + |y| + y²/2 no slope is zero.
func TestKink(t *testing.T) {
	x := []float64{-3.1, 2.7}
	value := minimize(func(grad, x []float64) float64 {
		grad[0], grad[1] = math.Copysign(1, x[0]-1), math.Copysign(1, x[1])+x[1]
		return math.Abs(x[0]-1) + math.Abs(x[1]) + x[1]*x[1]/2
	}, x, 0, 1000)
	if value > 1e-8 {
		t.Errorf("value %g at %v", value, x)
	}
}

func TestSearchEnds(t *testing.T) {
	for _, c := range []struct {
		tol   float64
		steps int
		moves bool
	}{{300, 100, false}, {0, 0, false}, {0, 1, true}} {
		x := []float64{-1.2, 1}
		if minimize(rosenbrock, x, c.tol, c.steps); (x[0] != -1.2) != c.moves {
			t.Errorf("%+v: it ends at %v", c, x)
		}
	}
}
