package dataset

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestParts(t *testing.T) {
	e := readCSV(t, "x,class\n1,10\n2,9\n3,5\n4,10\n5,9\n6,b\n")
	if want := []string{"10", "5", "9", "b"}; !slices.Equal(e.Classes(), want) {
		t.Fatalf("classes %q, want %q", e.Classes(), want)
	}
	// Without the b the names are integers, and without the 5 the numbers shift.
	train, test, err := Parts(e, []int{4, 0, 1}, []int{3})
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[*Examples]Set{
		train: {X: [][]float64{{5}, {1}, {2}}, Class: []int{0, 1, 0}},
		test:  {X: [][]float64{{4}}, Class: []int{1}},
	} {
		if got := part.Set(); !reflect.DeepEqual(got, want) {
			t.Errorf("a part is %v, want %v", got, want)
		}
		if want := []string{"9", "10"}; !slices.Equal(part.Classes(), want) {
			t.Errorf("its classes are %q, want %q", part.Classes(), want)
		}
	}
	if e.Class(0) != 0 || e.Class(1) != 2 {
		t.Error("the examples themselves have changed")
	}
	if train, test, err = Parts(e, []int{0, 1}, nil); err != nil || train.Len() != 2 || test.Len() != 0 || test.Inputs() != 1 {
		t.Errorf("an empty test part: %v, %v, %v", train, test, err)
	}
}

func TestPartsErrors(t *testing.T) {
	e := readCSV(t, "x,class\n1,10\n2,9\n3,5\n\n4,b\n")
	for _, c := range []struct {
		train, test []int
		want        string
	}{
		{[]int{0, 1, 2}, []int{2, 3}, `dataset: a.csv:6: class "b" is not in the training part, which has "5", "9", "10"`},
		{[]int{3, 1}, []int{1, 2, 0}, `dataset: a.csv:4: class "5" is not in the training part, which has "9", "b"`},
		{[]int{0}, []int{0}, `dataset: classes of the training part: 1; need at least 2`},
		{nil, []int{0}, `dataset: classes of the training part: 0; need at least 2`},
	} {
		train, test, err := Parts(e, c.train, c.test)
		refuses(t, "parts", err, c.want)
		if train != nil || test != nil {
			t.Errorf("%v and %v beside an error", train, test)
		}
	}
}

func TestAlign(t *testing.T) {
	read := func(name string, height int, labels ...byte) *Examples {
		t.Helper()
		e, err := ReadIDX(strings.NewReader(idxImages(len(labels), height, 2)), strings.NewReader(idx(labels, 2049, uint32(len(labels)))), name, "la")
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	train := read("train", 3, 10, 9, 3, 9)
	test, err := Align(train, read("test", 3, 10, 10, 9))
	if err != nil {
		t.Fatal(err)
	}
	if got := test.Set().Class; !slices.Equal(got, []int{2, 2, 1}) || !slices.Equal(test.Classes(), []string{"3", "9", "10"}) {
		t.Errorf("classes %v of %q", got, test.Classes())
	}
	if test.Where(2) != "test: image 3" {
		t.Errorf("the third is from %q", test.Where(2))
	}
	_, err = Align(train, read("test", 3, 10, 9, 4))
	refuses(t, "a label out of range", err, `dataset: test: image 3: class "4" is not in the training part, which has "3", "9", "10"`)
	_, err = Align(train, read("test", 4, 10, 9))
	refuses(t, "larger images", err, `dataset: test: image 1: 8 inputs; the training part has 6`)
	_, err = Align(read("train", 3, 1, 1), test)
	refuses(t, "one class", err, `dataset: classes of the training part: 1; need at least 2`)

	// Parts of what is scaled stay scaled, and what was made aligns, too.
	scaler, err := train.Scaler(Unit)
	if err != nil {
		t.Fatal(err)
	}
	_, part, err := Parts(scaler.Apply(train), []int{1, 2, 3}, []int{1})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := part.Set().X[0][0], float64(pixel(1, 0))/255; got != want {
		t.Errorf("pixel %g, want %g", got, want)
	}
	_, err = Align(three(), labelled(0, 1))
	refuses(t, "another number of inputs", err, `dataset: example 1: 1 inputs; the training part has 2`)
	if none, err := Align(three(), labelled(0, 1).Subset(nil)); err != nil || none.Len() != 0 {
		t.Errorf("no examples align to %v, %v", none, err)
	}
	if made, err := Align(three(), three().Subset([]int{3, 1})); err != nil || !slices.Equal(made.Set().Class, []int{0, 2}) {
		t.Errorf("made examples align to %v, %v", made, err)
	}
}
