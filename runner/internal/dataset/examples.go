package dataset

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

// Examples are labelled examples, read or made. They are never changed, so
// several goroutines may use them at once. Examples that were made from others,
// by Subset, Parts or a Scaler, share the values with them.
type Examples struct {
	table   table
	row     []int // of the table, by example
	class   []int // by example, from 0
	classes []string
}

// table holds the inputs of examples: as they were read, or scaled.
type table interface {
	inputs() int
	put(dst []float64, row int) // dst has length inputs
	where(row int) string
}

// Len returns the number of examples.
func (e *Examples) Len() int { return len(e.row) }

// Inputs returns the number of inputs of an example.
func (e *Examples) Inputs() int { return e.table.inputs() }

// Classes returns the names of the classes, in the order of their numbers. The
// caller must not change them.
func (e *Examples) Classes() []string { return e.classes }

// Class returns the class of example i, from 0.
func (e *Examples) Class(i int) int { return e.class[i] }

// Input puts the inputs of example i into dst, whose length is Inputs. It
// allocates nothing.
func (e *Examples) Input(dst []float64, i int) {
	if len(dst) != e.Inputs() {
		panic(fmt.Sprintf("dataset: dst of Input has length %d, need %d, one per input", len(dst), e.Inputs()))
	}
	e.table.put(dst, e.row[i])
}

// Where says where example i came from: "file.csv:12" is line 12 of a file, and
// "images.gz: image 5" the fifth image.
func (e *Examples) Where(i int) string { return e.table.where(e.row[i]) }

// Subset returns the examples of those numbers, from 0, in that order. It keeps
// all classes. It panics if a number is out of range.
func (e *Examples) Subset(rows []int) *Examples {
	s := &Examples{table: e.table, row: make([]int, len(rows)), class: make([]int, len(rows)), classes: e.classes}
	for k, i := range rows {
		if i < 0 || i >= e.Len() {
			panic(fmt.Sprintf("dataset: Subset of example %d, need from 0 to %d", i, e.Len()-1))
		}
		s.row[k], s.class[k] = e.row[i], e.class[i]
	}
	return s
}

// Set returns all examples as numbers of eight bytes each.
func (e *Examples) Set() Set {
	set := Set{X: make([][]float64, e.Len()), Class: slices.Clone(e.class)}
	n := e.Inputs()
	all := make([]float64, e.Len()*n)
	for i := range set.X {
		set.X[i] = all[i*n : (i+1)*n : (i+1)*n]
		e.Input(set.X[i], i)
	}
	return set
}

// NewExamples returns a copy of the set, whose classes are given the names 1, 2,
// …, up to their number. It panics if the examples do not all have as many
// inputs, an input is not finite, or a class is out of range.
func NewExamples(set Set, classes int) *Examples {
	if len(set.Class) != len(set.X) {
		panic(fmt.Sprintf("dataset: NewExamples of %d inputs and %d classes, need as many", len(set.X), len(set.Class)))
	}
	t := &numbers{}
	if len(set.X) > 0 {
		t.width = len(set.X[0])
	}
	for i, x := range set.X {
		if len(x) != t.width {
			panic(fmt.Sprintf("dataset: example %d of NewExamples has %d inputs, need %d, as many as the first", i, len(x), t.width))
		}
		for _, v := range x {
			if math.IsNaN(v) || math.IsInf(v, 0) {
				panic(fmt.Sprintf("dataset: example %d of NewExamples is %v, need finite numbers", i, x))
			}
		}
		if k := set.Class[i]; k < 0 || k >= classes {
			panic(fmt.Sprintf("dataset: example %d of NewExamples has class %d, need from 0 to %d", i, k, classes-1))
		}
		t.value = append(t.value, x...)
	}
	names := make([]string, classes)
	for k := range names {
		names[k] = strconv.Itoa(k + 1)
	}
	return &Examples{table: t, row: upTo(len(set.X)), class: slices.Clone(set.Class), classes: names}
}

// numbers is a table of numbers: of a CSV file, or made.
type numbers struct {
	width int
	value []float64 // row by row
	file  string
	line  []int // by row; nil for numbers that were made
}

func (t *numbers) inputs() int { return t.width }

func (t *numbers) put(dst []float64, row int) { copy(dst, t.value[row*t.width:]) }

func (t *numbers) where(row int) string {
	if t.line == nil {
		return fmt.Sprintf("example %d", row+1)
	}
	return fmt.Sprintf("%s:%d", t.file, t.line[row])
}

// upTo returns 0, 1, …, n−1.
func upTo(n int) []int {
	numbers := make([]int, n)
	for i := range numbers {
		numbers[i] = i
	}
	return numbers
}
