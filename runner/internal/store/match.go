package store

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"closedform/runner/internal/table"
)

// rowLabels tells of each row of a table which it is: the values of its key or, without a
// key, its line in the file.
func rowLabels(t *table.Table, key []string, unique bool) []string {
	labels := make([]string, t.Len())
	if !unique || len(key) == 0 {
		for i := range labels {
			labels[i] = fmt.Sprintf("line %d", i+2)
		}
		return labels
	}
	for _, name := range key {
		for i, text := range t.Texts(name) {
			if text != "" {
				labels[i] = strings.TrimLeft(labels[i]+" "+name+"="+text, " ")
			}
		}
	}
	return labels
}

// rowKey returns the columns that identify a row in both tables. Tables begin with the
// columns that identify their rows: the key is the shortest beginning of the shared columns
// whose values differ from row to row, without numbers that follow from the columns before.
func rowKey(old, now *table.Table) (key []string, unique bool) {
	var beginning []string
	groups := [2]int{min(1, old.Len()), min(1, now.Len())}
	for _, c := range old.Columns {
		if groups == [2]int{old.Len(), now.Len()} {
			break
		}
		if !now.Has(c.Name) {
			continue
		}
		beginning = append(beginning, c.Name)
		more := [2]int{len(index(old, beginning)), len(index(now, beginning))}
		if c.Kind == table.Words || more != groups {
			key = append(key, c.Name)
		}
		groups = more
	}
	if groups != [2]int{old.Len(), now.Len()} {
		return nil, false
	}
	return key, true
}

// index returns for the values of the key the last row that has them.
func index(t *table.Table, key []string) map[string]int {
	ids := make([]string, t.Len())
	for _, name := range key {
		for i, text := range t.Texts(name) {
			ids[i] += text + "\x00"
		}
	}
	rows := map[string]int{}
	for i, id := range ids {
		rows[id] = i
	}
	return rows
}

// matched returns the pairs of rows that belong together, in the order of the old ones,
// and how many of these have none: by their key or, without one, by their position.
func matched(old, now *table.Table, key []string, unique bool) (pairs [][2]int, gone int) {
	if !unique {
		for i := range min(old.Len(), now.Len()) {
			pairs = append(pairs, [2]int{i, i})
		}
		return pairs, old.Len() - len(pairs)
	}
	rows := index(now, key)
	for id, i := range index(old, key) {
		if j, ok := rows[id]; ok {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	slices.SortFunc(pairs, func(a, b [2]int) int { return cmp.Compare(a[0], b[0]) })
	return pairs, old.Len() - len(pairs)
}
