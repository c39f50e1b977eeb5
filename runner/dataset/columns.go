package dataset

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

type cell struct {
	text string
	line int
}

// cells are those of a column.
type cells []cell

func column(rows []Row, k int) (all cells) {
	for _, row := range rows {
		all = append(all, cell{row.Cells[k], row.Line})
	}
	return all
}

func (c cells) only(is func(text string) bool) (found cells) {
	for _, cell := range c {
		if is(cell.text) {
			found = append(found, cell)
		}
	}
	return found
}

// values are the different texts, in their order.
func (c cells) values() (texts []string) {
	for _, cell := range c {
		if !IsMissing(cell.text) {
			texts = append(texts, cell.text)
		}
	}
	slices.Sort(texts)
	return slices.Compact(texts)
}

func (c cells) String() string {
	const most = 3
	var examples []string
	for _, cell := range c[:min(most, len(c))] {
		examples = append(examples, fmt.Sprintf("%.40q (line %d)", cell.text, cell.line))
	}
	text := strings.Join(examples, ", ")
	if n := len(c) - most; n > 0 {
		text += fmt.Sprintf(" and %d others", n)
	}
	return text
}

// inputs returns the inputs that the columns become, or an error with a line for each that does not fit.
func (f Format) inputs(t *Reader, rows []Row, class int, columns []int) (inputs Scaler, err error) {
	var lines []string
	for _, k := range append([]int{class}, columns...) {
		var problems []string
		say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
		all := column(rows, k)
		if k == class {
			f.checkClasses(all, say)
		} else {
			inputs = append(inputs, f.input(t.Columns[k], all, say)...)
		}
		if gaps := all.only(IsMissing); gaps != nil && cmp.Or(f.Missing, MissingError) == MissingError {
			say(`%v have no value; missing = "drop" leaves their rows out, missing = "mean" puts the mean in the `+
				"place of inputs", gaps)
		}
		if problems != nil {
			lines = append(lines, t.Columns[k]+": "+strings.Join(problems, "; "))
		}
	}
	switch {
	case len(lines) > 1:
		err = fmt.Errorf("%s: %d columns do not fit:\n  %s", t.File, len(lines), strings.Join(lines, "\n  "))
	case lines != nil:
		err = fmt.Errorf("%s: %s", t.File, lines[0])
	case inputs == nil:
		err = fmt.Errorf("%s: no column beside the class %q has a value", t.File, t.Columns[class])
	}
	return inputs, err
}

var thousands = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(,\d{3})+$`)

// input returns the inputs that a column becomes, none if it has no value. It says which key makes it fit.
func (f Format) input(name string, all cells, say func(format string, args ...any)) (inputs []Input) {
	in, values, texts := Input{Column: name, Factor: 1}, all.values(), all.only(f.isWord)
	if f.Missing == MissingMean {
		in.Fill = new(float64)
		*in.Fill = math.NaN() // until a scaler is fitted
	}
	commas := all.only(func(text string) bool { return strings.Contains(text, ",") })
	decimal := Layout{f.Separator, ","}
	switch {
	case slices.Contains(f.Categorical, name) || f.allWords() && texts != nil:
		for _, in.Level = range values {
			inputs = append(inputs, in)
		}
	case commas != nil && len(commas) == len(all.only(thousands.MatchString)):
		say("%v: three digits follow each comma, so that it may separate thousands; write the numbers without "+
			"commas, or with another number of decimals", commas)
	case texts == nil && values != nil:
		inputs = []Input{in}
	case texts == nil:
	case decimal.Validate() == nil && all.only(decimal.isWord) == nil:
		say(`%v are not numbers with the decimal mark "."; decimal = "," reads them`, texts)
	default:
		say("%v are not numbers; ignore = [%q] leaves the column out, categorical = [%[2]q] makes an input of each "+
			"of its %d values", texts, name, len(values))
	}
	return inputs
}

// Unknown is the word for no class, which no class can have as its name.
const Unknown = "unknown"

// checkClasses says which ones differ only in case, in blanks or in how a number is written.
func (l Layout) checkClasses(all cells, say func(format string, args ...any)) {
	if unknown := all.only(func(text string) bool { return text == Unknown }); unknown != nil {
		say("%v: a class cannot be called %s, the word for no class; rename it", unknown, Unknown)
	}
	first, alike := map[string]string{}, []string(nil)
	for _, name := range all.values() {
		plain := strings.ToLower(strings.Join(strings.Fields(name), ""))
		if x, ok := l.number(name); ok {
			plain = fmt.Sprint(x)
		}
		if first[plain] = cmp.Or(first[plain], name); first[plain] != name {
			alike = append(alike, fmt.Sprintf("%q and %q", first[plain], name))
		}
	}
	if alike != nil {
		say("classes that differ only in case, blanks or the way a number is written: %s; write them alike",
			list(alike))
	}
}

// swap makes points of decimal commas, and of points what no number has.
var swap = strings.NewReplacer(",", ".", ".", ",")

// number reads a number as programming languages write it: sign, digits, one decimal mark, exponent.
func (l Layout) number(text string) (x float64, ok bool) {
	if l.Decimal == "," {
		text = swap.Replace(text)
	}
	if strings.Trim(text, "0123456789+-.eE") != "" { // underscores, hexadecimal numbers, infinities
		return 0, false
	}
	x, err := strconv.ParseFloat(text, 64)
	return x, err == nil
}

func (l Layout) isWord(text string) bool {
	_, ok := l.number(text)
	return !ok && !IsMissing(text)
}

// Inputs finds the columns of the inputs in a table by their names. Read returns the scaled inputs of a row.
// A word that the scaler's examples did not have is 0 for all levels; unseen lists it, as "colour=red".
func (s Scaler) Inputs(t *Reader) (read func(row Row) (x []float64, unseen []string, err error), err error) {
	columns, known := make([]int, len(s)), map[string]bool{}
	for j, in := range s {
		if columns[j], err = t.Column(in.Column); err != nil {
			return nil, err
		}
		known[in.String()] = true
	}
	return func(row Row) (x []float64, unseen []string, err error) {
		if err := t.check(row); err != nil {
			return nil, nil, err
		}
		x = make([]float64, len(s))
		for j, in := range s {
			text, ok, problem := row.Cells[columns[j]], true, ": %.40q is not a number"
			switch {
			case IsMissing(text):
				x[j], ok = math.NaN(), in.Fill != nil
				problem = ` has no value: %q; allowed only after a training with missing = "mean"`
			case in.Level == "":
				x[j], ok = t.layout.number(text)
			case in.Level == text:
				x[j] = 1
			case j == 0 || columns[j-1] != columns[j]:
				if in.Level = text; !known[in.String()] {
					unseen = append(unseen, in.String())
				}
			}
			if !ok {
				return nil, nil, fmt.Errorf("%s:%d: column %q"+problem, t.File, row.Line, in.Column, text)
			}
		}
		s.scale(x)
		return x, unseen, nil
	}, nil
}
