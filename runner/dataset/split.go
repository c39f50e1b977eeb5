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

// Split draws a test part, class by class: the given fraction, above 0 and below 1, of the n examples of a
// class, rounded, but at least 1 and at most n−1. The only example of a class stays in the training part.
// Both parts are in the order of e. Split returns an error if a part is empty.
func (e *Examples) Split(fraction float64, src rand.Source) (train, test *Examples, err error) {
	var trainRows, testRows []int
	rnd := rand.New(src)
	for _, m := range e.members() {
		rnd.Shuffle(len(m), func(a, b int) { m[a], m[b] = m[b], m[a] })
		taken := min(max(int(math.Round(fraction*float64(len(m)))), 1), max(len(m)-1, 0))
		testRows, trainRows = append(testRows, m[:taken]...), append(trainRows, m[taken:]...)
	}
	slices.Sort(trainRows)
	slices.Sort(testRows)
	if len(trainRows) == 0 || len(testRows) == 0 {
		return nil, nil, fmt.Errorf("%d examples to train and %d to test; need some of both",
			len(trainRows), len(testRows))
	}
	return e.Subset(trainRows), e.Subset(testRows), nil
}

// members returns the indices of the examples of each class.
func (e *Examples) members() [][]int {
	members := make([][]int, len(e.classes))
	for i, r := range e.rows {
		members[r.class] = append(members[r.class], i)
	}
	return members
}

// Frequent returns the examples of the classes with at least so many of them. It notes the others.
func (e *Examples) Frequent(least int) *Examples {
	f, rows := *e, []int(nil)
	table := *e.source
	f.source = &table
	var rare []string
	for k, m := range e.members() {
		if len(m) >= least {
			rows = append(rows, m...)
			continue
		}
		table.omitted = append(slices.Clip(table.omitted), "class "+e.classes[k])
		rare = append(rare, fmt.Sprintf("%s (%d)", e.classes[k], len(m)))
	}
	f.note(fmt.Sprintf("classes with fewer than %d examples, left out", least), rare)
	slices.Sort(rows)
	return f.Subset(rows).present()
}

// Parts returns two parts with the classes that occur in the training part, in the order that an ARFF file
// declares, or in numerical order if all names are integers, or in alphabetical order. It returns an error if
// there are fewer than two classes, or if a test example has another class or another number of inputs.
func Parts(train, test *Examples) (*Examples, *Examples, error) {
	train = train.present()
	if len(train.classes) < 2 {
		return nil, nil, errors.New("the training part has fewer than 2 classes")
	} else if test.Len() > 0 && test.Inputs() != train.Inputs() {
		return nil, nil, fmt.Errorf("%s: %d inputs; the training part has %d", test.file, test.Inputs(),
			train.Inputs())
	}
	test, err := test.renumbered(train.classes)
	return train, test, err
}

// Join returns the training examples followed by the test examples, two parts that [Parts] returned.
func Join(train, test *Examples) *Examples {
	e := *train
	e.rows = slices.Concat(train.rows, test.rows)
	return &e
}

// present returns the examples with only those classes that occur, in the order of [Parts].
func (e *Examples) present() *Examples {
	number, integers := map[string]int{}, true
	for _, r := range e.rows {
		n, err := strconv.Atoi(e.classes[r.class])
		number[e.classes[r.class]], integers = n, integers && err == nil
	}
	names := slices.Sorted(maps.Keys(number))
	if e.declared != nil {
		slices.SortFunc(names, func(a, b string) int {
			return cmp.Compare(slices.Index(e.declared, a), slices.Index(e.declared, b))
		})
	} else if integers {
		slices.SortStableFunc(names, func(a, b string) int { return cmp.Compare(number[a], number[b]) })
	}
	e, _ = e.renumbered(names) // no error: no other class occurs
	return e
}

// renumbered returns the examples with the classes in the order of the names. It returns an error if an
// example has another class.
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
