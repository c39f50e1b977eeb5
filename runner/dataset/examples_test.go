package dataset

import (
	"strings"
	"testing"

	check "closedform/internal/checktest"
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
	check.Equal(t, "examples, inputs and classes",
		[]any{e.Len(), e.Inputs(), e.Class(0), e.Class(1), e.Classes()}, []any{2, 2, 1, 0, []string{"1", "2", "3"}})
	check.Equal(t, "the set", all(e), set)
	set.X[0][0], set.Class[0] = 9, 2
	got := all(e)
	got.X[0][1], got.Class[1] = 7, 7
	if again := all(e); again.X[0][0] != 1 || again.X[0][1] != 2 || again.Class[0] != 1 || again.Class[1] != 0 {
		t.Errorf("changes of sets change the examples to %v", again)
	}
	s := three().Subset([]int{3, 0, 3}).Subset([]int{2, 1})
	check.Equal(t, "the subset", all(s), (Set{X: [][]float64{{7, 8}, {1, 2}}, Class: []int{0, 0}}))
}

func TestPanics(t *testing.T) {
	scaler := check.Must(three().Scaler(Standard))
	for words, f := range map[string]func(){
		"example 1 of 2 inputs": func() { NewExamples(Set{[][]float64{{1}, {2, 3}}, []int{0, 1}}, 2) },
		"and class 2":           func() { NewExamples(Set{X: [][]float64{{1}}, Class: []int{2}}, 2) },
		"and class -1":          func() { NewExamples(Set{X: [][]float64{{1}}, Class: []int{-1}}, 2) },
		"a scaler for 2 inputs": func() { scaler.Apply(inputsOf([]float64{1})) },
		"or scaled before":      func() { scaler.Apply(scaler.Apply(three())) },
	} {
		check.Panics(t, "dataset: ", words, f)
	}
}

// The digest of examples follows their inputs, classes, and what they are scaled by, not their file.
func TestDigest(t *testing.T) {
	table := func(text, file string, f Format) string {
		t := check.Must(NewReader(strings.NewReader(text), file, f))
		return check.Must(t.examples(nil)).Digest()
	}
	const text = "x,y,class\n1,2,a\n3,4,b\n"
	seen := map[string]string{}
	for name, digest := range map[string]string{
		"table":         table(text, "one.csv", Format{Class: "class"}),
		"a number":      table(strings.Replace(text, "3", "5", 1), "one.csv", Format{Class: "class"}),
		"a class":       table(strings.Replace(text, "b", "c", 1), "one.csv", Format{Class: "class"}),
		"the order":     table("x,y,class\n3,4,b\n1,2,a\n", "one.csv", Format{Class: "class"}),
		"a column":      table(strings.Replace(text, "x", "z", 1), "one.csv", Format{Class: "class"}),
		"words":         table(text, "one.csv", Format{Class: "class", Categorical: []string{"x"}}),
		"imputed":       table(text, "one.csv", Format{Class: "class", Missing: MissingMean}),
		"numbers":       three().Digest(),
		"images":        Images("f", []byte{1, 2, 3, 4}, 1, 2, []byte{0, 1}).Digest(),
		"other pixels":  Images("f", []byte{1, 2, 3, 5}, 1, 2, []byte{0, 1}).Digest(),
		"wider, as few": Images("f", []byte{1, 2, 3, 4}, 1, 4, []byte{0}).Digest(),
		"square":        Images("f", []byte{1, 2, 3, 4}, 2, 2, []byte{0}).Digest(),
	} {
		if other, twice := seen[digest]; twice {
			t.Errorf("%s and %s have one digest", name, other)
		}
		seen[digest] = name
	}
	check.Equal(t, "another file", seen[table(text+"\n", "two.csv", Format{Class: "class"})], "table")
}
