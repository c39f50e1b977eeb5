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

// Diff has the differences between the published tables of an experiment and those of a commit,
// without tables of times and packed tables.
type Diff struct {
	Name    string
	Changes []Change // largest first
	Added   []string // tables, columns and rows that are new, gone or unreadable

	Numbers, ChangedNumbers int
	Words, ChangedWords     int
}

// Change is a changed value of a table, or a changed mean with its interval.
type Change struct {
	Table, Row, Column string
	Old, New, By       string
	Delta              float64 // of numbers; else NaN
	unit               int     // 0: half-widths of the old interval, 1: other numbers, 2: words
	size               float64 // in half-widths, or relative to the larger number
}

// DiffResults compares the tables of the results folder name below dir, the folder of the
// revision, with those of the revision.
func DiffResults(ctx context.Context, rev *Revision, name string) (*Diff, error) {
	d := &Diff{Name: name}
	const then, today = 1, 2
	files := map[string]int{}
	for _, path := range rev.files {
		if dir, file, _ := strings.Cut(path, "/"); dir == name && compared(file) {
			files[file] |= then
		}
	}
	for _, path := range list(filepath.Join(rev.dir, name), ".csv") {
		if file := filepath.Base(path); compared(file) {
			files[file] |= today
		}
	}
	for _, file := range slices.Sorted(maps.Keys(files)) {
		switch files[file] {
		case today:
			d.Added = append(d.Added, "table "+file+" added")
		case then:
			d.Added = append(d.Added, "table "+file+" removed")
		default:
			old, err1 := rev.read(ctx, name+"/"+file)
			now, err2 := os.ReadFile(filepath.Join(rev.dir, name, file))
			if err := cmp.Or(err1, err2); err != nil {
				return nil, err
			}
			d.addFile(File{file, old}, File{file, now})
		}
	}
	d.sort()
	return d, nil
}

// DiffTables returns how the rows of a table differ from those of an older one that have the
// same key, the largest change first.
func DiffTables(old, now *table.Table) []Change {
	d := new(Diff)
	d.add(old, now)
	d.sort()
	return d.Changes
}

func (d *Diff) sort() {
	slices.SortStableFunc(d.Changes, func(a, b Change) int {
		return cmp.Or(cmp.Compare(a.unit, b.unit), cmp.Compare(b.size, a.size))
	})
}

func compared(file string) bool {
	return filepath.Ext(file) == ".csv" && !strings.Contains(file, "/") && !Timed(file)
}

func (d *Diff) addFile(old, now File) {
	a, err1 := old.Table()
	b, err2 := now.Table()
	if err := cmp.Or(err1, err2); err != nil {
		d.Added = append(d.Added, err.Error())
		return
	}
	d.add(a, b)
}

// add compares two tables.
func (d *Diff) add(old, now *table.Table) {
	d.only(old, now, "removed")
	d.only(now, old, "added")
	pairs, names, key := matched(old, now)
	if n := old.Len() - len(pairs); n > 0 {
		d.Added = append(d.Added, fmt.Sprintf("%s: %d rows removed", old.Name, n))
	}
	if n := now.Len() - len(pairs); n > 0 {
		d.Added = append(d.Added, fmt.Sprintf("%s: %d rows added", old.Name, n))
	}
	if len(pairs) == 0 {
		return
	}
	for _, c := range old.Columns {
		if now.Has(c.Name) && !slices.Contains(key, c.Name) && !isEnd(old, now, c.Name) {
			d.addColumns(old, now, c.Name, pairs, names)
		}
	}
}

// only notes the columns of a table that another table lacks.
func (d *Diff) only(t, other *table.Table, word string) {
	for _, c := range t.Columns {
		if !other.Has(c.Name) {
			d.Added = append(d.Added, fmt.Sprintf("%s: column %s %s", t.Name, c.Name, word))
		}
	}
}

// isEnd reports whether a column has ends of intervals whose middle has a column, too.
func isEnd(old, now *table.Table, name string) bool {
	mean := strings.TrimSuffix(strings.TrimSuffix(name, "_low"), "_high")
	return mean != name && hasInterval(old, now, mean)
}

func hasInterval(old, now *table.Table, name string) bool {
	for _, c := range table.IntervalOf(name, "") {
		if !old.Has(c.Name) || !now.Has(c.Name) {
			return false
		}
	}
	return true
}

// addColumns compares a column, with the ends of its intervals if it has them.
func (d *Diff) addColumns(old, now *table.Table, name string, pairs [][2]int, names []string) {
	columns := []string{name}
	if hasInterval(old, now, name) {
		columns = append(columns, name+"_low", name+"_high")
	}
	before, after, scales := make([][]string, len(pairs)), make([][]string, len(pairs)), make([]float64, len(columns))
	words := false
	for k, column := range columns {
		a, b := old.Texts(column), now.Texts(column)
		scales[k] = scale(a, b)
		for i, pair := range pairs {
			before[i], after[i] = append(before[i], a[pair[0]]), append(after[i], b[pair[1]])
			words = words || isWord(a[pair[0]]) || isWord(b[pair[1]])
		}
	}
	for i, pair := range pairs {
		c := Change{Table: old.Name, Row: names[pair[0]], Column: name}
		changed := 0
		for k := range columns {
			if off(before[i][k], after[i][k], scales[k]) > Tolerance {
				changed++
			}
		}
		if words {
			d.Words, d.ChangedWords = d.Words+1, d.ChangedWords+changed
		} else {
			d.Numbers, d.ChangedNumbers = d.Numbers+len(columns), d.ChangedNumbers+changed
		}
		switch {
		case changed == 0:
			continue
		case words:
			c.unit, c.Old, c.New = 2, spell(before[i], 17), spell(after[i], 17)
		default:
			c.measure(before[i], after[i])
		}
		d.Changes = append(d.Changes, c)
	}
}

// isWord reports whether a field is neither a number nor empty.
func isWord(field string) bool {
	_, err := strconv.ParseFloat(field, 64)
	return field != "" && err != nil
}

// measure returns the change of a number, in half-widths of its old interval if it has
// one.
func (c *Change) measure(old, now []string) {
	for digits := 4; digits <= 17; digits++ { // as many as tell them apart
		if c.Old, c.New = spell(old, digits), spell(now, digits); c.Old != c.New {
			break
		}
	}
	x, y := number(old[0]), number(now[0])
	c.Delta = y - x
	if len(old) == 3 && number(old[2]) > number(old[1]) {
		half := (number(old[2]) - number(old[1])) / 2
		for k := range old {
			if d := math.Abs(number(old[k]) - number(now[k])); d > c.size {
				c.size = d
			} else if math.IsNaN(d) && old[k] != now[k] { // one of them is no number
				c.size = math.Inf(1)
			}
		}
		c.size /= half
		if d := c.Delta / half; !math.IsNaN(d) {
			c.By = fmt.Sprintf("%+.2g half-widths", d)
		}
		return
	}
	c.unit, c.size = 1, off(old[0], now[0], 0)
	if d := c.Delta; !math.IsNaN(d) {
		c.By = fmt.Sprintf("%+.3g", d)
		if x != 0 {
			c.By += fmt.Sprintf(" (%+.2g %%)", 100*d/math.Abs(x))
		}
	}
}

// spell returns fields with so many significant digits: "x", or "x (low to high)".
func spell(fields []string, digits int) string {
	var texts []string
	for _, field := range fields {
		if x := number(field); !math.IsNaN(x) {
			field = strconv.FormatFloat(x, 'g', digits, 64)
		}
		texts = append(texts, cmp.Or(field, "none"))
	}
	if len(texts) == 3 && (fields[1] != "" || fields[2] != "") {
		return fmt.Sprintf("%s (%s to %s)", texts[0], texts[1], texts[2])
	}
	return texts[0]
}

// Same reports whether the tables are the same but for rounding.
func (d *Diff) Same() bool { return len(d.Changes)+len(d.Added) == 0 }

// String returns the summary of the comparison.
func (d *Diff) String() string {
	if d.Same() {
		return "same"
	}
	parts := []string{fmt.Sprintf("%d of %d numbers changed", d.ChangedNumbers, d.Numbers)}
	if d.ChangedWords > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d words changed", d.ChangedWords, d.Words))
	}
	return strings.Join(append(parts, d.Added...), "; ")
}

const mostChanges = 40 // that are told of an experiment

// Largest returns the largest changes.
func (d *Diff) Largest() []Change { return d.Changes[:min(mostChanges, len(d.Changes))] }

// More returns how many changes are not among the largest.
func (d *Diff) More() int { return len(d.Changes) - len(d.Largest()) }
