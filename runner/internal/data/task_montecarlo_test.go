package data

import (
	"math"
	"testing"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"closedform/core/random"
)

// cases are generators with noise enough that each error happens often.
var cases = []Generator{
	{Name: "logistic"},
	{Name: "logistic", Noise: 0.1},
	{Name: "moons", Noise: 0.3},
	{Name: "rings", Noise: 0.6},
	{Name: "sectors", Arms: 4},
	{Name: "sectors", Arms: 4, Noise: 0.1},
	{Name: "spirals", Noise: 0.5, Arms: 4},
	{Name: "wedges"},
	{Name: "xor"},
}

// The examples against the class probabilities:
//
//   - The classes have their shares, and the region holds nearly all.
//   - E[(1{class = k} − P(class k | x)) h(x)] = 0 for any h, where P is known.
func TestExamplesMonteCarlo(t *testing.T) {
	const n = 100_000
	weights := []func(x []float64, p float64) float64{
		func([]float64, float64) float64 { return 1 },
		func(x []float64, _ float64) float64 { return x[0] },
		func(x []float64, _ float64) float64 { return x[1] },
		func(x []float64, _ float64) float64 { return x[0] * x[1] },
		func(_ []float64, p float64) float64 { return p },
	}
	for _, g := range cases {
		task := g.Task()
		set := task.Draw(n, random.Source("dataset", g.Name, "montecarlo"))
		p := make([]float64, task.Classes)
		probabilities := make([][]float64, n)
		var expected, inside float64 // of the best rule how many are wrong
		count := make([]float64, task.Classes)
		for i, x := range set.X {
			count[set.Class[i]]++
			if r := task.Region; r.Low[0] <= x[0] && x[0] <= r.High[0] && r.Low[1] <= x[1] && x[1] <= r.High[1] {
				inside++
			}
			if task.Probabilities != nil && !task.Probabilities(p, x) {
				t.Fatalf("%v: no class probabilities at %v", g, x)
			}
			probabilities[i] = append([]float64(nil), p...)
			expected += 1 - floats.Max(p)
		}
		values := make([]float64, n)
		if inside < 0.99*n {
			t.Errorf("%v: the region %v has %g of %d examples", g, task.Region, inside, n)
		}
		for class := range task.Classes {
			share := 1 / float64(task.Classes)
			if g.Name == "wedges" {
				share = []float64{0.25, 0.25, 0.5}[class]
			}
			if z := (count[class] - n*share) / math.Sqrt(n*share*(1-share)); !(math.Abs(z) < 5) {
				t.Errorf("%v: class %d in %g of %d examples, %.1f standard errors from a share of %g", g, class,
					count[class], n, z, share)
			}
			for w, weight := range weights {
				if task.Probabilities == nil {
					break
				}
				for i, x := range set.X {
					values[i] = -probabilities[i][class]
					if set.Class[i] == class {
						values[i]++
					}
					values[i] *= weight(x, probabilities[i][class])
				}
				mean, sd := stat.MeanStdDev(values, nil)
				if se := sd / math.Sqrt(n); expected > 1 && !(math.Abs(mean) <= 5*se) {
					t.Errorf("%v: class %d, weight %d: mean residual %g ± %g", g, class, w, mean, se)
				}
			}
		}
	}
}
