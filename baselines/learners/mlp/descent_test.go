package mlp

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
	"closedform/internal/check"
)

// Two steps by hand. The first is rate·g/(|g|+ε) whatever β₁ and β₂ are.
func TestAdam(t *testing.T) {
	a, w := NewAdam(2), []float64{1, 1}
	a.Step(w, []float64{2, -1e-8}, 0.1)
	if want := []float64{1 - 0.1*2/(2+1e-8), 1 + 0.1*0.5}; !floats.EqualApprox(w, want, 1e-14) {
		t.Errorf("after one step %.15g, want %.15g", w, want)
	}
	// m = 0.9·0.2 + 0.1·(−1) = 0.08, v = 0.999·0.004 + 0.001 = 0.004996,
	// m̂ = 0.08/0.19, v̂ = 0.004996/0.001999.
	before := w[0]
	a.Step(w, []float64{-1, 0}, 0.3)
	want := before - 0.3*(0.08/0.19)/(math.Sqrt(0.004996/0.001999)+1e-8)
	if !(math.Abs(w[0]-want) < 1e-12) {
		t.Errorf("after two steps %.15g, want %.15g", w[0], want)
	}
}

// Every epoch sees each example once, in batches that are full but for the last, in
// another order each time; and the weights come to rest at the mean of the examples.
func TestDescent(t *testing.T) {
	const n = 2*batchSize + 7
	d := Descent{Epochs: 100, Step: 0.1}
	var w []float64
	var seen [][]int
	run := func() float64 {
		w = []float64{-3}
		d.Run(w, n, rand.New(random.Source("descent")), func(grad []float64, batch []int) {
			if grad[0] != 0 {
				t.Fatalf("gradient starts at %g", grad[0])
			}
			seen = append(seen, slices.Clone(batch))
			for _, k := range batch {
				grad[0] += (w[0] - float64(k)/10) / float64(len(batch))
			}
		})
		return w[0]
	}
	rest := run()
	if len(seen) != 300 {
		t.Fatalf("%d batches", len(seen))
	}
	var last []int
	for i := 0; i < len(seen); i += 3 {
		epoch := slices.Concat(seen[i : i+3]...)
		if len(seen[i]) != batchSize || len(seen[i+1]) != batchSize || slices.Equal(epoch, last) {
			t.Fatalf("batches %v", seen[i:i+3])
		}
		last = slices.Clone(epoch)
		slices.Sort(epoch)
		if len(epoch) != n || epoch[0] != 0 || epoch[n-1] != n-1 || len(slices.Compact(epoch)) != n {
			t.Fatalf("an epoch of %v", epoch)
		}
	}
	// A short batch weighs as much as a full one: that moves the mean, but not in expectation.
	if want := (n - 1) / 20.0; !(math.Abs(rest-want) < 0.3) {
		t.Errorf("came to rest at %g, want %g", rest, want)
	}
	if again := run(); again != rest {
		t.Errorf("%g, again %g", rest, again)
	}
	// The step falls to zero: of a constant gradient of 1, the sum over steps is
	// Step·(1 + … + 1/T) = Step·(T+1)/2.
	w[0] = 0
	Descent{Epochs: 9, Step: 1}.Run(w, 1, rand.New(random.Source("fall")), func(grad []float64, _ []int) { grad[0] = 1 })
	if !(math.Abs(w[0]+5) < 1e-6) {
		t.Errorf("steps of sum %g, want −5", w[0])
	}
	Descent{Epochs: 9, Step: 1}.Run(w, 0, rand.New(random.Source("none")), nil)
}

func TestExamples(t *testing.T) {
	x, class := [][]float64{{1, 2}, {3, 4}}, []int{0, 2}
	e := check.Must(New([]int{2, 3}, true).Examples(x, class))
	x[1][0] = 9
	if len(e) != 2 || !slices.Equal(e[1], []float64{3, 4, 1}) {
		t.Errorf("examples %v", e)
	}
	for _, widths := range [][]int{{3}, {3, 0, 2}, {3, 1}} {
		if CheckLayers(widths) == nil {
			t.Errorf("layers %v were accepted", widths)
		}
	}
}
