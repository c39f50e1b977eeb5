// Package dataset turns tables into examples that a network learns from: inputs, and classes from 0.
//
// A [Format] says which columns have classes or words, and how missing values are handled; [Format.Read]
// returns the [Examples]. [Examples.Split] and [Parts] split them. A [Scaler] is fitted to one part, and also
// scales new rows, whose columns it finds by their names: [NewReader], [Scaler.Inputs].
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

// Input sets dst, of length Inputs, to the inputs of example i. Missing ones are NaN before scaling.
func (e *Examples) Input(dst []float64, i int) {
	if len(dst) != e.Inputs() {
		panic(fmt.Sprintf("dataset: dst of Input has length %d, need %d, one per input", len(dst), e.Inputs()))
	}
	copy(dst, e.rows[i].number)
	for j, pixel := range e.rows[i].pixels {
		dst[j] = float64(pixel)
	}
	e.scaler.scale(dst)
}

// Set returns a copy of the examples from first to last − 1.
func (e *Examples) Set(first, last int) Set {
	n, d := last-first, e.Inputs()
	set, numbers := Set{X: make([][]float64, n), Class: make([]int, n)}, make([]float64, n*d)
	for i := range set.X {
		set.X[i], set.Class[i] = numbers[i*d:(i+1)*d:(i+1)*d], e.Class(first+i)
		e.Input(set.X[i], first+i)
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
