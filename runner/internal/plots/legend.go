package plots

import (
	"cmp"
	"hash/crc32"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/learner"
	"closedform/runner/internal/table"
)

// Legend maps the names of methods to their labels in figures and tables.
type Legend map[string]learner.Method

// NewLegend returns the legend of the methods of a manifest.
func NewLegend(methods []learner.Method) Legend {
	l := Legend{}
	for _, m := range methods {
		l[m.Name] = m
	}
	return l
}

// Label returns the label of a method.
func (l Legend) Label(name string) string {
	return cmp.Or(l[name].Label, strings.NewReplacer("-", " ", "_", " ").Replace(name))
}

// Curves returns a curve of means with intervals for each of the methods.
func (l Legend) Curves(means *table.Table, methods []string, x, y string) (curves []figures.Curve) {
	for _, name := range methods {
		curve := Curve(means.Where("method", name), l.Label(name), x, y)
		curve.Group = l.Group(name)
		curves = append(curves, curve)
	}
	return curves
}

// families are the colour groups of words of methods that are often compared.
var families = map[string]int{
	"adf": 1, "default": 1, "bank": 1, "probit": 2, "one": 2, "joint": 3, "paper": 3, "kalman": 4, "slope": 4,
	"tagi": 5, "sgd": 6, "adam": 6, "ridge": 7, "low": 7, "exact": 8, "laplace": 8, "gaussian": 9,
	"majority": 10,
}

// Group returns the colour group of a method, see [figures.Curve]. It depends on the group's word alone, so a
// method has one colour in all figures.
func (l Legend) Group(name string) int {
	first := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
	word := cmp.Or(l[name].Group, append(first, name)[0])
	return cmp.Or(families[word], 1+int(crc32.ChecksumIEEE([]byte(word))%10)) // figures have ten colours
}
