package dataset

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Parts returns the training and the test part of e. Their classes are those of
// the training part, in the order that ReadCSV has. It returns an error if the
// training part has fewer than two classes, or the test part one that the
// training part does not have.
func Parts(e *Examples, train, test []int) (tr, te *Examples, err error) {
	tr = e.Subset(train)
	if tr, err = tr.renumbered(tr.present()); err != nil {
		return nil, nil, err
	}
	if te, err = Align(tr, e.Subset(test)); err != nil {
		return nil, nil, err
	}
	return tr, te, nil
}

// Align returns the test examples with the classes of the training examples. It
// returns an error if the training examples have fewer than two classes, a test
// example has one that is not among them, or another number of inputs. The
// inputs of both must be in the same order and scaled alike.
func Align(train, test *Examples) (*Examples, error) {
	if len(train.classes) < 2 {
		return nil, fmt.Errorf("dataset: classes of the training part: %d; need at least 2", len(train.classes))
	}
	if test.Len() > 0 && test.Inputs() != train.Inputs() {
		return nil, fmt.Errorf("dataset: %s: %d inputs; the training part has %d", test.Where(0), test.Inputs(), train.Inputs())
	}
	return test.renumbered(train.classes)
}

// present returns the names of the classes that at least one example has,
// sorted: by value if all of them are integers, else as text.
func (e *Examples) present() []string {
	seen := make([]bool, len(e.classes))
	for _, k := range e.class {
		seen[k] = true
	}
	var names []string
	for k, name := range e.classes {
		if seen[k] {
			names = append(names, name)
		}
	}
	value := make(map[string]int, len(names))
	for _, name := range names {
		v, err := strconv.Atoi(name)
		if err != nil {
			slices.Sort(names)
			return names
		}
		value[name] = v
	}
	slices.SortFunc(names, func(a, b string) int {
		if value[a] != value[b] {
			return cmp.Compare(value[a], value[b])
		}
		return strings.Compare(a, b) // "1" and "01"
	})
	return names
}

// renumbered returns the examples with the classes of those names. It returns an
// error if an example has another class.
func (e *Examples) renumbered(names []string) (*Examples, error) {
	number := make(map[string]int, len(names))
	for k, name := range names {
		number[name] = k
	}
	r := &Examples{table: e.table, row: e.row, class: make([]int, e.Len()), classes: names}
	for i, old := range e.class {
		k, ok := number[e.classes[old]]
		if !ok {
			return nil, fmt.Errorf("dataset: %s: class %q is not in the training part, which has %s", e.Where(i), e.classes[old], list(names))
		}
		r.class[i] = k
	}
	return r, nil
}

// list returns the first names, quoted.
func list(names []string) string {
	const most = 20
	var quoted []string
	for _, name := range names[:min(most, len(names))] {
		quoted = append(quoted, strconv.Quote(name))
	}
	text := strings.Join(quoted, ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return text
}
