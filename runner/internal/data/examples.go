package data

import (
	"fmt"
	"slices"
	"strconv"
)

// Examples are labelled examples, read or drawn. They are never changed. Those that were
// made from others, by Subset, Parts or a Scaler, share the values with them.
type Examples struct {
	values  *values
	row     []int // of the values, by example
	class   []int // by example, from 0
	classes []string
	scaler  Scaler
}

// values are the inputs of examples as they were read.
type values struct {
	file   string
	width  int
	pixels []byte // row by row: those of images, or
	number []float64
	line   []int // of the file, by row; nil for numbers that were drawn
}

// NewExamples returns a copy of the set, whose classes get the names 1, 2, …
func NewExamples(set Set, classes int) *Examples {
	e := &Examples{values: &values{}, row: upTo(len(set.X)), class: slices.Clone(set.Class)}
	if len(set.X) > 0 {
		e.values.width = len(set.X[0])
	}
	for i, x := range set.X {
		if k := set.Class[i]; len(x) != e.values.width || k < 0 || k >= classes {
			panic(fmt.Sprintf("data: example %d of %d inputs and class %d, need %d inputs and %d classes", i, len(x), k, e.values.width, classes))
		}
		e.values.number = append(e.values.number, x...)
	}
	for k := range classes {
		e.classes = append(e.classes, strconv.Itoa(k+1))
	}
	return e
}

// Len returns the number of examples.
func (e *Examples) Len() int { return len(e.row) }

// Inputs returns the number of inputs of an example.
func (e *Examples) Inputs() int { return e.values.width }

// Classes returns the names of the classes, in the order of their numbers.
func (e *Examples) Classes() []string { return e.classes }

// Class returns the class of example i, from 0.
func (e *Examples) Class(i int) int { return e.class[i] }

// Input puts the inputs of example i into dst, whose length is Inputs.
func (e *Examples) Input(dst []float64, i int) {
	v := e.values
	if len(dst) != v.width {
		panic(fmt.Sprintf("data: dst of Input has length %d, need %d, one per input", len(dst), v.width))
	}
	at := e.row[i] * v.width
	if v.pixels == nil {
		copy(dst, v.number[at:])
	} else {
		for j, pixel := range v.pixels[at : at+v.width] {
			dst[j] = float64(pixel)
		}
	}
	for j, shift := range e.scaler.shift {
		dst[j] = (dst[j] - shift) * e.scaler.factor[j]
	}
}

// Set returns a copy of the examples from first to last − 1.
func (e *Examples) Set(first, last int) Set {
	set := Set{Class: slices.Clone(e.class[first:last])}
	for i := first; i < last; i++ {
		x := make([]float64, e.Inputs())
		e.Input(x, i)
		set.X = append(set.X, x)
	}
	return set
}

// where says where example i came from: "file.csv:12" is line 12 of a file.
func (e *Examples) where(i int) string {
	switch v, row := e.values, e.row[i]; {
	case v.line != nil:
		return fmt.Sprintf("%s:%d", v.file, v.line[row])
	case v.pixels != nil:
		return fmt.Sprintf("%s: image %d", v.file, row+1)
	default:
		return fmt.Sprintf("example %d", row+1)
	}
}

// Subset returns the examples of those numbers, in that order, with all classes.
func (e *Examples) Subset(rows []int) *Examples {
	s := *e
	s.row, s.class = nil, nil
	for _, i := range rows {
		s.row, s.class = append(s.row, e.row[i]), append(s.class, e.class[i])
	}
	return &s
}

// upTo returns 0, 1, …, n−1.
func upTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}
