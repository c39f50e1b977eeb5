package dataset

import (
	"cmp"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"closedform/internal/field"
)

// Feature is where an input comes from: a column of numbers, or a level of a categorical one, as 1 or 0.
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

// column is a column that is read, by its number in the table. The first one is that of the classes.
type column struct {
	number int
	name   string
	words  bool     // it has words
	either bool     // it has words if one cell is no number
	levels []string // its words in order, or "" if it has numbers; empty: it has no value
	gaps   int      // cells without a value
}

func (f Format) columns(t *Reader, like *Examples) ([]*column, error) {
	class, err := t.Column(cmp.Or(f.Class, "class"))
	if err != nil {
		return nil, err
	}
	either := slices.Equal(f.Categorical, []string{AllWords}) && !slices.Contains(t.Columns, AllWords)
	either = either && like == nil
	words := map[string]bool{} // of the columns that are inputs
	if like == nil {
		for _, name := range t.Columns {
			words[name] = slices.Contains(f.Categorical, name)
		}
	} else {
		for _, x := range like.values.features {
			if _, err := t.Column(x.Column); err != nil {
				return nil, err
			}
			words[x.Column] = x.Level != ""
		}
	}
	for i, name := range slices.Concat(f.Ignore, f.Categorical) {
		if _, err := t.Column(name); err != nil && like == nil && !(either && i >= len(f.Ignore)) {
			key := "ignore"
			if i >= len(f.Ignore) {
				key = "categorical"
			}
			return nil, field.Errorf(key, "%v", err)
		}
	}
	columns := []*column{{number: class, name: t.Columns[class]}}
	for k, name := range t.Columns {
		if words, ok := words[name]; ok && k != class && !slices.Contains(f.Ignore, name) {
			columns = append(columns, &column{number: k, name: name, words: words, either: either})
		}
	}
	if len(columns) == 1 && like == nil {
		return nil, fmt.Errorf("%s:%d: no inputs beside the class %q", t.File, t.header, t.Columns[class])
	}
	return columns, nil
}

// rows reads the rows without a missing cell or, with missing = "mean", the rows with a class.
func (f Format) rows(t *Reader, columns []*column) (rows []Row, dropped int, err error) {
	for {
		row, err := t.Next()
		if err == io.EOF {
			return rows, dropped, nil
		} else if err = cmp.Or(err, t.check(row)); err != nil {
			return nil, 0, err
		}
		gap := func(c *column) bool { return IsMissing(row.Cells[c.number]) }
		if f.Missing == MissingDrop && slices.ContainsFunc(columns, gap) ||
			f.Missing == MissingMean && gap(columns[0]) {
			dropped++
		} else {
			rows = append(rows, row)
		}
	}
}

// check returns the inputs that the columns become, or an error with a line for each invalid column.
func (f Format) check(file string, columns []*column, rows []Row) (features []Feature, err error) {
	var problems []string
	for k, c := range columns {
		if problem := f.problem(c, rows, k == 0); problem != "" {
			problems = append(problems, c.name+": "+problem)
		}
		for _, level := range c.levels {
			features = append(features, Feature{c.name, level})
		}
	}
	if len(problems) > 1 {
		problems[0] = fmt.Sprintf("%d columns cannot be read:\n  %s", len(problems), problems[0])
	}
	if problems != nil {
		return nil, fmt.Errorf("%s: %s", file, strings.Join(problems, "\n  "))
	}
	return features[len(columns[0].levels):], nil
}

var thousands = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(,\d{3})+(\.\d*)?$`)

// Unknown is the word for no class, which no class can have as its name.
const Unknown = "unknown"

// problem finds the levels of a column, and says what is wrong with its cells, and which key puts it right.
func (f Format) problem(c *column, rows []Row, class bool) string {
	gaps, texts := c.find(rows, IsMissing), c.find(rows, f.isWord)
	commas := c.find(rows, func(cell string) bool { return strings.Contains(cell, ",") })
	c.gaps, c.words = len(gaps), c.words || c.either && texts != nil
	for _, row := range c.find(rows, func(cell string) bool { return !IsMissing(cell) }) {
		c.levels = append(c.levels, row.Cells[c.number])
	}
	if !c.words && !class && texts == nil {
		clear(c.levels)
	}
	slices.Sort(c.levels)
	c.levels = slices.Compact(c.levels)
	var problems []string
	say := func(found []Row, text string) { problems = append(problems, c.some(found)+text) }
	switch decimal := (Layout{f.Separator, ","}); {
	case class:
		if unknown := c.find(rows, func(cell string) bool { return cell == Unknown }); unknown != nil {
			say(unknown, ": a class cannot be called "+Unknown+", the word for no class; rename it")
		}
		if alike := f.alike(c.levels); alike != nil {
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
		say(texts, fmt.Sprintf(" are not numbers; ignore = [%q] leaves the column out, categorical = [%[1]q] "+
			"makes an input of each of its %d values", c.name, len(c.levels)))
	}
	if gaps != nil && cmp.Or(f.Missing, MissingError) == MissingError {
		say(gaps, ` have no value; missing = "drop" leaves their rows out, missing = "mean" puts the mean in the `+
			`place of inputs`)
	}
	return strings.Join(problems, "; ")
}

// alike lists classes that differ only in case, in blanks or in how a number is written.
func (l Layout) alike(classes []string) (pairs []string) {
	first := map[string]string{}
	for _, name := range classes {
		plain := strings.ToLower(strings.Join(strings.Fields(name), ""))
		if x, ok := l.number(name); ok {
			plain = fmt.Sprint(x)
		}
		if first[plain] = cmp.Or(first[plain], name); first[plain] != name {
			pairs = append(pairs, fmt.Sprintf("%q and %q", first[plain], name))
		}
	}
	return pairs
}

func (c *column) find(rows []Row, is func(cell string) bool) (found []Row) {
	for _, row := range rows {
		if is(row.Cells[c.number]) {
			found = append(found, row)
		}
	}
	return found
}

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

// swap makes points of decimal commas, and of points what no number has.
var swap = strings.NewReplacer(",", ".", ".", ",")

// number reads a number as programming languages write it: sign, digits, one decimal mark, exponent.
func (l Layout) number(cell string) (x float64, ok bool) {
	if l.Decimal == "," {
		cell = swap.Replace(cell)
	}
	if strings.Trim(cell, "0123456789+-.eE") != "" { // underscores, hexadecimal numbers, infinities
		return 0, false
	}
	x, err := strconv.ParseFloat(cell, 64)
	return x, err == nil
}

func (l Layout) isWord(cell string) bool {
	_, ok := l.number(cell)
	return !ok && !IsMissing(cell)
}

// Inputs finds the columns of the inputs in a table by their names. Read returns the scaled inputs of a row.
// A word that the scaler's examples did not have is 0 for all levels; unseen lists it, as "colour=red".
func (s Scaler) Inputs(t *Reader) (read func(row Row) (x []float64, unseen []string, err error), err error) {
	var column []int // of the table, by feature
	known := map[Feature]bool{}
	for _, f := range s.Features {
		k, err := t.Column(f.Column)
		if err != nil {
			return nil, err
		}
		column, known[f] = append(column, k), true
	}
	return func(row Row) (x []float64, unseen []string, err error) {
		if err := t.check(row); err != nil {
			return nil, nil, err
		}
		x = make([]float64, len(column))
		for j, f := range s.Features {
			cell, ok, problem := row.Cells[column[j]], true, ": %.40q is not a number"
			switch word := (Feature{f.Column, cell}); {
			case IsMissing(cell):
				x[j], ok = math.NaN(), s.Fill != nil
				problem = ` has no value: %q; allowed only after a training with missing = "mean"`
			case f.Level == "":
				x[j], ok = t.layout.number(cell)
			case word == f:
				x[j] = 1
			case !known[word] && (j == 0 || column[j-1] != column[j]):
				unseen = append(unseen, word.String())
			}
			if !ok {
				return nil, nil, fmt.Errorf("%s:%d: column %q"+problem, t.File, row.Line, f.Column, cell)
			}
		}
		s.scale(x)
		return x, unseen, nil
	}, nil
}
