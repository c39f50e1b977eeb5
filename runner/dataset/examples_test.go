package dataset

import (
	"testing"

	"closedform/internal/check"
)

// three are examples of three classes, of which the second has none.
func three() *Examples {
	return NewExamples(Set{X: [][]float64{{1, 2}, {3, 4}, {5, 6}, {7, 8}}, Class: []int{0, 2, 2, 0}}, 3)
}

// all returns the set of all examples.
func all(e *Examples) Set { return e.Set(0, e.Len()) }

func TestNewExamples(t *testing.T) {
	set := Set{X: [][]float64{{1, 2}, {3, 4}}, Class: []int{1, 0}}
	e := NewExamples(set, 3)
	check.Equal(t, "examples, inputs and classes", []any{e.Len(), e.Inputs(), e.Class(0), e.Class(1), e.Classes()}, []any{2, 2, 1, 0, []string{"1", "2", "3"}})
	check.Equal(t, "the set", all(e), set)
	set.X[0][0], set.Class[0] = 9, 2
	got := all(e)
	got.X[0][1], got.Class[1] = 7, 7
	if again := all(e); again.X[0][0] != 1 || again.X[0][1] != 2 || again.Class[0] != 1 || again.Class[1] != 0 {
		t.Errorf("changes of sets change the examples to %v", again)
	}
}

func TestSubset(t *testing.T) {
	e := three()
	s := e.Subset([]int{3, 0, 3}).Subset([]int{2, 1})
	check.Equal(t, "the subset", all(s), (Set{X: [][]float64{{7, 8}, {1, 2}}, Class: []int{0, 0}}))
	check.Equal(t, "the middle", e.Set(1, 3), Set{X: [][]float64{{3, 4}, {5, 6}}, Class: []int{2, 2}})
}

func TestPanics(t *testing.T) {
	scaler := check.Must(three().Scaler(Standard))
	for words, f := range map[string]func(){
		"dst of Input has length 1": func() { three().Input(make([]float64, 1), 0) },
		"example 1 of 2 inputs":     func() { NewExamples(Set{X: [][]float64{{1}, {2, 3}}, Class: []int{0, 1}}, 2) },
		"and class 2":               func() { NewExamples(Set{X: [][]float64{{1}}, Class: []int{2}}, 2) },
		"and class -1":              func() { NewExamples(Set{X: [][]float64{{1}}, Class: []int{-1}}, 2) },
		"a scaler for 2 inputs":     func() { scaler.Apply(inputsOf([]float64{1})) },
		"or scaled before":          func() { scaler.Apply(scaler.Apply(three())) },
	} {
		check.Panics(t, "dataset: ", words, f)
	}
}

func TestInputAllocatesNothing(t *testing.T) {
	for _, e := range []*Examples{three(), Images("i", make([]byte, 50*4*5), 4*5, make([]byte, 50))} {
		s := check.Must(e.Scaler(Centred))
		scaled, x := s.Apply(e), make([]float64, e.Inputs())
		check.NoAllocs(t, "Input", func() { scaled.Input(x, 1) })
	}
}
