package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"closedform/core/random"
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
	unchanged := Set{X: [][]float64{{1, 2}, {3, 4}}, Class: []int{1, 0}}
	check.Equal(t, "the examples after changes of sets", all(e), unchanged)
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

// inputsOf returns examples with those inputs, all of one class of two.
func inputsOf(x ...[]float64) *Examples {
	return NewExamples(Set{X: x, Class: make([]int, len(x))}, 2)
}

// scale returns the inputs of to, scaled by a scaler that is fitted to fit.
func scale(t *testing.T, kind Scaling, fit, to *Examples) [][]float64 {
	t.Helper()
	return all(check.Must(fit.Scaler(kind)).Apply(to)).X
}

func TestScalers(t *testing.T) {
	train := inputsOf([]float64{1, 5, 0}, []float64{3, 5, 0}, []float64{5, 5, -6}, []float64{7, 5, -6})
	test := inputsOf([]float64{4, 6, 0}, []float64{9, 5, -3})
	sd := math.Sqrt(5.) // mean 4, of which ±1 and ±3 are the deviations
	for kind, want := range map[Scaling][][]float64{
		Standard: {{0, 0, 1}, {5 / sd, 0, 0}}, // the second is constant, whatever the test part has
		Unit:     {{4. / 7, 6. / 7, 0}, {9. / 7, 5. / 7, -3. / 7}},
		Centred:  {{0, 1. / 7, 3. / 7}, {5. / 7, 0, 0}},
		None:     {{4, 6, 0}, {9, 5, -3}},
	} {
		for i, x := range scale(t, kind, train, test) {
			check.NearAll(t, string(kind), x, want[i], 1e-15)
		}
	}
	check.Equal(t, "the examples that were scaled have changed to", all(test).X[1][0], 9)
	// Of one example, and of constants, whose mean is rounded if summed.
	for _, c := range []struct {
		kind Scaling
		fit  []float64
		rows int
		want []float64
	}{
		{Standard, []float64{4, 2, 0}, 1, []float64{0, 0, 0}},
		{Standard, []float64{0.1, 1e9 / 3, -1e-300}, 999, []float64{0, 0, 0}},
		{Unit, []float64{0, -2, 1}, 1, []float64{2, -4, 0.5}},
		{Unit, []float64{0, 0, 0}, 3, []float64{0, 0, 0}},
	} {
		fit := inputsOf(slices.Repeat([][]float64{c.fit}, c.rows)...)
		check.NearAll(t, fmt.Sprint(c), scale(t, c.kind, fit, inputsOf([]float64{4, -8, 1}))[0], c.want, 1e-15)
	}
	// Of bytes zeros stay zeros, and 255 becomes 1.
	e := Images("im", []byte{0, 51, 102, 204, 0, 0}, 1, 3, []byte{1, 2})
	check.Equal(t, "images", scale(t, Unit, e, e), [][]float64{{0, 0.2, 0.4}, {0.8, 0, 0}})
	check.Equal(t, "255, 0, 51 become", scale(t, Unit, e, inputsOf([]float64{255, 0, 51}))[0],
		[]float64{1, 0, 0.2})
}

// Mean and deviation keep their digits, however large the mean, and however small or large the deviation.
func TestMomentsAreExact(t *testing.T) {
	for _, c := range []struct{ low, high float64 }{
		{1e9 - 1, 1e9 + 1}, {1e15, 1e15 + 1}, {-1e-200, 1e-200}, {-1e300, 1e300}, {1 - 0x1p-53, 1},
	} {
		mean, sd := moments(slices.Repeat([]float64{c.low, c.high}, 2500))
		// The error that a float64 can have, and that of a sum of deviations.
		half := c.high/2 - c.low/2
		check.Near(t, fmt.Sprint(c, ": mean"), mean, c.low/2+c.high/2, 2.3e-16*math.Abs(c.high)+1e-14*half)
		check.Near(t, fmt.Sprint(c, ": deviation"), sd, half, 1e-13*half)
	}
}

func TestScalerErrors(t *testing.T) {
	for _, c := range []struct {
		kind Scaling
		e    *Examples
		want string
	}{
		{Standard, inputsOf([]float64{1, -1e-310}, []float64{1, 1e-310}), `"standard" overflows: input 2`},
		{Standard, inputsOf([]float64{math.MaxFloat64}, []float64{-math.MaxFloat64}), `"standard" overflows`},
		{Unit, inputsOf([]float64{5e-324}), `scaling "unit" overflows: input 1 has the shift 0 and the factor`},
	} {
		s, err := c.e.Scaler(c.kind)
		check.Refuses(t, string(c.kind), err, c.want)
		check.True(t, s == nil, "%v beside an error", s)
	}
}

// labelled returns examples of those classes, example i of which has the input i.
func labelled(class ...int) *Examples {
	set := Set{Class: class}
	for i := range class {
		set.X = append(set.X, []float64{float64(i)})
	}
	return NewExamples(set, slices.Max(class)+1)
}

// places returns the numbers of the examples, from 1.
func places(e *Examples) (places []int) {
	for i := range e.Len() {
		places = append(places, e.Row(i))
	}
	return places
}

// Whatever the classes, the parts have every example once and of each class the
// number that is promised, in ascending order.
func TestSplit(t *testing.T) {
	rnd := rand.New(random.Source("dataset", "split"))
	for range 500 {
		classes := 1 + rnd.IntN(6)
		class := make([]int, 2+rnd.IntN(80))
		for i := range class {
			class[i] = min(rnd.IntN(classes), rnd.IntN(classes))
		}
		class[1] = class[0] // The test part is not empty.
		fraction := rnd.Float64()
		trainPart, testPart, err := labelled(class...).Split(fraction, random.Source("dataset", "parts"))
		train, test := places(trainPart), places(testPart)
		if err != nil || !slices.IsSorted(train) || !slices.IsSorted(test) {
			t.Fatalf("the order is %v and %v: %v", train, test, err)
		}
		for i, place := range slices.Sorted(slices.Values(slices.Concat(train, test))) {
			check.Equal(t, fmt.Sprintf("an example of %v and %v", train, test), place, i+1)
		}
		check.Equal(t, "examples", len(train)+len(test), len(class))
		count, tested := make([]int, classes), make([]int, classes)
		for _, k := range class {
			count[k]++
		}
		for _, i := range test {
			tested[class[i-1]]++
		}
		for k, n := range count {
			want := min(max(int(math.Round(fraction*float64(n))), 1), max(n-1, 0))
			check.Equal(t, fmt.Sprintf("a test part of %g has", fraction), tested[k], want)
		}
	}
	_, _, err := labelled(0, 1, 2).Split(0.5, random.Source())
	check.Refuses(t, "one example a class", err, "3 examples to train and 0 to test")
}

// A split that was drawn once is drawn ever after: committed results depend on it.
func TestSplitIsPinned(t *testing.T) {
	_, test, err := labelled(make([]int, 60)...).Split(0.3, random.Source("dataset", 1))
	check.OK(t, err)
	want := []int{3, 4, 5, 6, 10, 12, 21, 22, 24, 27, 31, 33, 34, 35, 44, 47, 51, 53}
	check.Equal(t, "test part", places(test), want)
}

func TestParts(t *testing.T) {
	e := read(Format{}, "x,class\n1,10\n2,9\n3,5\n4,10\n5,9\n6,b\n")
	check.Equal(t, "classes", e.Classes(), []string{"10", "5", "9", "b"})
	// Without the b the names are integers, and without the 5 the numbers shift.
	train, test, err := Parts(e.Subset([]int{4, 0, 1}), e.Subset([]int{3}))
	check.OK(t, err)
	for part, want := range map[*Examples]Set{
		train: {X: [][]float64{{5}, {1}, {2}}, Class: []int{0, 1, 0}},
		test:  {X: [][]float64{{4}}, Class: []int{1}},
	} {
		check.Equal(t, "a part", all(part), want)
		check.Equal(t, "its classes", part.Classes(), []string{"9", "10"})
	}
	check.Equal(t, "the examples themselves have changed", []any{e.Class(0), e.Class(1)}, []any{0, 2})
	train, test, err = Parts(e.Subset([]int{0, 1}), e.Subset(nil))
	check.OK(t, err)
	check.Equal(t, "with an empty test part", []int{train.Len(), test.Len(), test.Inputs()}, []int{2, 0, 1})
}

func TestPartsErrors(t *testing.T) {
	e := read(Format{}, "x,class\n1,10\n2,9\n3,5\n\n4,b\n")
	for want, rows := range map[string][2][]int{
		`a.csv:6: class "b" is not in the training part, which has 5, 9, 10`: {{0, 1, 2}, {2, 3}},
		`a.csv:4: class "5" is not in the training part, which has 9, b`:     {{3, 1}, {1, 2, 0}},
		`the training part has fewer than 2 classes`:                         {{0}, {0}},
	} {
		_, _, err := Parts(e.Subset(rows[0]), e.Subset(rows[1]))
		check.Refuses(t, "parts", err, want)
	}
}

func TestPartsOfImages(t *testing.T) {
	read := func(name string, height int, labels ...byte) *Examples {
		return Images(name, make([]byte, len(labels)*height*2), height, 2, labels)
	}
	train := read("train", 3, 10, 9, 3, 9)
	_, test, err := Parts(train, read("test", 3, 10, 10, 9))
	check.OK(t, err)
	got := []any{all(test).Class, test.Classes()}
	check.Equal(t, "classes", got, []any{[]int{2, 2, 1}, []string{"3", "9", "10"}})
	check.Equal(t, "the third is", test.Row(2), 3)
	_, _, err = Parts(train, read("test", 4, 10, 9))
	check.Refuses(t, "larger images", err, `test: 8 inputs; the training part has 6`)
}
