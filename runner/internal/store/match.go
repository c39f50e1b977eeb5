package store

import (
	"fmt"
	"strings"

	"closedform/runner/internal/table"
)

// matched returns the pairs of matching rows of two tables, in the order of the old
// table, and a name of each row of the old table: the values of the key or, if no columns
// identify the rows, its line.
//
// Tables begin with the columns that identify their rows: the key is the shortest beginning of
// the shared columns whose values differ from row to row, without numbers that follow from the
// columns before.
func matched(old, now *table.Table) (pairs [][2]int, names, key []string) {
	var beginning []string
	names, others := rowNames(old, nil), rowNames(now, nil)
	count := func() [2]int { return [2]int{len(index(names)), len(index(others))} }
	rows := [2]int{old.Len(), now.Len()}
	for _, c := range old.Columns {
		groups := count()
		if groups == rows {
			break
		}
		if !now.Has(c.Name) {
			continue
		}
		beginning = append(beginning, c.Name)
		names, others = rowNames(old, beginning), rowNames(now, beginning)
		if c.Kind == table.Words || count() != groups {
			key = append(key, c.Name)
		}
	}
	if names, others = rowNames(old, key), rowNames(now, key); count() != rows || len(key) == 0 {
		key = nil
		names, others = lines(old), lines(now)
	}
	at := index(others)
	for i, name := range names {
		if j, ok := at[name]; ok {
			pairs = append(pairs, [2]int{i, j})
		}
	}
	return pairs, names, key
}

// rowNames returns the values of the key of each row, without empty ones.
func rowNames(t *table.Table, key []string) []string {
	names := make([]string, t.Len())
	for _, column := range key {
		for i, text := range t.Texts(column) {
			if text != "" {
				names[i] = strings.TrimLeft(names[i]+" "+column+"="+text, " ")
			}
		}
	}
	return names
}

// lines returns the line of each row in its file.
func lines(t *table.Table) []string {
	names := make([]string, t.Len())
	for i := range names {
		names[i] = fmt.Sprintf("line %d", i+2)
	}
	return names
}

// index returns the row that has a name, the last of several.
func index(names []string) map[string]int {
	at := map[string]int{}
	for i, name := range names {
		at[name] = i
	}
	return at
}
