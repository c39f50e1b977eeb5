package dataset

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
)

// three are examples of three classes, of which the second has none.
func three() *Examples {
	return NewExamples(Set{X: [][]float64{{1, 2}, {3, 4}, {5, 6}, {7, 8}}, Class: []int{0, 2, 2, 0}}, 3)
}

func TestNewExamples(t *testing.T) {
	set := Set{X: [][]float64{{1, 2}, {3, 4}}, Class: []int{1, 0}}
	e := NewExamples(set, 3)
	if e.Len() != 2 || e.Inputs() != 2 || e.Class(0) != 1 || e.Class(1) != 0 {
		t.Errorf("%d examples of %d inputs with the classes %d and %d", e.Len(), e.Inputs(), e.Class(0), e.Class(1))
	}
	if want := []string{"1", "2", "3"}; !slices.Equal(e.Classes(), want) {
		t.Errorf("classes %q, want %q", e.Classes(), want)
	}
	if got := e.Where(1); got != "example 2" {
		t.Errorf("the second example is from %q", got)
	}
	if got := e.Set(); !reflect.DeepEqual(got, set) {
		t.Errorf("the set is %v, was %v", got, set)
	}
	set.X[0][0], set.Class[0] = 9, 2
	if got := e.Set(); got.X[0][0] != 1 || got.Class[0] != 1 {
		t.Errorf("a change of the set changes the examples to %v", got)
	}
	got := e.Set()
	_ = append(got.X[0], 7)
	got.X[0][1], got.Class[1] = 7, 7
	if again := e.Set(); got.X[1][0] != 3 || again.X[0][1] != 2 || again.Class[1] != 0 {
		t.Errorf("a change of the set that is returned changes the examples to %v", again)
	}
	if empty := NewExamples(Set{}, 2); empty.Len() != 0 || len(empty.Set().X) != 0 {
		t.Errorf("an empty set has %d examples", empty.Len())
	}
}

func TestSubset(t *testing.T) {
	e := three()
	s := e.Subset([]int{3, 0, 3}).Subset([]int{2, 1})
	if want := (Set{X: [][]float64{{7, 8}, {1, 2}}, Class: []int{0, 0}}); !reflect.DeepEqual(s.Set(), want) {
		t.Errorf("the subset is %v, want %v", s.Set(), want)
	}
	if len(s.Classes()) != 3 || s.Inputs() != 2 || s.Where(0) != "example 4" {
		t.Errorf("classes %q, %d inputs, from %s", s.Classes(), s.Inputs(), s.Where(0))
	}
	if empty := e.Subset(nil); empty.Len() != 0 || empty.Inputs() != 2 {
		t.Errorf("the empty subset has %d examples of %d inputs", empty.Len(), empty.Inputs())
	}
}

func TestExamplesPanics(t *testing.T) {
	e := three()
	scaler, err := e.Scaler(Standard)
	if err != nil {
		t.Fatal(err)
	}
	for want, f := range map[string]func(){
		"dataset: dst of Input has length 1, need 2, one per input": func() { e.Input(make([]float64, 1), 0) },
		"dataset: dst of Input has length 3, need 2, one per input": func() { e.Input(make([]float64, 3), 0) },
		"dataset: Subset of example 4, need from 0 to 3":            func() { e.Subset([]int{4}) },
		"dataset: Subset of example -1, need from 0 to 3":           func() { e.Subset([]int{-1}) },
		"dataset: NewExamples of 1 inputs and 2 classes, need as many": func() {
			NewExamples(Set{X: [][]float64{{1}}, Class: []int{0, 1}}, 2)
		},
		"dataset: example 1 of NewExamples has 2 inputs, need 1, as many as the first": func() {
			NewExamples(Set{X: [][]float64{{1}, {2, 3}}, Class: []int{0, 1}}, 2)
		},
		"dataset: example 0 of NewExamples is [NaN], need finite numbers": func() {
			NewExamples(Set{X: [][]float64{{math.NaN()}}, Class: []int{0}}, 2)
		},
		"dataset: example 0 of NewExamples is [1 -Inf], need finite numbers": func() {
			NewExamples(Set{X: [][]float64{{1, math.Inf(-1)}}, Class: []int{0}}, 2)
		},
		"dataset: example 0 of NewExamples has class 2, need from 0 to 1": func() {
			NewExamples(Set{X: [][]float64{{1}}, Class: []int{2}}, 2)
		},
		"dataset: example 0 of NewExamples has class -1, need from 0 to 1": func() {
			NewExamples(Set{X: [][]float64{{1}}, Class: []int{NoClass}}, 2)
		},
		"dataset: a scaler for 2 inputs, applied to examples with 1": func() {
			scaler.Apply(NewExamples(Set{X: [][]float64{{1}}, Class: []int{0}}, 2))
		},
	} {
		func() {
			defer func() {
				if got := recover(); got != want {
					t.Errorf("panic %v, want %q", got, want)
				}
			}()
			f()
		}()
	}
}

func TestInputAllocatesNothing(t *testing.T) {
	images, err := ReadIDX(strings.NewReader(idxImages(50, 4, 5)), strings.NewReader(idxLabels(50)), "i", "l")
	if err != nil {
		t.Fatal(err)
	}
	for name, e := range map[string]*Examples{"numbers": three(), "bytes": images} {
		for _, kind := range Scalings() {
			s, err := e.Scaler(Scaling(kind))
			if err != nil {
				t.Fatal(err)
			}
			scaled, x, i := s.Apply(e), make([]float64, e.Inputs()), 0
			if allocs := testing.AllocsPerRun(100, func() {
				scaled.Input(x, i%scaled.Len())
				i++
			}); allocs != 0 {
				t.Errorf("%s, scaling %q: %g allocations", name, kind, allocs)
			}
		}
	}
}

// Run with -race, this finds anything that Input writes besides dst.
func TestInputIsConcurrent(t *testing.T) {
	e := three()
	s, err := e.Scaler(Global)
	if err != nil {
		t.Fatal(err)
	}
	e = s.Apply(e)
	want := e.Set()
	var wait sync.WaitGroup
	for g := range 8 {
		wait.Go(func() {
			x := make([]float64, 2)
			for k := range 1000 {
				i := (g + k) % e.Len()
				if e.Input(x, i); !slices.Equal(x, want.X[i]) {
					t.Errorf("example %d is %v, want %v", i, x, want.X[i])
				}
			}
		})
	}
	wait.Wait()
}

// refuses checks the whole text of an error.
func refuses(t *testing.T, what string, err error, want string) {
	t.Helper()
	if got := fmt.Sprint(err); got != want {
		t.Errorf("%s:\nerror %s\nwant  %s", what, got, want)
	}
}
