package learner

import (
	"cmp"
	"fmt"
	"hash/fnv"
	"strings"

	"closedform/figures"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Legend maps the names of methods to their labels in figures and tables.
type Legend map[string]Method

func NewLegend(methods []Method) Legend {
	l := Legend{}
	for _, m := range methods {
		l[m.Name] = m
	}
	return l
}

// Label returns the label of a method whose name may end in swept values, "joint lambda=0.1 rho=0.5".
func (l Legend) Label(name string) string {
	base, swept, _ := strings.Cut(name, " ")
	label := cmp.Or(l[base].Label, strings.NewReplacer("-", " ", "_", " ").Replace(base))
	return strings.TrimSpace(label + " " + swept)
}

// Curves returns a curve of means with intervals for each method, at everything that is swept.
func (l Legend) Curves(means *table.Table, x, y string, swept ...string) (curves []figures.Curve) {
	for _, rows := range means.GroupBy(append([]string{"method"}, swept...)...) {
		name := rows.Texts("method")[0]
		for _, key := range swept {
			name += fmt.Sprintf(" %s=%s", key, rows.Texts(key)[0])
		}
		curve := study.Curve(rows, l.Label(name), x, y)
		curve.Group = l.Group(name)
		curves = append(curves, curve)
	}
	return curves
}

// families are words of methods that are often compared, with colours that are never shared among them.
var families = map[string]int{
	"adf": 1, "default": 1, "bank": 1, "probit": 2, "one": 2, "joint": 3, "paper": 3, "kalman": 4, "slope": 4,
	"tagi": 5, "sgd": 6, "adam": 6, "ridge": 7, "low": 7, "exact": 8, "laplace": 8, "gaussian": 9,
	"majority": 10,
}

// Group returns the group of a method for Curve of package figures: 0 where something is swept. It depends on
// the group's word alone, so a method has one colour in all figures.
func (l Legend) Group(name string) int {
	if strings.Contains(name, " ") {
		return 0
	}
	first := strings.FieldsFunc(name, func(r rune) bool { return r == '-' || r == '_' })
	word := cmp.Or(l[name].Group, append(first, name)[0])
	h := fnv.New32a()
	h.Write([]byte(word))
	return cmp.Or(families[word], 1+int(h.Sum32()%10)) // of the colours of figures
}
