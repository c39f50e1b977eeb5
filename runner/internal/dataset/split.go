package dataset

import (
	"fmt"
	"math"
	"math/rand/v2"
)

// SplitFraction draws a test part, class by class: of the n examples of a class
// it takes the fraction test, rounded, but at least 1 and at most n−1. The only
// example of a class stays in the training part. The numbers of both parts, from
// 0, are in ascending order: a learner that depends on the order must shuffle
// them. It returns an error if test is not between 0 and 1, or a part is empty.
func (e *Examples) SplitFraction(test float64, src rand.Source) (trainRows, testRows []int, err error) {
	if !(test > 0 && test < 1) {
		return nil, nil, fmt.Errorf("dataset: a test part of %g of the examples; allowed: above 0 and below 1", test)
	}
	members := make([][]int, len(e.classes))
	for i, k := range e.class {
		members[k] = append(members[k], i)
	}
	rnd := rand.New(src)
	train := make([]bool, e.Len())
	for _, m := range members {
		rnd.Shuffle(len(m), func(a, b int) { m[a], m[b] = m[b], m[a] })
		var taken int
		if n := len(m); n >= 2 {
			taken = min(max(int(math.Round(test*float64(n))), 1), n-1)
		}
		for _, i := range m[taken:] {
			train[i] = true
		}
	}
	return split(train)
}

// split returns the numbers of the elements that are true and of those that are
// not.
func split(in []bool) (train, test []int, err error) {
	for i, in := range in {
		if in {
			train = append(train, i)
		} else {
			test = append(test, i)
		}
	}
	switch {
	case len(train) == 0:
		return nil, nil, fmt.Errorf("dataset: no rows of %d are for training", len(in))
	case len(test) == 0:
		return nil, nil, fmt.Errorf("dataset: no rows of %d are left for testing", len(in))
	}
	return train, test, nil
}
