package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/core/random"
	check "closedform/internal/checktest"
)

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
	for _, c := range []struct {
		train, test []int
		want        string
	}{
		{[]int{0, 1, 2}, []int{2, 3}, `a.csv:6: class "b" is not in the training part, which has 5, 9, 10`},
		{[]int{3, 1}, []int{1, 2, 0}, `a.csv:4: class "5" is not in the training part, which has 9, b`},
		{[]int{0}, []int{0}, `the training part has fewer than 2 classes`},
	} {
		_, _, err := Parts(e.Subset(c.train), e.Subset(c.test))
		check.Refuses(t, "parts", err, c.want)
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
