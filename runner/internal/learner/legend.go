package learner

import (
	"cmp"
	"hash/fnv"
	"strings"
)

// Legend says what figures, and tables of the paper, call methods, by their names.
type Legend map[string]Method

// NewLegend returns that of methods.
func NewLegend(methods []Method) Legend {
	l := Legend{}
	for _, m := range methods {
		l[m.Name] = m
	}
	return l
}

// find returns the method of a name, perhaps one such as "joint lambda=0.1 rho=0.5", and what is swept.
func (l Legend) find(name string) (base, swept string) {
	if _, ok := l[name]; ok {
		return name, ""
	}
	base, swept, _ = strings.Cut(name, " ")
	return base, swept
}

// Label returns what a method is called.
func (l Legend) Label(name string) string {
	base, swept := l.find(name)
	label := cmp.Or(l[base].Label, strings.NewReplacer("-", " ", "_", " ").Replace(base))
	return strings.TrimSpace(label + " " + swept)
}

// Group returns the number of the group of a method, as Curve of figures has it: none, 0, where something is
// swept. It follows from the word for the group alone, so that a method has one colour in all figures.
func (l Legend) Group(name string) int {
	const groups = 10   // that figures tell apart by their colours
	const salt = "3407" // with which groups that are often compared have different colours
	base, swept := l.find(name)
	if swept != "" {
		return 0
	}
	first := strings.FieldsFunc(base, func(r rune) bool { return strings.ContainsRune("-_ ", r) })
	h := fnv.New32a()
	h.Write([]byte(salt + cmp.Or(l[base].Group, append(first, base)[0])))
	return 1 + int(h.Sum32()%groups)
}
