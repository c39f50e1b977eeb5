package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"
)

// About says what there is, in a line: "my.csv: 583 examples, 5 inputs, 2 classes: Oak
// 300, Ash 283". If something is odd about it a second line says that: classes with one
// example, what was missing, words that the training table does not have.
func (e *Examples) About() string {
	v, count := e.values, make([]int, len(e.classes))
	for _, k := range e.class {
		count[k]++
	}
	order := upTo(len(count))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
	var classes, single, odd []string
	note := func(what string, names []string) {
		if names != nil {
			odd = append(odd, what+": "+list(names))
		}
	}
	number := func(what string, n int) {
		if n > 0 {
			odd = append(odd, fmt.Sprintf("%s: %d", what, n))
		}
	}
	for _, k := range order {
		classes = append(classes, fmt.Sprintf("%s %d", e.classes[k], count[k]))
		if count[k] == 1 {
			single = append(single, e.classes[k])
		}
	}
	note("classes with one example", single)
	note("columns without a value, left out", v.empty)
	note("columns with one value", e.constant())
	number("rows dropped, with a missing value", v.dropped)
	number("missing values, replaced by column means", floats.Count(math.IsNaN, v.number))
	number("rows whose inputs repeat those of others, which may be in the other part", e.repeats())
	note("words that the training table does not have", v.unknown)
	line := fmt.Sprintf("%s: %d examples, %d inputs, %d classes: %s",
		v.file, e.Len(), e.Inputs(), len(classes), list(classes))
	if odd != nil {
		line += fmt.Sprintf("\n%s: %s", v.file, strings.Join(odd, "; "))
	}
	return line
}

// repeats returns how many rows of a table have the inputs of a row before them.
func (e *Examples) repeats() int {
	if e.values.line == nil {
		return 0
	}
	return e.Len() - len(e.distinct())
}

// Repeats returns how many rows of a test table have inputs that a row of the training table has.
func Repeats(train, test *Examples) (n int) {
	known := train.distinct()
	for _, row := range test.row {
		if known[test.text(row)] {
			n++
		}
	}
	return n
}

// distinct returns the inputs of all rows of a table, as texts.
func (e *Examples) distinct() map[string]bool {
	texts := map[string]bool{}
	for _, row := range e.row {
		texts[e.text(row)] = true
	}
	return texts
}

// text returns the inputs of a row of a table.
func (e *Examples) text(row int) string {
	return fmt.Sprint(e.values.number[row*e.values.width : (row+1)*e.values.width])
}

// constant returns the columns of a table that have one value, but for rounding errors.
func (e *Examples) constant() (names []string) {
	if e.values.line == nil || e.Len() == 0 {
		return nil
	}
	mean, sd := e.moments()
	for j, f := range e.values.features {
		if isConstant(mean[j], sd[j]) {
			names = append(names, f.String())
		}
	}
	return names
}

// list joins names, and cuts a long list.
func list(names []string) string {
	const most = 10
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("… (%d in all)", len(names)))
	}
	return strings.Join(names, ", ")
}
