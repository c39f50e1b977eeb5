package dataset

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"closedform/internal/field"
)

// Feature is where an input comes from: a column of numbers, or a level of a categorical
// one, which is 1 where the cell has it and else 0.
type Feature struct {
	Column string `json:"column"`
	Level  string `json:"level,omitempty"`
}

func (f Feature) String() string {
	if f.Level == "" {
		return f.Column
	}
	return f.Column + "=" + f.Level
}

// column is a column that is read, by its number in the table.
type column struct {
	name   string
	number int
	class  bool     // it has the classes
	words  bool     // it has words
	either bool     // it has words if not all cells are numbers
	levels []string // its words in order, or "" if it has numbers; nil: it has no value
}

// columns returns the columns of the class and of the inputs.
func (f Format) columns(t *Reader, like *Examples) (columns []*column, err error) {
	class := cmp.Or(f.Class, "class")
	names := slices.DeleteFunc(slices.Clone(t.Columns), func(name string) bool {
		return name == class || slices.Contains(f.Ignore, name)
	})
	either := slices.Equal(f.Categorical, []string{AllWords}) && !slices.Contains(t.Columns, AllWords)
	if either {
		f.Categorical = nil
	}
	if like != nil {
		names, f.Categorical, f.Ignore, either = nil, nil, nil, false
		for _, x := range like.values.features {
			if names = append(names, x.Column); x.Level != "" {
				f.Categorical = append(f.Categorical, x.Column)
			}
		}
		names = slices.Compact(names)
	}
	for _, name := range append([]string{class}, names...) {
		k, err := t.Column(name)
		if err != nil {
			return nil, err
		}
		columns = append(columns, &column{name, k, name == class, slices.Contains(f.Categorical, name), either, nil})
	}
	for _, name := range slices.Concat(f.Categorical, f.Ignore) {
		if _, err := t.Column(name); err != nil {
			key := "ignore"
			if slices.Contains(f.Categorical, name) {
				key = "categorical"
			}
			return nil, field.Errorf(key, "%v", err)
		}
	}
	if len(columns) == 1 {
		return nil, fmt.Errorf("%s:%d: no inputs beside the class %q", t.File, t.header, class)
	}
	return columns, nil
}

// rows reads the rows that are not left out: those with a missing cell are, or with missing = "mean" those
// without a class.
func (f Format) rows(t *Reader, columns []*column) (rows []Row, dropped int, err error) {
	for {
		row, err := t.Next()
		if err == io.EOF {
			return rows, dropped, nil
		} else if err = cmp.Or(err, t.check(row)); err != nil {
			return nil, 0, err
		}
		gap := func(c *column) bool { return IsMissing(row.Cells[c.number]) }
		if f.Missing == MissingDrop && slices.ContainsFunc(columns, gap) || f.Missing == MissingMean && gap(columns[0]) {
			dropped++
		} else {
			rows = append(rows, row)
		}
	}
}

// check finds the levels of the columns, or returns an error with a line for each column that has other cells
// than it should.
func (f Format) check(file string, columns []*column, rows []Row) error {
	var problems []string
	for _, c := range columns {
		if problem := f.problem(c, rows); problem != "" {
			problems = append(problems, c.name+": "+problem)
		}
	}
	switch len(problems) {
	case 0:
		return nil
	case 1:
		return fmt.Errorf("%s: %s", file, problems[0])
	}
	return fmt.Errorf("%s: %d columns cannot be read:\n  %s", file, len(problems), strings.Join(problems, "\n  "))
}

// thousands matches a number with commas that may separate thousands.
var thousands = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`)

// problem finds the levels of a column, and says what is wrong with its cells, and which key puts it right.
func (f Format) problem(c *column, rows []Row) string {
	var problems []string
	say := func(found []Row, text string) { problems = append(problems, c.some(found)+text) }
	gaps, texts := c.find(rows, IsMissing), c.find(rows, f.isWord)
	commas := c.find(rows, func(cell string) bool { return strings.Contains(cell, ",") })
	c.words = c.words || c.either && texts != nil
	if c.words || c.class || texts != nil {
		levels := map[string]bool{}
		for _, row := range rows {
			levels[row.Cells[c.number]] = true
		}
		maps.DeleteFunc(levels, func(cell string, _ bool) bool { return IsMissing(cell) })
		c.levels = slices.Sorted(maps.Keys(levels))
	} else if len(gaps) < len(rows) {
		c.levels = []string{""}
	}
	switch decimal := (Layout{f.Separator, ","}); {
	case c.class:
		if unknown := c.find(rows, func(cell string) bool { return cell == Unknown }); unknown != nil {
			say(unknown, ": a class cannot be called "+Unknown+", the word for no class; rename it")
		}
		if alike := f.alike(c, rows); alike != nil {
			problems = append(problems, "classes that differ only in case, blanks or the way a number is written: "+
				list(alike)+"; write them alike")
		}
	case c.words:
	case commas != nil && len(commas) == len(c.find(rows, thousands.MatchString)):
		say(commas, ": three digits follow each comma, so that it may separate thousands; write the numbers "+
			"without commas, or with another number of decimals")
	case texts == nil:
	case decimal.Validate() == nil && c.find(rows, decimal.isWord) == nil:
		say(texts, ` are not numbers with the decimal mark "."; decimal = "," reads them`)
	default:
		say(texts, fmt.Sprintf(" are not numbers; ignore = [%q] leaves the column out, categorical = [%[1]q] makes "+
			"an input of each of its %d values", c.name, len(c.levels)))
	}
	if gaps != nil && cmp.Or(f.Missing, MissingError) == MissingError {
		say(gaps, ` have no value; missing = "drop" leaves their rows out, missing = "mean" puts the mean in the `+
			`place of inputs`)
	}
	return strings.Join(problems, "; ")
}

// find returns the rows whose cell is of a kind.
func (c *column) find(rows []Row, is func(cell string) bool) (found []Row) {
	for _, row := range rows {
		if is(row.Cells[c.number]) {
			found = append(found, row)
		}
	}
	return found
}

// some lists up to three cells with their lines.
func (c *column) some(rows []Row) string {
	const most = 3
	var cells []string
	for _, row := range rows[:min(most, len(rows))] {
		cells = append(cells, fmt.Sprintf("%.40q (line %d)", row.Cells[c.number], row.Line))
	}
	text := strings.Join(cells, ", ")
	if n := len(rows) - len(cells); n > 0 {
		text += fmt.Sprintf(" and %d others", n)
	}
	return text
}

// Unknown is the word for no class, which no class can have as its name.
const Unknown = "unknown"

// alike lists classes that differ only in case, in blanks or in how a number is written.
func (f Format) alike(c *column, rows []Row) (pairs []string) {
	first, seen := map[string]string{}, map[string]bool{}
	for _, row := range rows {
		name := row.Cells[c.number]
		plain := strings.ToLower(strings.Join(strings.Fields(name), ""))
		if x, ok := f.number(name); ok {
			plain = fmt.Sprint(x)
		}
		other := cmp.Or(first[plain], name)
		if first[plain] = other; other != name && !IsMissing(name) && !seen[name] {
			pairs = append(pairs, fmt.Sprintf("%q and %q (line %d)", other, name, row.Line))
		}
		seen[name] = true
	}
	return pairs
}

// features returns the inputs that the columns become.
func features(columns []*column) (features []Feature) {
	for _, c := range columns {
		for _, level := range c.levels {
			features = append(features, Feature{c.name, level})
		}
	}
	return features
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

// Inputs reads the inputs of rows.
type Inputs struct {
	Scaler
	table  *Reader
	column []int // of the table, by feature
	known  map[Feature]bool
}

// Inputs finds the columns of the inputs in a table by their names, in any order and among others.
func (s Scaler) Inputs(t *Reader) (*Inputs, error) {
	in := &Inputs{Scaler: s, table: t, known: map[Feature]bool{}}
	for _, f := range s.Features {
		k, err := t.Column(f.Column)
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
	if x, unseen, err = in.read(row); err != nil {
		return nil, nil, err
	}
	if j := slices.IndexFunc(x, math.IsNaN); j >= 0 && in.Fill == nil {
		return nil, nil, fmt.Errorf(`%s:%d: column %q has no value: %q; allowed only after a training with `+
			`missing = "mean"`, in.table.File, row.Line, in.Features[j].Column, row.Cells[in.column[j]])
	}
	in.scale(x)
	return x, unseen, nil
}

// read returns the features of a row, NaN where the cell has no value.
func (in *Inputs) read(row Row) (x []float64, unseen []string, err error) {
	if err := in.table.check(row); err != nil {
		return nil, nil, err
	}
	x = make([]float64, len(in.Features))
	for j, f := range in.Features {
		cell, ok := row.Cells[in.column[j]], true
		switch word := (Feature{f.Column, cell}); {
		case IsMissing(cell):
			x[j] = math.NaN()
		case f.Level == "":
			if x[j], ok = in.table.layout.number(cell); !ok {
				return nil, nil, fmt.Errorf("%s:%d: column %q: %.40q is not a number",
					in.table.File, row.Line, f.Column, cell)
			}
		case word == f:
			x[j] = 1
		case !in.known[word] && (j == 0 || in.column[j-1] != in.column[j]):
			unseen = append(unseen, word.String())
		}
	}
	return x, unseen, nil
}
