// Package dataset turns tables into examples that a network learns from: inputs, and classes from 0.
//
// A [Format] says which columns have classes or words, and how missing values are handled; [Format.Read]
// returns the [Examples]. [Examples.Split] and [Parts] split them. A [Scaler] is fitted to one part, and also
// scales the rows of other tables, whose columns it finds by their names: [NewReader], [Scaler.Inputs].
package dataset

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strconv"
)

// Examples are labelled examples, read or drawn. They are immutable, and may share values.
type Examples struct {
	*source
	rows    []row
	classes []string // names of the classes
	scaler  Scaler   // scales the inputs; nil: they are not scaled
}

// source describes the table that a set of examples comes from, the same for the training and the test part.
type source struct {
	file     string
	pixels   bool     // the examples are images
	square   bool     // the images are as high as they are wide
	inputs   Scaler   // the inputs, with shifts of 0 and factors of 1
	declared []string // the classes, in the order in which an ARFF file declares them; nil: it does not
	notes    []string // what is odd about the table
	omitted  []string // what is left out, such as "column mass"
}

// Omitted returns what is left out, columns without a value and classes of few examples: "column mass".
func (e *Examples) Omitted() []string { return e.omitted }

type row struct {
	class  int       // number of the class, from 0
	place  int       // line of the file, from 1, or number of the image or drawn example
	number []float64 // inputs, NaN if missing; nil for an image
	pixels []byte    // inputs of an image
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

// Images returns the examples of an image file, a byte for each pixel, row by row. The labels are classes.
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

// Row returns the line of example i in its file, or the number of the image or drawn example, from 1.
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

// Digest returns the SHA-256, in hexadecimal, of the examples before scaling: inputs, classes, and whatever
// else splits and scalings depend on, but not the name of the file.
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

// Subset returns the examples with these indices, in order, with all classes.
func (e *Examples) Subset(rows []int) *Examples {
	s := *e
	s.rows = make([]row, len(rows))
	for k, i := range rows {
		s.rows[k] = e.rows[i]
	}
	return &s
}
