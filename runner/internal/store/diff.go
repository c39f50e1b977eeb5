package store

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"closedform/runner/internal/table"
)

// Diff has the differences between the tables of an experiment and older ones.
type Diff struct {
	Name    string
	Changes []Change // largest first
	Added   []string // tables, columns and rows that are new, gone or unreadable
	Values  int      // how many were compared
}

// Change is a changed value of a table. Its size is relative to the larger number, and infinite for words.
type Change struct {
	Table, Row, Column string
	Old, New, By       string
	size               float64
}

// DiffResults compares the published tables of the results folders below dir with those of a commit, without
// packed tables. It returns a Diff for each of the named folders and of those
// that the commit has besides.
func DiffResults(ctx context.Context, dir, commit string, names []string) ([]*Diff, error) {
	id, err := Git(ctx, dir, "rev-parse", "--verify", "--end-of-options", commit+"^{commit}")
	if err != nil {
		return nil, fmt.Errorf("commit %s: %w", commit, err)
	}
	id = strings.TrimSpace(id)
	list, err := Git(ctx, dir, "diff", "--relative", "--no-renames", "--name-status", "-z", id, "--", "*.csv")
	if err != nil {
		return nil, err
	}
	diffs := map[string]*Diff{}
	for _, name := range names {
		diffs[name] = &Diff{Name: name}
	}
	fields := strings.Split(list, "\x00") // a status before each path
	for k := 0; k+1 < len(fields); k += 2 {
		status, path := fields[k], fields[k+1]
		name, file, _ := strings.Cut(path, "/")
		if file == "" || strings.Contains(file, "/") {
			continue
		}
		d := diffs[name]
		if d == nil {
			d = &Diff{Name: name}
			diffs[name] = d
		}
		switch status {
		case "A":
			d.Added = append(d.Added, "table "+file+" added")
		case "D":
			d.Added = append(d.Added, "table "+file+" removed")
		default:
			old, err1 := Git(ctx, dir, "show", id+":./"+path)
			now, err2 := os.ReadFile(filepath.Join(dir, path))
			if err := cmp.Or(err1, err2); err != nil {
				return nil, err
			}
			d.addFiles(File{file, []byte(old)}, File{file, now}, byKey)
		}
	}
	var all []*Diff
	for _, name := range slices.Sorted(maps.Keys(diffs)) {
		all = append(all, diffs[name])
	}
	return all, nil
}

// addFiles compares the rows of the tables of two files that have the same values of the key.
func (d *Diff) addFiles(old, now File, key func(old, now *table.Table) []string) {
	a, err1 := old.Table()
	b, err2 := now.Table()
	if err := cmp.Or(err1, err2); err != nil {
		d.Added = append(d.Added, err.Error())
		return
	}
	d.add(a, b, key(a, b))
	slices.SortStableFunc(d.Changes, func(a, b Change) int { return cmp.Compare(b.size, a.size) })
}

func (d *Diff) add(old, now *table.Table, key []string) {
	names, at := rowNames(old, key), map[string]int{}
	for k, name := range rowNames(now, key) {
		at[name] = k
	}
	var pairs [][2]int
	for i, name := range names {
		if k, ok := at[name]; ok {
			pairs = append(pairs, [2]int{i, k})
		}
	}
	d.only(old, now, len(pairs), "removed")
	d.only(now, old, len(pairs), "added")
	for _, c := range old.Columns {
		if !now.Has(c.Name) || slices.Contains(key, c.Name) {
			continue
		}
		before, after := old.Texts(c.Name), now.Texts(c.Name)
		size := scale(before, after)
		for _, pair := range pairs {
			d.Values++
			if x, y := before[pair[0]], after[pair[1]]; off(x, y, size) > Tolerance {
				change := Change{Table: old.Name, Row: names[pair[0]], Column: c.Name, size: off(x, y, 0)}
				change.spell(x, y)
				d.Changes = append(d.Changes, change)
			}
		}
	}
}

// only notes the columns and rows of a table that another table lacks, of which some rows have pairs.
func (d *Diff) only(t, other *table.Table, pairs int, word string) {
	for _, c := range t.Columns {
		if !other.Has(c.Name) {
			d.Added = append(d.Added, fmt.Sprintf("%s: column %s %s", t.Name, c.Name, word))
		}
	}
	if n := t.Len() - pairs; n > 0 {
		d.Added = append(d.Added, fmt.Sprintf("%s: %d rows %s", t.Name, n, word))
	}
}

// spell sets the values of a change as texts, with few digits if these already differ, and their difference.
func (c *Change) spell(old, now string) {
	c.Old, c.New = cmp.Or(old, "none"), cmp.Or(now, "none")
	x, y := number(old), number(now)
	if math.IsNaN(x - y) {
		return
	}
	if a, b := strconv.FormatFloat(x, 'g', 4, 64), strconv.FormatFloat(y, 'g', 4, 64); a != b {
		c.Old, c.New = a, b
	}
	c.By = fmt.Sprintf("%+.3g", y-x)
	if x != 0 {
		c.By += fmt.Sprintf(" (%+.2g %%)", 100*(y-x)/math.Abs(x))
	}
}

// byKey returns the shortest beginning of the shared columns whose values differ from row to row; none if there is none.
func byKey(old, now *table.Table) (key []string) {
	if max(old.Len(), now.Len()) <= 1 {
		return nil
	}
	for _, c := range old.Columns {
		if !now.Has(c.Name) {
			continue
		}
		key = append(key, c.Name)
		if unique(rowNames(old, key)) && unique(rowNames(now, key)) {
			return key
		}
	}
	return nil
}

// byLine returns no key: rows of the same line are compared.
func byLine(_, _ *table.Table) []string { return nil }

// rowNames returns the values of the key of each row, without empty ones; without a key its line in the file.
func rowNames(t *table.Table, key []string) []string {
	names := make([]string, t.Len())
	for i := range names {
		if len(key) == 0 {
			names[i] = fmt.Sprintf("line %d", i+2)
		}
	}
	for _, column := range key {
		for i, text := range t.Texts(column) {
			if text != "" {
				names[i] = strings.TrimLeft(names[i]+" "+column+"="+text, " ")
			}
		}
	}
	return names
}

func unique(names []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(names)))) == len(names)
}

// Same reports whether the tables are the same but for rounding.
func (d *Diff) Same() bool { return len(d.Changes)+len(d.Added) == 0 }

// String returns the summary of the comparison.
func (d *Diff) String() string {
	if d.Same() {
		return "same"
	}
	return strings.Join(append([]string{fmt.Sprintf("%d of %d values changed", len(d.Changes), d.Values)}, d.Added...), "; ")
}

const mostChanges = 40 // that are told of an experiment

// Largest returns the largest changes.
func (d *Diff) Largest() []Change { return d.Changes[:min(mostChanges, len(d.Changes))] }

// More returns how many changes are not among the largest.
func (d *Diff) More() int { return len(d.Changes) - len(d.Largest()) }
