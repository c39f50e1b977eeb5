package dataset

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"golang.org/x/text/runes"
	"golang.org/x/text/unicode/norm"
)

// Unknown stands for no class. No class can have this name.
const Unknown = "unknown"

// IsMissing reports whether a cell has no value: whether it is empty, NA, N/A, NaN, ? or null.
func IsMissing(cell string) bool {
	return slices.Contains([]string{"", "na", "n/a", "nan", "?", "null"}, strings.ToLower(cell))
}

// noValue has words that programs write for no value, and gap those that also people do, who use some of them
// for classes.
var (
	noValue = regexp.MustCompile(`(?i)^(#n/?a|\\n|<na>|#(div/0|value|ref|name|num|null)[!?])$`)
	gap     = regexp.MustCompile(`(?i)^(-+|\.+|\*+|none|nil|missing|n\.a\.|\(null\))$`)
)

// onlyGaps reports whether no value, of some, is a word, except for words that people use for no value.
func (f Format) onlyGaps(values []string) bool {
	return len(values) > 0 && !slices.ContainsFunc(values, func(value string) bool {
		return f.isWord(value) && !noValue.MatchString(value) && !gap.MatchString(value)
	})
}

// Labels are names of classes, of which no two look alike.
type Labels struct {
	format   Format
	names    map[string]string // the first label of each form
	onlyGaps bool              // the only words are those that people use for no value
}

// Labels returns labels with these names, those of a network or a training table.
func (f Format) Labels(names []string) Labels {
	l := Labels{f, map[string]string{}, f.onlyGaps(names)}
	for _, name := range names {
		l.names[l.form(name, "")] = name
	}
	return l
}

// Add adds a label. The error says why it can be no class: it is [Unknown], or, unless labels are as written,
// stands for no value, or looks like another one.
func (l Labels) Add(label string) error {
	form := l.form(label, "")
	first, found := l.names[form]
	switch {
	case label == Unknown:
		return errors.New("the word for no class is not allowed; rename the class")
	case l.format.AsWritten || found && first == label:
		return nil
	case form == "", noValue.MatchString(label), l.onlyGaps && gap.MatchString(label):
		return fmt.Errorf("no value? %s says so, %s makes a class of it", l.format.set("no_value", []string{label}),
			l.format.set("as_written", true))
	case found:
		return fmt.Errorf("differs from %s; write them alike, or make two classes of them by %s",
			l.difference(first, label), l.format.set("as_written", true))
	}
	l.names[form] = label
	return nil
}

// forms are the ways in which labels that look alike may differ.
var forms = []struct {
	name  string
	plain func(label string) string
}{
	{"invisible characters", runes.Remove(runes.Predicate(func(r rune) bool {
		return unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector)
	})).String},
	{"blanks", func(label string) string { return strings.Join(strings.Fields(label), "") }},
	{"case", func(label string) string { return strings.ToLower(strings.ToUpper(label)) }},
	{unicodeForm, norm.NFC.String},
	{"the way a number is written", plainNumber},
}

const unicodeForm = "Unicode form (NFC, NFD)"

// form returns a text that is the same for all labels that look alike. The way to differ called except still
// makes it different.
func (l Labels) form(label, except string) string {
	if l.format.Decimal == "," {
		label = swap.Replace(label)
	}
	for _, f := range forms {
		if f.name != except {
			label = f.plain(label)
		}
	}
	return label
}

// difference says in which ways labels that look alike differ.
func (l Labels) difference(first, label string) string {
	var ways []string
	for _, f := range forms {
		if l.form(first, f.name) != l.form(label, f.name) {
			ways = append(ways, f.name)
		}
	}
	quote := strconv.Quote
	if slices.Contains(ways, unicodeForm) {
		quote = strconv.QuoteToASCII
	}
	return quote(first) + " only in " + cmp.Or(strings.Join(ways, " and "), "the way it is written")
}

// plainNumber writes a number as an exact fraction, and returns other labels as they are.
func plainNumber(label string) string {
	// Of 1e-999999, which is read as 0, the fraction has a million digits.
	if x, ok := (Format{}).number(label); ok && (x != 0 || !strings.ContainsAny(label, "eE")) {
		if exact, ok := new(big.Rat).SetString(label); ok {
			return exact.RatString()
		}
	}
	return label
}

// labelProblems says which cells of a column can be no classes, beside those of the training examples, if
// given, or that the column has something else.
func (f Format) labelProblems(rows []Row, k int, training *Examples) (problems []string) {
	names := slices.DeleteFunc(distinct(rows, k), IsMissing)
	labels := f.Labels(nil)
	if labels.onlyGaps = f.onlyGaps(names); training != nil {
		labels = f.Labels(training.classes)
	}
	var others []string
	for _, name := range names {
		if err := labels.Add(name); err != nil && problems == nil {
			first := slices.IndexFunc(rows, func(row Row) bool { return row.Cells[k] == name })
			problems = []string{fmt.Sprintf("%q (line %d): %v", name, rows[first].Line, err)}
		} else if err != nil {
			others = append(others, strconv.Quote(name))
		}
	}
	if others != nil {
		problems[0] += "; refused, too: " + list(others, 10)
	}
	decimal := func(name string) bool { x, _ := f.number(name); return x != math.Trunc(x) }
	n, values, are := len(names), "", ""
	switch {
	case f.AsWritten || training != nil:
	case n > 10 && slices.ContainsFunc(names, decimal) && !slices.ContainsFunc(names, f.isWord):
		values, are = "decimals", "measurements"
	case n > 5 && 2*n > len(rows):
		values, are = "values", "identifiers or free text"
	}
	if values != "" {
		problems = append(problems, fmt.Sprintf("%d different %s in %d rows are %s, not classes; %s names the column "+
			"of the classes, %s makes a class of each value", n, values, len(rows), are, f.key("class"),
			f.set("as_written", true)))
	}
	return problems
}
