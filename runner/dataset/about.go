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
	count := make([]int, len(e.classes))
	for _, k := range e.class {
		count[k]++
	}
	order := upTo(len(count))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(count[b], count[a]) })
	var classes, single, alike, constant []string
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
	for j, f := range e.values.features {
		first, varies := e.values.number[j], false
		for i := j; i < len(e.values.number); i += e.values.width {
			x := e.values.number[i]
			varies = varies || x == x && x != first
			if x != x {
				empty++
			}
		}
		if !varies {
			constant = append(constant, f.String())
		}
	}
	line := fmt.Sprintf("%s: %d examples, %d inputs, %d classes: %s",
		e.values.file, e.Len(), e.Inputs(), len(classes), list(classes))
	var odd []string
	for _, o := range []struct {
		what  string
		names []string
	}{
		{"always the same", constant},
		{"classes with one example", single},
		{"classes that differ in case only", alike},
	} {
		if len(o.names) > 0 {
			odd = append(odd, o.what+": "+list(o.names))
		}
	}
	if e.values.dropped > 0 {
		odd = append(odd, fmt.Sprintf("rows dropped, a value missing: %d", e.values.dropped))
	}
	if empty > 0 {
		odd = append(odd, fmt.Sprintf("missing inputs that means stand for: %d", empty))
	}
	if len(odd) > 0 {
		line += fmt.Sprintf("\n%s: %s", e.values.file, strings.Join(odd, "; "))
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
