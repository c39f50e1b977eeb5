package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Split draws a test part, class by class: of the n examples of a class it takes the fraction test, above 0
// and below 1, rounded, but at least 1 and at most n−1. The only example of a class stays in the training
// part. The numbers of both parts, from 0, are in ascending order. It returns an error if a part is empty.
func (e *Examples) Split(test float64, src rand.Source) (trainRows, testRows []int, err error) {
	members := e.members()
	rnd := rand.New(src)
	for _, m := range members {
		rnd.Shuffle(len(m), func(a, b int) { m[a], m[b] = m[b], m[a] })
		taken := min(max(int(math.Round(test*float64(len(m)))), 1), max(len(m)-1, 0))
		testRows, trainRows = append(testRows, m[:taken]...), append(trainRows, m[taken:]...)
	}
	slices.Sort(trainRows)
	slices.Sort(testRows)
	if len(trainRows) == 0 || len(testRows) == 0 {
		return nil, nil, fmt.Errorf("%d examples to train and %d to test; need some of both",
			len(trainRows), len(testRows))
	}
	return trainRows, testRows, nil
}

// members returns the examples of each class.
func (e *Examples) members() [][]int {
	members := make([][]int, len(e.classes))
	for i, r := range e.rows {
		members[r.class] = append(members[r.class], i)
	}
	return members
}

// Parts returns two parts with the classes of the training part, in numerical order if all names are
// integers, else in that of the text. It returns an error if these are fewer than two, or a test example has
// one that is not among them or another number of inputs.
func Parts(train, test *Examples) (tr, te *Examples, err error) {
	tr = train.present()
	if len(tr.classes) < 2 {
		return nil, nil, errors.New("the training part has fewer than 2 classes")
	} else if test.Len() > 0 && test.Inputs() != tr.Inputs() {
		return nil, nil, fmt.Errorf("%s: %d inputs; the training part has %d", test.file, test.Inputs(),
			tr.Inputs())
	}
	te, err = test.renumbered(tr.classes)
	return tr, te, err
}

// Join returns the training examples and those of an aligned test part, before both are scaled.
func Join(train, test *Examples) *Examples {
	e := *train
	e.rows = slices.Concat(train.rows, test.rows)
	return &e
}

// present returns the examples with only those classes that at least one has, in order.
func (e *Examples) present() *Examples {
	number, integers := map[string]int{}, true
	for _, r := range e.rows {
		n, err := strconv.Atoi(e.classes[r.class])
		number[e.classes[r.class]], integers = n, integers && err == nil
	}
	names := slices.Sorted(maps.Keys(number))
	if integers {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(number[a], number[b]) })
	}
	e, _ = e.renumbered(names) // which all are there
	return e
}

// renumbered returns the examples with the classes of those names, or an error if one has another class.
func (e *Examples) renumbered(names []string) (*Examples, error) {
	r := *e
	r.rows, r.classes = slices.Clone(e.rows), names
	for i := range r.rows {
		name := e.classes[e.Class(i)]
		if r.rows[i].class = slices.Index(names, name); r.Class(i) < 0 {
			return nil, fmt.Errorf("%s:%d: class %q is not in the training part, which has %s",
				e.file, e.Row(i), name, strings.Join(names, ", "))
		}
	}
	return &r, nil
}
