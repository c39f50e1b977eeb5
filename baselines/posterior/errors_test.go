package posterior

import (
	"errors"
	"math"
	"strings"
	"testing"

	"gonum.org/v1/gonum/mat"

	"closedform/core/random"
	"closedform/internal/check"
)

func TestErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		want  string
		model Model
	}{
		{"layers", Model{Layers: []int{2, 1}}},
		{"lengths 1 and 2", Model{Layers: []int{1, 2}, PriorMean: []float64{1}}},
		{"lengths 4 and 2", Model{Layers: []int{1, 2}, Bias: true, PriorVar: []float64{1, 1}}},
		{"PriorMean[1]", Model{Layers: []int{1, 2}, PriorMean: []float64{1, nan}}},
		{"PriorMean[0]", Model{Layers: []int{1, 2}, PriorVar: []float64{0, 1}}},
		{"PriorMean[1]", Model{Layers: []int{1, 2}, PriorVar: []float64{1, inf}}},
		{"PriorMean[1]", Model{Layers: []int{1, 2}, PriorVar: []float64{1, 1e-320}}},
	} {
		_, err := NewProblem(c.model, nil, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "posterior: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v does not name %s", c.model, err, c.want)
		}
	}
	_, err := NewProblem(Model{Layers: []int{2, 3}}, [][]float64{{1, 2}, {0, nan}}, []int{0, 0})
	if err == nil || !strings.Contains(err.Error(), "example 1: input 1 is NaN") {
		t.Errorf("error %v", err)
	}
	p := problem(t, Model{Layers: []int{1, 2}}, nil, nil)
	for _, sampler := range []Sampler{
		Importance{Draws: -2},
		Importance{Draws: 5},
		Importance{Draws: 10, MinESS: 11},
		Importance{MinESS: nan},
		Hamiltonian{Chains: 1},
		Hamiltonian{Warmup: 99},
		Hamiltonian{Draws: 10},
		Hamiltonian{Draws: 101},
		Hamiltonian{MaxRHat: 0.9},
		Hamiltonian{MinESS: nan},
	} {
		if _, err := sampler.Sample(p, random.Source()); err == nil || !strings.Contains(err.Error(), "need") {
			t.Errorf("%T%+[1]v: error %v", sampler, err)
		}
	}
}

func TestImportanceRefuses(t *testing.T) {
	x, class := wedges(50, random.Source("refuse"))
	s, err := Importance{Draws: 1000, MinESS: 999}.Sample(problem(t, Model{Layers: []int{2, 3}}, x, class), random.Source("refuse"))
	var low *ESSError
	if s != nil || !errors.As(err, &low) || !(low.ESS < 999) || low.MinESS != 999 || low.Draws != 1000 {
		t.Errorf("sample %v, error %v", s, err)
	}
	if s, err := (Importance{}).Sample(problem(t, Model{Layers: []int{2, 2, 3}}, x, class), random.Source("refuse")); err == nil {
		t.Errorf("hidden layers: sample %v", s)
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
			for _, sampler := range []Sampler{Importance{}, Hamiltonian{Warmup: 100, Draws: 100}} {
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
	if s != nil || err == nil || !strings.Contains(err.Error(), "need at most 1.01 and at least 800") {
		t.Errorf("sample %v, error %v", s, err)
	}
}

func TestPanics(t *testing.T) {
	m := Model{Layers: []int{2, 3}}
	p := problem(t, m, nil, nil)
	s := sample(t, Importance{Draws: 10}, p)
	check.AllPanic(t, map[string]func(){
		"data":        func() { _, _ = NewProblem(m, [][]float64{{1, 2}}, nil) },
		"example":     func() { _, _ = NewProblem(m, [][]float64{{1}}, []int{0}) },
		"weights":     func() { p.LogDensity(nil, make([]float64, 5)) },
		"gradient":    func() { p.LogDensity(make([]float64, 5), make([]float64, 6)) },
		"information": func() { p.Information(mat.NewSymDense(5, nil), make([]float64, 6)) },
		"start":       func() { _, _ = p.Mode(make([]float64, 5)) },
		"importance":  func() { _, _ = Importance{}.Sample(p, nil) },
		"hamiltonian": func() { _, _ = Hamiltonian{}.Sample(p, nil) },
		"input":       func() { _ = s.Predict(new(Prediction), []float64{1}) },
	})
}
