package laplace

import (
	"math"
	"strings"
	"testing"

	"closedform/core/random"
	"closedform/internal/check"
)

func TestProblemErrors(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		want  string
		model Prior
	}{
		{"layers", Prior{Layers: []int{2, 1}}},
		{"lengths 1 and 2", Prior{Layers: []int{1, 2}, Mean: []float64{1}}},
		{"lengths 4 and 2", Prior{Layers: []int{1, 2}, Bias: true, Var: []float64{1, 1}}},
		{"weight 1:", Prior{Layers: []int{1, 2}, Mean: []float64{1, nan}}},
		{"weight 0:", Prior{Layers: []int{1, 2}, Var: []float64{0, 1}}},
		{"weight 1:", Prior{Layers: []int{1, 2}, Var: []float64{1, inf}}},
		{"weight 1:", Prior{Layers: []int{1, 2}, Var: []float64{1, 1e-320}}},
	} {
		_, err := NewProblem(c.model, nil, nil)
		if err == nil || !strings.HasPrefix(err.Error(), "laplace: ") || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v does not name %s", c.model, err, c.want)
		}
	}
	_, err := NewProblem(Prior{Layers: []int{2, 3}}, [][]float64{{1, 2}, {0, nan}}, []int{0, 0})
	if err == nil || !strings.Contains(err.Error(), "example 1: input 1 is NaN") {
		t.Errorf("error %v", err)
	}
	p := problem(t, Prior{Layers: []int{1, 2}}, nil, nil)
	for _, sampler := range []Importance{{Draws: -2}, {Draws: 2}, {Draws: 5}} {
		if _, err := sampler.Sample(p, random.Source()); err == nil || !strings.Contains(err.Error(), "need") {
			t.Errorf("%+v: error %v", sampler, err)
		}
	}
}

func TestImportanceRefuses(t *testing.T) {
	// Many weights, and examples that say something about each.
	x, class := make([][]float64, 30), make([]int, 30)
	for k := range x {
		x[k], class[k] = make([]float64, 30), k%5
		x[k][k] = 3
	}
	s, err := Importance{Draws: 1000}.Sample(problem(t, Prior{Layers: []int{30, 5}}, x, class), random.Source("refuse"))
	if s != nil || err == nil || !strings.Contains(err.Error(), "need 100: use fewer examples, or more draws") {
		t.Errorf("sample %v, error %v", s, err)
	}
	if s, err := (Importance{}).Sample(problem(t, Prior{Layers: []int{2, 2, 3}}, nil, nil), random.Source("refuse")); err == nil {
		t.Errorf("hidden layers: sample %v", s)
	}
}

// Where the arithmetic fails there must be an error, not a sample.
func TestOverflowIsRefused(t *testing.T) {
	for _, scale := range []float64{1e20, 1e100, 1e154, 1e200, 1e300} {
		x, class := wedges(30, random.Source("overflow"))
		for _, at := range x {
			at[0] *= scale
			at[1] *= scale
		}
		s, err := Importance{}.Sample(problem(t, Prior{Layers: []int{2, 3}}, x, class), random.Source("overflow"))
		if s != nil || err == nil {
			t.Errorf("inputs of size %g: a sample with ESS %g", scale, s.ESS)
		}
	}
}

func TestProblemPanics(t *testing.T) {
	m := Prior{Layers: []int{2, 3}}
	p := problem(t, m, nil, nil)
	s := sample(t, Importance{Draws: 10}, p)
	check.AllPanic(t, map[string]func(){
		"data":       func() { _, _ = NewProblem(m, [][]float64{{1, 2}}, nil) },
		"example":    func() { _, _ = NewProblem(m, [][]float64{{1}}, []int{0}) },
		"weights":    func() { p.LogDensity(nil, make([]float64, 5)) },
		"gradient":   func() { p.LogDensity(make([]float64, 5), make([]float64, 6)) },
		"importance": func() { _, _ = Importance{}.Sample(p, nil) },
		"input":      func() { _, _, _ = s.Predict([]float64{1}) },
	})
}
