package dataset

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
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
	var classes, single, constant, odd []string
	for _, k := range order {
		classes = append(classes, fmt.Sprintf("%s %d", e.classes[k], count[k]))
		if count[k] == 1 {
			single = append(single, e.classes[k])
		}
	}
	line := fmt.Sprintf("%s: %d examples, %d inputs, %d classes: %s",
		v.file, e.Len(), e.Inputs(), len(classes), list(classes))
	if v.line == nil {
		return line
	}
	mean, sd := e.moments()
	for j, f := range v.features {
		if isConstant(mean[j], sd[j]) {
			constant = append(constant, f.String())
		}
	}
	missing := 0
	for _, i := range e.row {
		for _, x := range v.number[i*v.width:][:v.width] {
			if math.IsNaN(x) {
				missing++
			}
		}
	}
	for _, note := range []struct {
		what  string
		names []string
		n     int
	}{
		{"classes with one example", single, 0},
		{"columns without a value, left out", v.empty, 0},
		{"columns with one value", constant, 0},
		{"rows dropped, with a missing value", nil, len(v.line) - e.Len()},
		{"missing values, replaced by column means", nil, missing},
		{"rows whose inputs repeat those of others, which may be in the other part", nil, Repeats(e, e)},
		{"words that the training table does not have", v.unknown, 0},
	} {
		if note.n > 0 {
			odd = append(odd, fmt.Sprintf("%s: %d", note.what, note.n))
		} else if note.names != nil {
			odd = append(odd, note.what+": "+list(note.names))
		}
	}
	if odd != nil {
		line += fmt.Sprintf("\n%s: %s", v.file, strings.Join(odd, "; "))
	}
	return line
}

// Repeats returns how many rows of a test table have inputs that a row of the training table has; if both
// are one, how many repeat a row before them.
func Repeats(train, test *Examples) (n int) {
	known, text := map[string]bool{}, func(e *Examples, row int) string {
		return fmt.Sprint(e.values.number[row*e.values.width:][:e.values.width])
	}
	for _, row := range train.row {
		known[text(train, row)] = true
	}
	if train == test {
		return train.Len() - len(known)
	}
	for _, row := range test.row {
		if known[text(test, row)] {
			n++
		}
	}
	return n
}

// list joins names, and cuts a long list.
func list(names []string) string {
	const most = 10
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("… (%d in all)", len(names)))
	}
	return strings.Join(names, ", ")
}
