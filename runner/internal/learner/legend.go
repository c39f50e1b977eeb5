package learner

import (
	"cmp"
	"hash/fnv"
	"strings"
)

// Drawn says how figures, and tables of the paper, show a method.
type Drawn struct {
	Label string `toml:"label,omitempty" json:"-"` // none: the name, with spaces for hyphens
	Group string `toml:"group,omitempty" json:"-"` // of one colour; none: the name up to its first hyphen
}

// Legend has the methods of a manifest by their names.
type Legend map[string]Drawn

// NewLegend returns that of methods.
func NewLegend[M interface{ drawn() (string, Drawn) }](methods []M) Legend {
	l := Legend{}
	for _, m := range methods {
		name, d := m.drawn()
		l[name] = d
	}
	return l
}

func (m Method) drawn() (string, Drawn) { return m.Name, m.Drawn }
func (n Named) drawn() (string, Drawn)  { return n.Name, n.Drawn }

// of returns the method of a name, perhaps one such as "joint lambda=0.1 rho=0.5", and what is
// swept.
func (l Legend) of(name string) (of, swept string) {
	if _, ok := l[name]; ok {
		return name, ""
	}
	of, swept, _ = strings.Cut(name, " ")
	return of, swept
}

// Label returns what a method is called.
func (l Legend) Label(name string) string {
	of, swept := l.of(name)
	label := cmp.Or(l[of].Label, strings.NewReplacer("-", " ", "_", " ").Replace(of))
	return strings.TrimSpace(label + " " + swept)
}

// Group returns the number of the group of a method, as Curve of figures has it: none, 0, where
// something is swept. It follows from the word for the group alone, so that a method has one
// colour in all figures.
func (l Legend) Group(name string) int {
	const groups = 10   // that figures tell apart by their colours
	const salt = "3407" // with which groups that are often compared have different colours
	of, swept := l.of(name)
	if swept != "" {
		return 0
	}
	first := strings.FieldsFunc(of, func(r rune) bool { return strings.ContainsRune("-_ ", r) })
	h := fnv.New32a()
	h.Write([]byte(salt + cmp.Or(l[of].Group, append(first, of)[0])))
	return 1 + int(h.Sum32()%groups)
}
