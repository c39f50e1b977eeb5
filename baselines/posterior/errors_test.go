package posterior

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
)

func TestModelErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, test := range []struct {
		field string
		model Model
	}{
		{"Layers", Model{}},
		{"Layers", Model{Layers: []int{2}}},
		{"Layers", Model{Layers: []int{2, 0, 2}}},
		{"Layers", Model{Layers: []int{0, 2}}},
		{"Layers", Model{Layers: []int{2, 1}}},
		{"alpha", Model{Layers: []int{1, 2}, Alpha: -1}},
		{"beta", Model{Layers: []int{1, 2}, Beta: nan}},
		{"PriorMean", Model{Layers: []int{1, 2}, PriorMean: []float64{1}}},
		{"PriorMean[1]", Model{Layers: []int{1, 2}, PriorMean: []float64{1, nan}}},
		{"PriorMean[0]", Model{Layers: []int{1, 2}, PriorMean: []float64{inf, 0}}},
		{"PriorVar", Model{Layers: []int{1, 2}, Bias: true, PriorVar: []float64{1, 1}}},
		{"PriorVar[0]", Model{Layers: []int{1, 2}, PriorVar: []float64{0, 1}}},
		{"PriorVar[1]", Model{Layers: []int{1, 2}, PriorVar: []float64{1, nan}}},
		{"PriorVar[1]", Model{Layers: []int{1, 2}, PriorVar: []float64{1, inf}}},
		{"PriorVar[1]", Model{Layers: []int{1, 2}, PriorVar: []float64{1, 1e-320}}},
	} {
		_, err := NewProblem(test.model, nil, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "posterior: ") || !strings.Contains(err.Error(), test.field) {
			t.Errorf("%+v: error %v does not name %s", test.model, err, test.field)
		}
	}
}

func TestDataErrors(t *testing.T) {
	m := Model{Layers: []int{2, 3}}
	for want, data := range map[string]struct {
		x     []float64
		class int
	}{
		"class 3":       {[]float64{0, 0}, 3},
		"class -1":      {[]float64{0, 0}, -1},
		"input 1 is Na": {[]float64{0, math.NaN()}, 0},
		"input 0 is +I": {[]float64{math.Inf(1), 0}, 0},
	} {
		_, err := NewProblem(m, [][]float64{{1, 2}, data.x}, []int{0, data.class})
		if err == nil || !strings.Contains(err.Error(), "example 1: "+want) {
			t.Errorf("error %v does not say %q", err, want)
		}
	}
}

func TestSamplerErrors(t *testing.T) {
	p := problem(t, Model{Layers: []int{1, 2}}, nil, nil)
	for _, test := range []struct {
		field   string
		sampler Sampler
	}{
		{"Draws", Importance{Draws: -2}},
		{"Draws", Importance{Draws: 5}},
		{"DOF", Importance{DOF: math.NaN()}},
		{"DOF", Importance{DOF: -1}},
		{"MinESS", Importance{Draws: 10, MinESS: 11}},
		{"MinESS", Importance{MinESS: math.NaN()}},
		{"Starts", Importance{Starts: -1}},
		{"Chains", Hamiltonian{Chains: 1}},
		{"Warmup", Hamiltonian{Warmup: 99}},
		{"Draws", Hamiltonian{Draws: 10}},
		{"Draws", Hamiltonian{Draws: 101}},
		{"PathLength", Hamiltonian{PathLength: -1}},
		{"MaxSteps", Hamiltonian{MaxSteps: -1}},
		{"Accept", Hamiltonian{Accept: 1}},
		{"MaxRHat", Hamiltonian{MaxRHat: 0.9}},
		{"MinESS", Hamiltonian{MinESS: math.NaN()}},
	} {
		_, err := test.sampler.Sample(p, random.Source())
		if err == nil || !strings.HasPrefix(err.Error(), "posterior: "+test.field) {
			t.Errorf("%T%+[1]v: error %v does not name %s", test.sampler, err, test.field)
		}
	}
}

// Many permuted modes in 40 dimensions: importance sampling must give up.
func TestImportanceRefuses(t *testing.T) {
	x, class := wedges(50, random.Source("refuse"))
	p := problem(t, Model{Layers: []int{2, 8, 3}}, x, class)
	s, err := Importance{Draws: 1000, Starts: 3}.Sample(p, random.Source("refuse"))
	var low *ESSError
	if s != nil || !errors.As(err, &low) || !(low.ESS < 100) || low.MinESS != 100 || low.Draws != 1000 {
		t.Errorf("sample %v, error %v", s, err)
	}
	if want := "effective sample size"; !strings.Contains(fmt.Sprint(err), want) {
		t.Errorf("error %v does not say %q", err, want)
	}
}

// Where the arithmetic fails there must be an error, not a sample.
func TestOverflowIsRefused(t *testing.T) {
	for _, layers := range [][]int{{2, 3}, {2, 2, 3}} {
		for _, scale := range []float64{1e20, 1e100, 1e154, 1e200, 1e300} {
			x, class := wedges(30, random.Source("overflow"))
			for _, at := range x {
				at[0] *= scale
				at[1] *= scale
			}
			p := problem(t, Model{Layers: layers}, x, class)
			for _, sampler := range []Sampler{Importance{}, Hamiltonian{Warmup: 100, Draws: 100, MaxSteps: 10}} {
				if s, err := sampler.Sample(p, random.Source("overflow")); s != nil || err == nil {
					t.Errorf("%v, inputs of size %g, %T: a sample with ESS %g", layers, scale, sampler, s.ESS)
				}
			}
		}
	}
}

// Chains caught in different modes that predict differently must be refused.
func TestHamiltonianRefuses(t *testing.T) {
	c := twoModes()
	s, err := Hamiltonian{Chains: 8, Warmup: 200, Draws: 200}.Sample(problem(t, c.model, c.x, c.class), random.Source("two modes", 0))
	var stuck *ConvergenceError
	if s != nil || !errors.As(err, &stuck) || !(stuck.RHat > 1.5) || !(stuck.ESS < 100) || stuck.MaxRHat != 1.01 || stuck.MinESS != 800 {
		t.Errorf("sample %v, error %v", s, err)
	}
}

func TestPanics(t *testing.T) {
	m := Model{Layers: []int{2, 3}}
	p := problem(t, m, nil, nil)
	s := sample(t, Importance{Draws: 10}, p)
	for name, f := range map[string]func(){
		"data":         func() { _, _ = NewProblem(m, [][]float64{{1, 2}}, nil) },
		"example":      func() { _, _ = NewProblem(m, [][]float64{{1}}, []int{0}) },
		"weights":      func() { p.LogDensity(nil, make([]float64, 5)) },
		"gradient":     func() { p.LogDensity(make([]float64, 5), make([]float64, 6)) },
		"information":  func() { p.Information(mat.NewSymDense(5, nil), make([]float64, 6)) },
		"start":        func() { _, _ = p.Mode(make([]float64, 5)) },
		"importance":   func() { _, _ = Importance{}.Sample(p, nil) },
		"hamiltonian":  func() { _, _ = Hamiltonian{}.Sample(p, nil) },
		"input":        func() { _ = s.Predict(new(Prediction), []float64{1}) },
		"no chains":    func() { RHat(nil) },
		"odd chain":    func() { RHat([][]float64{{1, 2, 3, 4, 5}}) },
		"short chain":  func() { BulkESS([][]float64{{1, 2}}) },
		"other length": func() { BulkESS([][]float64{{1, 2, 3, 4}, {1, 2, 3, 4, 5, 6}}) },
	} {
		func() {
			defer func() {
				if r := fmt.Sprint(recover()); !strings.HasPrefix(r, "posterior: ") {
					t.Errorf("%s: recovered %q", name, r)
				}
			}()
			f()
		}()
	}
}
