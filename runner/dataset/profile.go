package dataset

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Profile says what the columns of a table look like, and which [Format] follows from that.
type Profile struct {
	Columns  []Column
	Format   Format
	Warnings []string // what may make a result wrong
	Problems []string // what leaves no examples to learn from
}

// Column is a column of a table.
type Column struct {
	Name              string
	Kind              string // class, number, words, id, date, text, constant or empty
	Missing, Distinct int    // cells without a value, and values
	Ignored           bool   // it is no input
}

// Limits of a profile.
const (
	mostLevels  = 50  // words of a column, each of which becomes an input
	mostClasses = 100 // beyond which a column is hardly one of classes
)

var idName = regexp.MustCompile(`^(?i:id)$|[_ ](?i:id)$|^(?i:id)[_ ]|[a-z]I[Dd]$`)

var date = regexp.MustCompile(`^\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}([T ].*)?$|^\d{4}-\d{2}$|^\d{1,2}:\d{2}(:\d{2})?$`)

// Profile looks at all columns, of which one has the classes.
func (t *Table) Profile(class string) (*Profile, error) {
	at, err := t.column(class)
	if err != nil {
		return nil, err
	}
	p := &Profile{Format: Format{Class: class}}
	rows, inputs, gaps := len(t.Cells), 0, false
	for k, name := range t.Columns {
		c := t.profile(k)
		switch {
		case k == at:
			c.Kind = "class"
			p.class(c, rows)
		case c.Kind == "number" || c.Kind == "words":
			inputs++
			gaps = gaps || c.Missing > 0
			if c.Kind == "words" {
				p.Format.Categorical = append(p.Format.Categorical, name)
			}
		default:
			c.Ignored = true
			p.Format.Ignore = append(p.Format.Ignore, name)
		}
		if n := t.almost(k); k != at && c.Kind != "number" && 2*n > rows-c.Missing {
			p.warn("%d of %d values of %q are numbers, but it is taken for a column of kind %s: %v", n, rows-c.Missing, name, c.Kind, t.numbers(k, func(int, float64) {}))
		}
		if k != at && t.tells(k, at, c) {
			p.warn("column %q determines the class of every row: ignore it if it is not known before the class", name)
		}
		if n := rows - c.Distinct - c.Missing; c.Kind == "id" && n > 0 {
			p.warn("column %q looks like an id, and %d rows share theirs with others: what belongs together may be in both parts", name, n)
		}
		p.Columns = append(p.Columns, c)
	}
	switch {
	case inputs == 0:
		p.Problems = append(p.Problems, "no column is an input")
	case gaps:
		p.Format.Missing = MissingMean
	case p.Columns[at].Missing > 0:
		p.Format.Missing = MissingDrop
	}
	distinct := map[string]bool{}
	for _, row := range t.texts(t.without(p.Format.Ignore)) {
		distinct[row] = true
	}
	if n := rows - len(distinct); n > 0 && inputs > 0 {
		p.warn("%d rows repeat others: a test part drawn from this table has rows that are learned", n)
	}
	return p, nil
}

func (p *Profile) warn(format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...))
}

// class checks the column of the classes.
func (p *Profile) class(c Column, rows int) {
	switch {
	case c.Distinct < 2:
		p.Problems = append(p.Problems, fmt.Sprintf("the class %q has %d values; need at least 2", c.Name, c.Distinct))
	case c.Distinct > mostClasses || 2*c.Distinct > rows:
		p.Problems = append(p.Problems, fmt.Sprintf("the class %q has %d values in %d rows; need classes of several rows each, at most %d", c.Name, c.Distinct, rows, mostClasses))
	}
	if c.Missing > 0 {
		p.warn("%d rows have no class, and are left out", c.Missing)
	}
}

// profile looks at one column.
func (t *Table) profile(k int) Column {
	c := Column{Name: t.Columns[k]}
	count := map[string]bool{}
	for _, row := range t.Cells {
		if IsMissing(row[k]) {
			c.Missing++
		} else {
			count[row[k]] = true
		}
	}
	c.Distinct = len(count)
	last, up := 0., true // up: by one from row to row
	numbers := t.numbers(k, func(row int, x float64) {
		up, last = up && (row == 0 || x == last+1), x
	}) == nil
	n := len(t.Cells) - c.Missing
	dates, spaces := true, false
	for v := range count {
		dates, spaces = dates && date.MatchString(v), spaces || strings.Contains(v, " ")
	}
	id := n > 20 && 5*c.Distinct > n && idName.MatchString(c.Name)
	switch {
	case c.Distinct == 0:
		c.Kind = "empty"
	case c.Distinct == 1:
		c.Kind = "constant"
	case id, numbers && up && n > 20 && c.Distinct == n:
		c.Kind = "id"
	case numbers:
		c.Kind = "number"
	case dates:
		c.Kind = "date"
	case n > 20 && c.Distinct == n && !spaces:
		c.Kind = "id"
	case c.Distinct > mostLevels || 2*c.Distinct > n:
		c.Kind = "text"
	default:
		c.Kind = "words"
	}
	return c
}

// almost returns how many cells are numbers of a column that has other values, too.
func (t *Table) almost(k int) (n int) {
	if t.numbers(k, func(int, float64) {}) == nil {
		return 0
	}
	for _, row := range t.Cells {
		x, err := strconv.ParseFloat(strings.ReplaceAll(row[k], ",", "."), 64)
		if err == nil && x-x == 0 {
			n++
		}
	}
	return n
}

// tells reports whether each value of a column, of which several have more than one row, goes with one class.
func (t *Table) tells(k, class int, c Column) bool {
	n := len(t.Cells) - c.Missing
	if c.Kind == "constant" || c.Kind == "empty" || c.Kind == "number" && 10*c.Distinct > n || 2*c.Distinct > n || n < 20 {
		return false
	}
	of := map[string]string{}
	for _, row := range t.Cells {
		if IsMissing(row[k]) || IsMissing(row[class]) {
			continue
		}
		if cmp.Or(of[row[k]], row[class]) != row[class] {
			return false
		}
		of[row[k]] = row[class]
	}
	return true
}

// Test warns of rows of a table of test rows that are rows of t, of which p is the profile.
func (p *Profile) Test(t, test *Table) {
	learned, n := map[string]bool{}, 0
	names := t.without(p.Format.Ignore)
	for _, row := range t.texts(names) {
		learned[row] = true
	}
	for _, row := range test.texts(names) {
		if learned[row] {
			n++
		}
	}
	if n > 0 {
		p.warn("%d rows of %s repeat rows of %s, which are learned", n, test.File, t.File)
	}
}

// without returns the names of the columns that are not ignored.
func (t *Table) without(ignore []string) []string {
	return slices.DeleteFunc(slices.Clone(t.Columns), func(name string) bool { return slices.Contains(ignore, name) })
}

// texts returns the cells of these columns as one text for each row, nil if a column is not there.
func (t *Table) texts(names []string) (texts []string) {
	columns := make([]int, len(names))
	for i, name := range names {
		if columns[i] = slices.Index(t.Columns, name); columns[i] < 0 {
			return nil
		}
	}
	for _, row := range t.Cells {
		var text strings.Builder
		for _, k := range columns {
			text.WriteString(row[k] + "\x00")
		}
		texts = append(texts, text.String())
	}
	return texts
}
