// Package dataset turns tables into examples that a network learns from: inputs, and classes from 0.
//
// A [Format] says which columns have classes or words, and how missing values are handled; [Format.Read]
// returns the [Examples]. [Examples.Split] and [Parts] split them. A [Scaler] is fitted to one part, and also
// scales new rows, whose columns it finds by their names: [NewReader], [Scaler.Inputs].
package dataset

import (
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"slices"
	"strconv"
)

// Examples are labelled examples, read or drawn. They are immutable, and may share values.
type Examples struct {
	values  *values
	row     []int // of the values, by example
	class   []int // by example, from 0
	classes []string
	scaler  Scaler
}

type values struct {
	file     string
	width    int
	pixels   []byte    // row by row: those of images, or
	square   bool      // images are as high as they are wide
	number   []float64 // NaN: missing, which a scaler that is fitted with impute fills in
	impute   bool
	features []Feature // by input; nil for images and for numbers that were drawn
	line     []int     // of the file, by row; nil for images and for numbers that were drawn
	notes    []string  // what is odd about the table
}

// Set is a list of labelled examples: X[k] has the class Class[k], from 0.
type Set struct {
	X     [][]float64
	Class []int
}

// NewExamples returns a copy of the set, with classes named 1, 2, …
func NewExamples(set Set, classes int) *Examples {
	e := &Examples{values: &values{}, row: upTo(len(set.X)), class: slices.Clone(set.Class)}
	if len(set.X) > 0 {
		e.values.width = len(set.X[0])
	}
	for i, x := range set.X {
		if k := set.Class[i]; len(x) != e.values.width || k < 0 || k >= classes {
			panic(fmt.Sprintf("dataset: example %d of %d inputs and class %d, need %d inputs and %d classes",
				i, len(x), k, e.values.width, classes))
		}
		e.values.number = append(e.values.number, x...)
	}
	for k := range classes {
		e.classes = append(e.classes, strconv.Itoa(k+1))
	}
	return e
}

// Images returns the examples of an image file, a byte per pixel, row by row; the labels are classes.
func Images(file string, pixels []byte, height, width int, labels []byte) *Examples {
	v := &values{file: file, width: height * width, pixels: pixels, square: height == width}
	e := &Examples{values: v, row: upTo(len(labels))}
	for _, k := range labels {
		e.class = append(e.class, int(k))
	}
	for k := range 256 {
		e.classes = append(e.classes, strconv.Itoa(k))
	}
	return e.present()
}

// Len returns the number of examples.
func (e *Examples) Len() int { return len(e.row) }

// Inputs returns the number of inputs of an example.
func (e *Examples) Inputs() int { return e.values.width }

// SquareImages reports whether the inputs are the pixels of square grey images, row by row.
func (e *Examples) SquareImages() bool { return e.values.square }

// Classes returns the names of the classes, in the order of their numbers.
func (e *Examples) Classes() []string { return e.classes }

// Class returns the class of example i, from 0.
func (e *Examples) Class(i int) int { return e.class[i] }

// Input sets dst, of length Inputs, to the inputs of example i. Missing ones are NaN before scaling.
func (e *Examples) Input(dst []float64, i int) {
	v := e.values
	if len(dst) != v.width {
		panic(fmt.Sprintf("dataset: dst of Input has length %d, need %d, one per input", len(dst), v.width))
	}
	first := e.row[i] * v.width
	if v.pixels == nil {
		copy(dst, v.number[first:])
	} else {
		for j, pixel := range v.pixels[first : first+v.width] {
			dst[j] = float64(pixel)
		}
	}
	e.scaler.scale(dst)
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

// Digest returns the SHA-256, in hexadecimal, of examples as read: inputs, classes, and all that splits and
// scalings depend on, but not their file.
func (e *Examples) Digest() string {
	h, v := sha256.New(), e.values
	fmt.Fprintf(h, "%d %t %t %t %q %#v\n", v.width, v.pixels != nil, v.square, v.impute, e.classes, v.features)
	fmt.Fprintln(h, e.class, e.row)
	h.Write(v.pixels)
	binary.Write(h, binary.LittleEndian, v.number) // to a hash, which takes all
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Row returns the row of example i: the line of its file, or the number of the image or drawn example.
func (e *Examples) Row(i int) int {
	if lines := e.values.line; lines != nil {
		return lines[e.row[i]]
	}
	return e.row[i] + 1
}

// where locates example i: "file.csv:12" is line 12 of a file.
func (e *Examples) where(i int) string {
	if e.values.line == nil {
		return fmt.Sprintf("%s: example %d", e.values.file, e.Row(i))
	}
	return fmt.Sprintf("%s:%d", e.values.file, e.Row(i))
}

// Subset returns the examples with these indices, in order, with all classes.
func (e *Examples) Subset(rows []int) *Examples {
	s := *e
	s.row, s.class = nil, nil
	for _, i := range rows {
		s.row, s.class = append(s.row, e.row[i]), append(s.class, e.class[i])
	}
	return &s
}

func upTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}
