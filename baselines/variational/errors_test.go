package variational

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestErrors(t *testing.T) {
	nan := math.NaN()
	for _, test := range []struct {
		field string
		cfg   Config
	}{
		{"Inputs", Config{Classes: 2}},
		{"Classes", Config{Inputs: 1, Classes: 1}},
		{"Bound", Config{Inputs: 1, Classes: 2, Bound: 3}},
		{"PriorVar", Config{Inputs: 1, Classes: 2, PriorVar: -1}},
		{"PriorVar", Config{Inputs: 1, Classes: 2, PriorVar: nan}},
		{"PriorVar", Config{Inputs: 1, Classes: 2, PriorVar: 1e30}}, // singular
		{"Lambda", Config{Inputs: 1, Classes: 2, Lambda: math.Inf(1)}},
		{"Tolerance", Config{Inputs: 1, Classes: 2, Tolerance: -1}},
		{"MaxSteps", Config{Inputs: 1, Classes: 2, MaxSteps: -1}},
	} {
		_, err := Fit(test.cfg, [][]float64{{1}, {1}}, []int{0, 1})
		if err == nil || !strings.HasPrefix(err.Error(), "variational: "+test.field) {
			t.Errorf("%+v: error %v does not name %s", test.cfg, err, test.field)
		}
	}
	cfg := Config{Inputs: 1, Classes: 2}
	for want, data := range map[string]struct {
		x     float64
		class int
	}{"example 1: class 2": {0, 2}, "example 1: input 0 is NaN": {nan, 0}} {
		if _, err := Fit(cfg, [][]float64{{1}, {data.x}}, []int{0, data.class}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
	for _, bound := range bounds {
		m := fit(t, Config{Inputs: 1, Classes: 2, Bound: bound}, [][]float64{{1}}, []int{0})
		for _, x := range []float64{nan, math.Inf(-1), 1e200} {
			if err := m.Predict(make([]float64, 2), []float64{x}); err == nil {
				t.Errorf("%v: input %g was accepted", bound, x)
			}
		}
		if p := predict(t, m, []float64{1e8}); !(p[0] > 0.5 && p[0] <= 1) {
			t.Errorf("%v: %v far away", bound, p)
		}
		for name, f := range map[string]func(){
			"p":        func() { _ = m.Predict(make([]float64, 3), []float64{1}) },
			"x":        func() { _ = m.Predict(make([]float64, 2), []float64{1, 2}) },
			"examples": func() { _, _ = Fit(cfg, [][]float64{{1}}, nil) },
		} {
			func() {
				defer func() {
					if recover() == nil {
						t.Errorf("%s of the wrong length was accepted", name)
					}
				}()
				f()
			}()
		}
	}
	if got := fmt.Sprint(Bohning, BohningJoint, Probit, Bound(7)); got != "bohning bohning joint probit Bound(7)" {
		t.Error(got)
	}
}

// Inputs of any scale, and classes that are told apart without doubt.
func TestExtremes(t *testing.T) {
	for _, bound := range bounds {
		for _, scale := range []float64{1e-9, 1, 1e6} {
			x := [][]float64{{-scale}, {scale}, {2 * scale}}
			m, err := Fit(Config{Inputs: 1, Classes: 3, Bound: bound}, x, []int{0, 1, 1})
			if err != nil {
				t.Errorf("%v, scale %g: %v", bound, scale, err)
				continue
			}
			if p := predict(t, m, []float64{3 * scale}); !(p[1] > p[0] && p[1] > p[2]) {
				t.Errorf("%v, scale %g: %v", bound, scale, p)
			}
		}
	}
}

func TestPredictDoesNotAllocate(t *testing.T) {
	x, class := clusters(20, 2, 3, "allocs")
	for _, bound := range bounds {
		m := fit(t, Config{Inputs: 2, Classes: 3, Bound: bound}, x, class)
		p := predict(t, m, x[0])
		if n := testing.AllocsPerRun(10, func() { _ = m.Predict(p, x[0]) }); n > 0 {
			t.Errorf("%v: %g allocations", bound, n)
		}
	}
}
