package mlp

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"

	"closedform/core/random"
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
	defer func() {
		if recover() == nil {
			t.Error("a gradient of the wrong length was accepted")
		}
	}()
	a.Step(w, []float64{1}, 1)
}

// Every epoch sees each example once, in batches that are full but for the last, in
// another order each time; and the weights come to rest at the mean of the examples.
func TestDescent(t *testing.T) {
	target := []float64{1, 2, 3, 4, 5, 6, 7}
	d := Descent{Epochs: 400, Batch: 3, Rate: 0.1}
	w := []float64{-3}
	var seen [][]int
	run := func() {
		d.Run(w, 7, rand.New(random.Source("descent")), func(grad []float64, batch []int) {
			if grad[0] != 0 {
				t.Fatalf("gradient starts at %g", grad[0])
			}
			seen = append(seen, slices.Clone(batch))
			for _, k := range batch {
				grad[0] += (w[0] - target[k]) / float64(len(batch))
			}
		})
	}
	run()
	if len(seen) != 1200 {
		t.Fatalf("%d batches", len(seen))
	}
	orders := map[string]bool{}
	for i := 0; i < len(seen); i += 3 {
		if len(seen[i]) != 3 || len(seen[i+1]) != 3 || len(seen[i+2]) != 1 {
			t.Fatalf("batches %v", seen[i:i+3])
		}
		epoch := slices.Concat(seen[i : i+3]...)
		var name strings.Builder
		for _, k := range epoch {
			name.WriteByte(byte('0' + k))
		}
		orders[name.String()] = true
		slices.Sort(epoch)
		if !slices.Equal(epoch, []int{0, 1, 2, 3, 4, 5, 6}) {
			t.Fatalf("an epoch of %v", epoch)
		}
	}
	if len(orders) < 300 {
		t.Errorf("%d different orders in 400 epochs", len(orders))
	}
	// The batch of one example weighs as much as one of three: that moves the mean,
	// but not in expectation.
	if !(math.Abs(w[0]-4) < 0.2) {
		t.Errorf("came to rest at %g, want 4", w[0])
	}
	again := w[0]
	w[0] = -3
	if run(); w[0] != again {
		t.Errorf("%g, again %g", again, w[0])
	}
	// The step falls to zero: of a constant gradient of 1, the sum over steps is
	// Rate·(1 + … + 1/T) = Rate·(T+1)/2.
	w[0] = 0
	Descent{Epochs: 9, Batch: 1, Rate: 1}.Run(w, 1, rand.New(random.Source("fall")), func(grad []float64, _ []int) { grad[0] = 1 })
	if !(math.Abs(w[0]+5) < 1e-6) {
		t.Errorf("steps of sum %g, want −5", w[0])
	}
	Descent{Epochs: 9, Batch: 1, Rate: 1}.Run(w, 0, rand.New(random.Source("none")), nil)
}

func TestDescentErrors(t *testing.T) {
	if d, err := (Descent{}).WithDefaults("owner"); err != nil || d != (Descent{100, 32, 0.01}) {
		t.Errorf("defaults %+v, %v", d, err)
	}
	for field, d := range map[string]Descent{"Epochs": {Epochs: -1}, "Batch": {Batch: -2}, "Rate": {Rate: math.NaN()}} {
		if _, err := d.WithDefaults("owner"); err == nil || !strings.HasPrefix(err.Error(), "owner: Descent."+field) {
			t.Errorf("%+v: error %v does not name %s", d, err, field)
		}
	}
}

func TestExamples(t *testing.T) {
	x, class := [][]float64{{1, 2}, {3, 4}}, []int{0, 2}
	e, err := NewExamples(x, class, 2, 3)
	if err != nil {
		t.Fatal(err)
	}
	x[1][0], class[1] = 9, 9
	if e.Len() != 2 || !slices.Equal(e.Input(1), []float64{3, 4, 1}) || e.Class[1] != 2 {
		t.Errorf("example 1: %v, class %d", e.Input(1), e.Class[1])
	}
	for want, f := range map[string]func() error{
		"example 0: class 3: need 0 to 2": func() error { _, err := NewExamples(x[:1], []int{3}, 2, 3); return err },
		"example 0: class -1":             func() error { _, err := NewExamples(x[:1], []int{-1}, 2, 3); return err },
		"example 0: input 1 is +Inf": func() error {
			_, err := NewExamples([][]float64{{0, math.Inf(1)}}, []int{0}, 2, 3)
			return err
		},
		"need at least inputs":  func() error { return CheckLayers("owner", []int{3}) },
		"at least 1 neuron":     func() error { return CheckLayers("owner", []int{3, 0, 2}) },
		"need at least 2 class": func() error { return CheckLayers("owner", []int{3, 1}) },
	} {
		if err := f(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	for _, f := range []func(){
		func() { _, _ = NewExamples(x, class[:1], 2, 3) },
		func() { _, _ = NewExamples(x, []int{0, 0}, 3, 3) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Error("lengths that do not fit were accepted")
				}
			}()
			f()
		}()
	}
}
