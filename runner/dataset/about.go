package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// About says what there is, in a line: "my.csv: 583 examples, 5 inputs, 2 classes: Oak
// 300, Ash 283". If something is odd about it a second line says that: constant columns,
// classes with one example or whose names differ in case only, what was missing.
func (e *Examples) About() string {
	v, count := e.values, make([]int, len(e.classes))
	for _, k := range e.class {
		count[k]++
	}
	order := upTo(len(count))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
	var classes, single, alike, constant, odd []string
	for _, k := range order {
		classes = append(classes, fmt.Sprintf("%s %d", e.classes[k], count[k]))
		if count[k] == 1 {
			single = append(single, e.classes[k])
		}
	}
	for k, name := range e.classes {
		for _, other := range e.classes[:k] {
			if strings.EqualFold(name, other) {
				alike = append(alike, other+" and "+name)
			}
		}
	}
	empty := 0
	for j, f := range v.features {
		first, varies := v.number[j], false
		for i := j; i < len(v.number); i += v.width {
			x := v.number[i]
			varies = varies || x == x && x != first
			if x != x {
				empty++
			}
		}
		if !varies {
			constant = append(constant, f.String())
		}
	}
	tell := func(what string, names []string) {
		if len(names) > 0 {
			odd = append(odd, what+": "+list(names))
		}
	}
	number := func(n int) []string { return slices.Repeat([]string{fmt.Sprint(n)}, min(n, 1)) }
	tell("always the same", constant)
	tell("classes with one example", single)
	tell("classes that differ in case only", alike)
	tell("rows dropped, a value missing", number(v.dropped))
	tell("missing inputs that means stand for", number(empty))
	tell("words that the training table does not have", v.unknown)
	line := fmt.Sprintf("%s: %d examples, %d inputs, %d classes: %s", v.file, e.Len(), e.Inputs(), len(classes), list(classes))
	if odd != nil {
		line += fmt.Sprintf("\n%s: %s", v.file, strings.Join(odd, "; "))
	}
	return line
}

// list joins names, and cuts a long list.
func list(names []string) string {
	const most = 10
	if len(names) > most {
		names = append(names[:most:most], fmt.Sprintf("… (%d in all)", len(names)))
	}
	return strings.Join(names, ", ")
}
