// Package dataset turns tables into examples that a network learns from: inputs, and classes from 0.
//
// A [Format] says which columns have classes or words, and how missing values are handled; [Format.Read]
// returns the [Examples]. [Examples.Split] and [Parts] split them. A [Scaler] is fitted to one part, and also
// scales new rows, whose columns it finds by their names: [NewReader], [Scaler.Inputs].
package dataset

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// Examples are labelled examples, read or drawn. They are immutable, and may share values.
type Examples struct {
	*source
	rows    []row
	classes []string
	scaler  Scaler // that is applied
}

type source struct {
	file   string
	pixels bool     // they are images,
	square bool     // as high as they are wide
	inputs Scaler   // that leaves them as they are
	notes  []string // what is odd about the table
}

type row struct {
	class  int       // from 0
	place  int       // line of the file, from 1, or number of the image or drawn example
	number []float64 // inputs, NaN being missing; or
	pixels []byte    // those of an image
}

// Set is a list of labelled examples: X[k] has the class Class[k], from 0.
type Set struct {
	X     [][]float64
	Class []int
}

// NewExamples returns a copy of the set, with classes named 1, 2, …
func NewExamples(set Set, classes int) *Examples {
	e := &Examples{source: &source{}, rows: make([]row, 0, len(set.X))}
	if len(set.X) > 0 {
		e.inputs = plain(len(set.X[0]))
	}
	numbers := slices.Concat(set.X...)
	for i, x := range set.X {
		k := set.Class[i]
		if len(x) != e.Inputs() || k < 0 || k >= classes {
			panic(fmt.Sprintf("dataset: example %d of %d inputs and class %d, need %d inputs and %d classes",
				i, len(x), k, e.Inputs(), classes))
		}
		n := len(x)
		e.rows = append(e.rows, row{class: k, place: i + 1, number: numbers[i*n : (i+1)*n]})
	}
	for k := range classes {
		e.classes = append(e.classes, strconv.Itoa(k+1))
	}
	return e
}

// Images returns the examples of an image file, a byte per pixel, row by row; the labels are classes.
func Images(file string, pixels []byte, height, width int, labels []byte) *Examples {
	n := height * width
	e := &Examples{source: &source{file: file, pixels: true, square: height == width, inputs: plain(n)}}
	for i, k := range labels {
		e.rows = append(e.rows, row{class: int(k), place: i + 1, pixels: pixels[i*n : (i+1)*n]})
	}
	for k := range 256 {
		e.classes = append(e.classes, strconv.Itoa(k))
	}
	return e.present()
}

// Len returns the number of examples.
func (e *Examples) Len() int { return len(e.rows) }

// Inputs returns the number of inputs of an example.
func (e *Examples) Inputs() int { return len(e.inputs) }

// SquareImages reports whether the inputs are the pixels of square grey images, row by row.
func (e *Examples) SquareImages() bool { return e.square }

// Classes returns the names of the classes, in the order of their numbers.
func (e *Examples) Classes() []string { return e.classes }

// Class returns the class of example i, from 0.
func (e *Examples) Class(i int) int { return e.rows[i].class }

// Row returns the row of example i: the line of its file, or the number of the image or drawn example.
func (e *Examples) Row(i int) int { return e.rows[i].place }

// Input returns a copy of the inputs of example i. Missing ones are NaN before scaling.
func (e *Examples) Input(i int) []float64 {
	x := append(make([]float64, 0, e.Inputs()), e.rows[i].number...)
	for _, pixel := range e.rows[i].pixels {
		x = append(x, float64(pixel))
	}
	e.scaler.scale(x)
	return x
}

// Set returns a copy of the examples from first to last − 1.
func (e *Examples) Set(first, last int) (set Set) {
	for i := first; i < last; i++ {
		set.X, set.Class = append(set.X, e.Input(i)), append(set.Class, e.Class(i))
	}
	return set
}

// Digest returns the SHA-256, in hexadecimal, of examples as read: inputs, classes, and all that splits and
// scalings depend on, but not their file.
func (e *Examples) Digest() string {
	h := sha256.New()
	fmt.Fprintf(h, "%t %q\n", e.square, e.classes)
	for _, in := range e.inputs {
		fmt.Fprintf(h, "%q %q %t\n", in.Column, in.Level, in.Fill != nil)
	}
	for _, r := range e.rows {
		fmt.Fprintln(h, r.class, r.place, r.number)
		h.Write(r.pixels)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Part returns the examples from first to last − 1, with all classes.
func (e *Examples) Part(first, last int) *Examples {
	s := *e
	s.rows = e.rows[first:last:last]
	return &s
}

// Subset returns the examples with these indices, in order, with all classes.
func (e *Examples) Subset(rows []int) *Examples {
	s := *e
	s.rows = make([]row, len(rows))
	for k, i := range rows {
		s.rows[k] = e.rows[i]
	}
	return &s
}

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
