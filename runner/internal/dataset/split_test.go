package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"closedform/core/random"
)

// labelled returns examples of those classes, example i of which has the input i.
func labelled(class ...int) *Examples {
	set := Set{Class: class}
	for i := range class {
		set.X = append(set.X, []float64{float64(i)})
	}
	return NewExamples(set, slices.Max(class)+1)
}

// Whatever the classes, the parts have every example once and of each class the
// number that is promised, in ascending order.
func TestSplitFraction(t *testing.T) {
	rnd := rand.New(random.Source("dataset", "split"))
	for range 500 {
		classes := 1 + rnd.IntN(6)
		class := make([]int, 2+rnd.IntN(80))
		for i := range class {
			class[i] = min(rnd.IntN(classes), rnd.IntN(classes))
		}
		class[1] = class[0] // The test part is not empty.
		e := labelled(class...)
		fraction := rnd.Float64()
		train, test, err := e.SplitFraction(fraction, random.Source("dataset", "parts"))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.IsSorted(train) || !slices.IsSorted(test) {
			t.Fatalf("the order is %v and %v", train, test)
		}
		if all := slices.Sorted(slices.Values(slices.Concat(train, test))); !slices.Equal(all, upTo(len(class))) {
			t.Fatalf("%v and %v are not %d examples", train, test, len(class))
		}
		count, tested := make([]int, classes), make([]int, classes)
		for _, k := range class {
			count[k]++
		}
		for _, i := range test {
			tested[class[i]]++
		}
		for k, n := range count {
			want := int(math.Round(fraction * float64(n)))
			switch {
			case n <= 1:
				want = 0
			case want == 0:
				want = 1
			case want == n:
				want = n - 1
			}
			if tested[k] != want {
				t.Fatalf("a test part of %g has %d of %d examples of class %d, want %d", fraction, tested[k], n, k, want)
			}
		}
	}
}

func TestSplitFractionDependsOnTheStreamAlone(t *testing.T) {
	e := labelled(make([]int, 60)...)
	split := func(seed int) []int {
		_, test, err := e.SplitFraction(0.3, random.Source("dataset", seed))
		if err != nil {
			t.Fatal(err)
		}
		return test
	}
	if !slices.Equal(split(1), split(1)) {
		t.Error("one stream, two splits")
	}
	if slices.Equal(split(1), split(2)) {
		t.Error("two streams, one split")
	}
	if got, want := split(1), []int{2, 3, 4, 5, 9, 11, 20, 21, 23, 26, 30, 32, 33, 34, 43, 46, 50, 52}; !slices.Equal(got, want) {
		t.Errorf("committed results depend on the test part %v, it is %v", want, got)
	}
}

// Every example is tested as often as every other of its class.
func TestSplitFractionIsUniform(t *testing.T) {
	const repeats = 4000
	e := labelled(0, 1, 0, 1, 0, 1, 0, 0) // 2 of 5 and 1 of 3
	tested := make([]float64, e.Len())
	src := random.Source("dataset", "uniform")
	for range repeats {
		_, test, err := e.SplitFraction(0.35, src)
		if err != nil {
			t.Fatal(err)
		}
		for _, i := range test {
			tested[i]++
		}
	}
	for i, n := range tested {
		p := []float64{2. / 5, 1. / 3}[e.Class(i)]
		if z := (n - repeats*p) / math.Sqrt(repeats*p*(1-p)); !(math.Abs(z) < 5) {
			t.Errorf("example %d is tested %g times of %d, %.1f standard errors from %g", i, n, repeats, z, p)
		}
	}
}

func TestSplitFractionErrors(t *testing.T) {
	for _, fraction := range []float64{0, 1, -0.1, 1.1, math.NaN(), math.Inf(1)} {
		_, _, err := labelled(0, 0, 1, 1).SplitFraction(fraction, random.Source())
		refuses(t, "fraction", err, fmt.Sprintf("dataset: a test part of %g of the examples; allowed: above 0 and below 1", fraction))
	}
	_, _, err := labelled(0, 1, 2).SplitFraction(0.5, random.Source())
	refuses(t, "one example a class", err, "dataset: no rows of 3 are left for testing")
	_, _, err = labelled(0, 1).Subset(nil).SplitFraction(0.5, random.Source())
	refuses(t, "no examples", err, "dataset: no rows of 0 are for training")
}
