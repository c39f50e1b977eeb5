package dataset

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"closedform/internal/field"
)

// column is a column that becomes inputs, by its number in the table.
type column struct {
	number int
	words  bool
}

// columns returns the columns of the class and of the inputs, or one error for all of them that do not fit.
func (f Format) columns(t *Table, like *Examples) (class int, columns []column, err error) {
	if err = f.Validate(); err != nil {
		return 0, nil, err
	}
	if class, err = t.column(cmp.Or(f.Class, "class")); err == nil {
		err = t.checkClasses(class)
	}
	for _, name := range slices.Concat(f.Categorical, f.Ignore) {
		if _, absent := t.column(name); absent != nil && name != AllWords && like == nil {
			key := "ignore"
			if slices.Contains(f.Categorical, name) {
				key = "categorical"
			}
			err = cmp.Or(err, field.Errorf(key, "%v", absent))
		}
	}
	if err != nil {
		return class, nil, err
	}
	allWords := slices.Equal(f.Categorical, []string{AllWords}) && !slices.Contains(t.Columns, AllWords)
	for k, name := range t.Columns {
		if k != class && !slices.Contains(f.Ignore, name) && like == nil {
			words := slices.Contains(f.Categorical, name) || allWords && t.find(k, t.layout.isWord) != nil
			columns = append(columns, column{k, words})
		}
	}
	if like != nil {
		for _, x := range like.Features() {
			k, err := t.column(x.Column)
			if err != nil {
				return class, nil, err
			}
			columns = append(columns, column{k, x.Level != ""})
		}
		columns = slices.Compact(columns)
	}
	if columns == nil {
		return class, nil, fmt.Errorf("%s:%d: no inputs beside the class %q", t.File, t.header, t.Columns[class])
	}
	return class, columns, f.fit(t, append([]column{{class, true}}, columns...))
}

// find returns the rows whose cell in a column is of a kind.
func (t *Table) find(k int, is func(cell string) bool) (rows []int) {
	for i, row := range t.Rows {
		if is(row.Cells[k]) {
			rows = append(rows, i)
		}
	}
	return rows
}

// number reads a number as programming languages write it: sign, digits, one decimal mark, exponent.
func (l Layout) number(cell string) (x float64, ok bool) {
	if l.Decimal == "," {
		if strings.Contains(cell, ".") {
			return 0, false
		}
		cell = strings.Replace(cell, ",", ".", 1)
	}
	if strings.Trim(cell, "0123456789+-.eE") != "" { // underscores, hexadecimal numbers, infinities
		return 0, false
	}
	x, err := strconv.ParseFloat(cell, 64)
	return x, err == nil
}

// isWord reports whether a cell has a value that is not a number.
func (l Layout) isWord(cell string) bool {
	_, ok := l.number(cell)
	return !ok && !IsMissing(cell)
}

// fit returns an error with a line for each column that has other cells than it should.
func (f Format) fit(t *Table, columns []column) error {
	var problems []string
	for _, c := range columns {
		problem := t.problem(c)
		if gaps := t.find(c.number, IsMissing); gaps != nil && cmp.Or(f.Missing, MissingError) == MissingError {
			if problem != "" {
				problem += "; "
			}
			problem += t.some(c.number, gaps) + ` have no value; missing = "drop" leaves their rows out, missing = ` +
				`"mean" puts the mean in the place of inputs`
		}
		if problem != "" {
			problems = append(problems, problem)
		}
	}
	switch len(problems) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s: %s", t.File, problems[0])
	}
	return fmt.Errorf("%s: %d columns cannot be read:\n  %s", t.File, len(problems),
		strings.Join(problems, "\n  "))
}

// thousands matches a number with commas that may separate thousands.
var thousands = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`)

// problem says what is wrong with a column of numbers, and which key puts it right; "" if nothing is.
func (t *Table) problem(c column) string {
	k, words := c.number, t.find(c.number, t.layout.isWord)
	commas := t.find(k, func(cell string) bool { return strings.Contains(cell, ",") })
	decimal := Layout{Separator: t.layout.Separator, Decimal: ","}
	switch {
	case c.words:
		return ""
	case commas != nil && len(commas) == len(t.find(k, thousands.MatchString)):
		return t.some(k, commas) + ": three digits follow each comma, so that it may separate thousands; write " +
			"the numbers without commas, or with another number of decimals"
	case words == nil:
		return ""
	case decimal.Validate() == nil && t.find(k, decimal.isWord) == nil:
		return t.some(k, words) + ` are not numbers with the decimal mark "."; decimal = "," reads them`
	}
	levels := map[string]bool{}
	for _, row := range t.Rows {
		levels[row.Cells[k]] = !IsMissing(row.Cells[k])
	}
	maps.DeleteFunc(levels, func(_ string, level bool) bool { return !level })
	return fmt.Sprintf("%s are not numbers; ignore = [%q] leaves the column out, categorical = [%[2]q] makes "+
		"an input of each of its %d values", t.some(k, words), t.Columns[k], len(levels))
}

// some lists the name of a column and up to three of its cells with their lines.
func (t *Table) some(k int, rows []int) string {
	const most = 3
	var cells []string
	for _, i := range rows[:min(most, len(rows))] {
		cells = append(cells, fmt.Sprintf("%.40q (line %d)", t.Rows[i].Cells[k], t.Rows[i].Line))
	}
	text := t.Columns[k] + ": " + strings.Join(cells, ", ")
	if n := len(rows) - len(cells); n > 0 {
		text += fmt.Sprintf(" and %d others", n)
	}
	return text
}

// Unknown is the word for no class, which no class can have as its name.
const Unknown = "unknown"

// checkClasses returns an error if a class is called Unknown, or if classes differ only in case, in blanks
// or in how a number is written.
func (t *Table) checkClasses(k int) error {
	first, alike := map[string]string{}, map[string]string{}
	for _, row := range t.Rows {
		name := row.Cells[k]
		if name == Unknown {
			return fmt.Errorf("%s:%d: column %q: a class cannot be called %s, the word for no class; rename it",
				t.File, row.Line, t.Columns[k], name)
		}
		plain := strings.ToLower(strings.Join(strings.Fields(name), ""))
		if x, ok := t.layout.number(name); ok {
			plain = fmt.Sprint(x)
		}
		other := cmp.Or(first[plain], name)
		if first[plain] = other; other != name && !IsMissing(name) && alike[name] == "" {
			alike[name] = fmt.Sprintf("%q and %q (line %d)", other, name, row.Line)
		}
	}
	if len(alike) == 0 {
		return nil
	}
	return fmt.Errorf("%s: column %q: classes that differ only in case, blanks or the way a number is written: "+
		"%s; write them alike", t.File, t.Columns[k], list(slices.Sorted(maps.Values(alike))))
}

// complete returns the rows that are not left out: those with a missing cell are, or with missing = "mean"
// those without a class.
func (f Format) complete(t *Table, class int, columns []column) (rows []int) {
	for i, row := range t.Rows {
		gap := func(c column) bool { return IsMissing(row.Cells[c.number]) }
		if !IsMissing(row.Cells[class]) && (f.Missing == MissingMean || !slices.ContainsFunc(columns, gap)) {
			rows = append(rows, i)
		}
	}
	return rows
}

// features returns the inputs that the columns become, and the names of the columns without a value, which
// are left out.
func (t *Table) features(columns []column, rows []int) (features []Feature, empty []string) {
	for _, c := range columns {
		levels, name := map[string]bool{}, t.Columns[c.number]
		for _, i := range rows {
			switch cell := t.Rows[i].Cells[c.number]; {
			case IsMissing(cell):
			case c.words:
				levels[cell] = true
			default:
				levels[""] = true
			}
		}
		if len(levels) == 0 {
			empty = append(empty, name)
		}
		for _, level := range slices.Sorted(maps.Keys(levels)) {
			features = append(features, Feature{name, level})
		}
	}
	return features, empty
}

// Inputs reads the inputs of rows.
type Inputs struct {
	Scaler
	table  *Table
	column []int // of the table, by feature
	known  map[Feature]bool
}

// Inputs finds the columns of the inputs in a table by their names, in any order and among others.
func (s Scaler) Inputs(t *Table) (*Inputs, error) {
	in := &Inputs{Scaler: s, table: t, known: map[Feature]bool{}}
	for _, f := range s.Features {
		k, err := t.column(f.Column)
		if err != nil {
			return nil, err
		}
		in.column = append(in.column, k)
		in.known[f] = true
	}
	return in, nil
}

// Read returns the inputs of a row as the scaler makes them: ready for a network that has learned from
// examples it was applied to. A word that those did not have is 0 for all of its levels; unseen lists such
// words, as "colour=red".
func (in *Inputs) Read(row Row) (x []float64, unseen []string, err error) {
	x = make([]float64, len(in.Features))
	if err = row.Err; err == nil {
		unseen, err = in.read(x, row)
	}
	if err != nil {
		return nil, nil, err
	}
	if j := slices.IndexFunc(x, math.IsNaN); j >= 0 && in.Fill == nil {
		return nil, nil, fmt.Errorf(`%s:%d: column %q has no value: %q; allowed only after a training with `+
			`missing = "mean"`, in.table.File, row.Line, in.Features[j].Column, row.Cells[in.column[j]])
	}
	in.scale(x)
	return x, unseen, nil
}

// read puts the features of a row into x, NaN where the cell has no value.
func (in *Inputs) read(x []float64, row Row) (unseen []string, err error) {
	for j, f := range in.Features {
		cell, ok := row.Cells[in.column[j]], true
		switch word := (Feature{f.Column, cell}); {
		case IsMissing(cell):
			x[j] = math.NaN()
		case f.Level == "":
			if x[j], ok = in.table.layout.number(cell); !ok {
				return nil, fmt.Errorf("%s:%d: column %q: %.40q is not a number",
					in.table.File, row.Line, f.Column, cell)
			}
		case word == f:
			x[j] = 1
		default:
			if x[j] = 0; !in.known[word] && (j == 0 || in.column[j-1] != in.column[j]) {
				unseen = append(unseen, word.String())
			}
		}
	}
	return unseen, nil
}
