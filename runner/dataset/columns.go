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

// some lists the first cells of column k that match, such as "12 cm" (line 3). It is empty if none matches.
func some(rows []Row, k int, match func(cell string) bool) string {
	var found []string
	for _, row := range rows {
		if match(row.Cells[k]) {
			found = append(found, fmt.Sprintf("%.40q (line %d)", row.Cells[k], row.Line))
		}
	}
	return list(found, 3)
}

func list(names []string, most int) string {
	if n := len(names) - most; n > 0 {
		return fmt.Sprintf("%s and %d others", strings.Join(names[:most], ", "), n)
	}
	return strings.Join(names, ", ")
}

// distinct returns the different cells of column k in alphabetical order.
func distinct(rows []Row, k int) (cells []string) {
	for _, row := range rows {
		cells = append(cells, row.Cells[k])
	}
	slices.Sort(cells)
	return slices.Compact(cells)
}

// inputs returns the inputs that the used columns become, and the names of those without a value, which
// become none. The error has a line for each column that does not fit.
//
// The inputs of test examples are those of the training examples, if given: only their classes are checked.
func (t *Reader) inputs(rows []Row, class int, used []int, training *Examples) (s Scaler, empty []string, err error) {
	var lines []string
	if training != nil {
		s, used = training.inputs, nil
	}
	for _, k := range append([]int{class}, used...) {
		in, problems := t.column(rows, k, k == class, training)
		if s = append(s, in...); problems != nil {
			lines = append(lines, t.Columns[k]+": "+strings.Join(problems, "; "))
		} else if in == nil && k != class {
			empty = append(empty, t.Columns[k])
		}
	}
	if len(lines) > 1 {
		lines[0] = fmt.Sprintf("%d columns do not fit:\n  %s", len(lines), lines[0])
	} else if lines == nil && s == nil {
		lines = []string{fmt.Sprintf("no column beside the class %q has a value", t.Columns[class])}
	}
	if lines != nil {
		err = fmt.Errorf("%s: %s", t.File, strings.Join(lines, "\n  "))
	}
	return s, empty, err
}

var thousands = regexp.MustCompile(`^[+-]?[1-9]\d{0,2}(,\d{3})+$`)

// column returns the inputs that column k becomes, none if it has no value, or says which key makes it fit.
func (t *Reader) column(rows []Row, k int, class bool, training *Examples) (inputs Scaler, problems []string) {
	f, name, declared := t.format, t.Columns[k], t.attributes[k]
	say := func(format string, args ...any) { problems = append(problems, fmt.Sprintf(format, args...)) }
	gaps, levels := some(rows, k, IsMissing), slices.DeleteFunc(distinct(rows, k), IsMissing)
	if gaps != "" && cmp.Or(f.Missing, MissingError) == MissingError {
		say("%s have no value; %s leaves their rows out, %s puts the mean in the place of inputs", gaps,
			f.set("missing", "drop"), f.set("missing", "mean"))
	}
	if class {
		return nil, append(problems, f.labelProblems(rows, k, training)...)
	} else if len(levels) == 0 {
		return nil, problems
	}
	in := Input{Column: name, Factor: 1}
	if f.Missing == MissingMean || f.Missing == MissingWord {
		in.Fill = new(math.NaN()) // NaN until a scaler sets the mean of the column
	}
	texts, codes := some(rows, k, f.isWord), some(rows, k, func(cell string) bool { return t.isCode(name, cell) })
	words := slices.DeleteFunc(slices.Clone(levels), func(cell string) bool { return !f.isWord(cell) })
	commas := some(rows, k, func(cell string) bool { return strings.Contains(cell, ",") })
	plain := func(cell string) bool { return strings.Contains(cell, ",") && !thousands.MatchString(cell) }
	decimal := Format{Separator: f.Separator, Decimal: ","}
	column := []string{name}
	waysOut := fmt.Sprintf("%s leaves the column out, %s makes an input of each of its %d values",
		f.set("ignore", column), f.set("categorical", column), len(levels))
	switch {
	case declared.words != nil, slices.Contains(f.Categorical, name),
		declared.text+texts+codes != "" && slices.Contains(f.Categorical, AllWords):
		if declared.words != nil {
			levels = declared.words
		}
		if f.Missing == MissingWord {
			in.Fill = nil
			if gaps != "" {
				levels = append(slices.Clip(levels), noWord)
			}
		}
		for _, in.Level = range levels {
			inputs = append(inputs, in)
		}
	case declared.text != "":
		say("declared as %s, which is no input; %s", declared.text, waysOut)
	case commas != "" && some(rows, k, plain) == "":
		say("%s: three digits follow each comma, so that it may separate thousands; write the numbers without "+
			"commas, or with another number of decimals", commas)
	case texts == "" && codes != "":
		say("%s have leading zeros, as codes have; %s, %s reads numbers", codes, waysOut, f.set("numeric", column))
	case texts == "":
		inputs = Scaler{in}
	case decimal.Validate() == nil && some(rows, k, decimal.isWord) == "":
		say(`%s are not numbers with the decimal mark "."; %s reads them`, texts, f.set("decimal", ","))
	case f.onlyGaps(levels):
		say("%s are not numbers: no value? %s says so, and %s or %s what to do then; if they are words, %s", texts,
			f.set("no_value", words), f.set("missing", "drop"), f.set("missing", "mean"), waysOut)
	default:
		say("%s are not numbers; %s", texts, waysOut)
	}
	return inputs, problems
}

// swap turns decimal commas into points, and points into commas, which no number has.
var swap = strings.NewReplacer(",", ".", ".", ",")

// number reads a number as programming languages write it: sign, digits, one decimal mark, exponent.
func (f Format) number(cell string) (x float64, ok bool) {
	if f.Decimal == "," {
		cell = swap.Replace(cell)
	}
	if strings.Trim(cell, "0123456789+-.eE") != "" { // underscores, hexadecimal numbers, infinities
		return 0, false
	}
	x, err := strconv.ParseFloat(cell, 64)
	return x, err == nil
}

var leadingZeros = regexp.MustCompile(`^[+-]?0\d`)

// isCode reports whether a cell is a number with leading zeros, such as 007, in a column that is neither said
// nor declared to be numeric.
func (t *Reader) isCode(column, cell string) bool {
	return leadingZeros.MatchString(cell) && !t.format.isWord(cell) && !t.arff &&
		!slices.Contains(t.format.Numeric, column)
}

// isWord reports whether a cell has a value that is not a number.
func (f Format) isWord(cell string) bool {
	_, ok := f.number(cell)
	return !ok && !IsMissing(cell)
}

// Inputs finds the columns of the inputs in a table by their names. read returns the scaled inputs of a row.
// A word that the scaler was not fitted to is 0 for all levels; unseen lists it, as "colour=red".
func (s Scaler) Inputs(t *Reader) (read func(row Row) (x []float64, unseen []string, err error), err error) {
	columns, known := make([]int, len(s)), map[string]bool{}
	for j, in := range s {
		if columns[j], err = t.Column(in.Column); err != nil {
			return nil, err
		}
		known[in.String()] = true
	}
	return func(row Row) (x []float64, unseen []string, err error) {
		if row.Err != nil {
			return nil, nil, row.Err
		}
		x = make([]float64, len(s))
		for j, in := range s {
			cell, ok, problem, need := row.Cells[columns[j]], true, "is not a number", ""
			missing := IsMissing(cell)
			if missing && in.Level != "" && t.format.Missing == MissingWord {
				cell, missing = noWord, false
			}
			switch {
			case missing:
				x[j], ok = math.NaN(), in.Fill != nil
				problem, need = "has no value", t.format.set("missing", "mean")
			case in.Level == "" && t.isCode(in.Column, cell):
				ok, problem, need = false, "has leading zeros", t.format.set("numeric", []string{in.Column})
			case in.Level == "":
				x[j], ok = t.format.number(cell)
			case in.Level == cell:
				x[j] = 1
			case j == 0 || columns[j-1] != columns[j]:
				if in.Level = cell; !known[in.String()] {
					unseen = append(unseen, in.String())
				}
			}
			if need != "" {
				problem += "; allowed only after a training with " + need
			}
			if !ok {
				return nil, nil, fmt.Errorf("%s:%d: column %q: %.40q %s", t.File, row.Line, in.Column, cell, problem)
			}
		}
		s.scale(x)
		return x, unseen, nil
	}, nil
}
