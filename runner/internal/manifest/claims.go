package manifest

import (
	"fmt"
	"slices"
	"strings"
)

// maxFilters is the most columns that rows are chosen by.
const maxFilters = 16

// Claims is what the study claims reads: sentences of the paper, and the numbers in
// the published tables of other experiments that they are judged by.
type Claims struct {
	Statements []Statement
	Evidence   []Evidence
}

// Statement is a [[claim]], a sentence of the paper. All three are required.
type Statement struct {
	Name     string // what the evidence calls it
	Sentence string // what is claimed
	Where    string // where the paper says it
}

// Evidence is a number with an interval, from a table of an experiment, and the
// threshold on one side of which it shows a claim.
type Evidence struct {
	Claim     string // the name of a statement; required
	Statistic string // what the number is, in words; required
	Condition string // under which condition it shows the claim, in words; required

	Manifest string   // the name of the experiment: its results folder; required
	Table    string   // the file of the table; required
	Rows     []Filter // which rows of the table are taken; default: all
	Minus    []Filter // rows of the same table that are subtracted, seed by seed: Rows but for these; default: none
	Value    string   // the column of the number; required

	// Where the interval comes from. With Low and High, columns of its ends, or SE,
	// the column of a standard error, there must be one row. Without them there is a
	// row for each seed, and Interval is "t", Student's over these, or "range", from
	// the least to the largest, for numbers that have no error.
	Low, High, SE string
	Interval      string // t or range; default t

	Sense     string  // above or below: the side of the threshold that shows the claim; required
	Threshold float64 // required
}

// Filter takes the rows of a table whose column has the given text.
type Filter struct{ Column, Text string }

func (f Filter) String() string { return f.Column + "=" + f.Text }

// filter is the kind of what is written "column=text".
var filter = kind[Filter]{
	want: `"column=text", such as "variant=joint"`,
	read: func(v value) (Filter, bool) {
		s, _ := v.v.(string)
		column, wanted, ok := strings.Cut(s, "=")
		if !ok || !isColumn(column) || len(s) > maxText || s != oneLine(s) {
			return Filter{}, v.reject(`must be "column=text", such as "variant=joint"`)
		}
		return Filter{column, wanted}, true
	},
	write: func(f Filter) string { return literal(f.String()) },
}

// filters is the kind of lists of filters, one for a column at most.
var filters = func() kind[[]Filter] {
	list := listOf(0, maxFilters, filter)
	read := list.read
	list.read = func(v value) ([]Filter, bool) {
		all, ok := read(v)
		for i, f := range all {
			if slices.ContainsFunc(all[:i], func(o Filter) bool { return o.Column == f.Column }) {
				return nil, v.reject(f.Column + " is there twice; allowed: columns that differ")
			}
		}
		return all, ok
	}
	list.write = func(all []Filter) string {
		text := make([]string, len(all))
		for i, f := range all {
			text[i] = f.String()
		}
		return literal(text)
	}
	return list
}()

var (
	column = scalar(fmt.Sprintf("the name of a column, of 1 to %d characters a-z, A-Z, 0-9, _, -, .", maxName), func(v any) (string, bool) {
		s, ok := v.(string)
		return s, ok && isColumn(s)
	})

	// columnOrNone is the kind of columns that may be left out.
	columnOrNone = func() kind[string] {
		k := column.or("")
		k.write = func(s string) string {
			if s == "" {
				return ""
			}
			return literal(s)
		}
		return k
	}()

	tableFile = scalar(`the name of a table, such as "summary.csv"`, func(v any) (string, bool) {
		s, ok := v.(string)
		stem, csv := strings.CutSuffix(s, ".csv")
		return s, ok && csv && isName(stem)
	})
)

func isColumn(s string) bool {
	return s != "" && len(s) <= maxName && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789_-.") == ""
}

func (c *Claims) fields(f *fields, _ *Manifest) {
	blocks(f, "claim", &c.Statements, Statement{}, (*Statement).fields)
	blocks(f, "evidence", &c.Evidence, Evidence{}, (*Evidence).fields)
}

func (s *Statement) fields(f *fields) {
	field(f, "name", &s.Name, name)
	field(f, "sentence", &s.Sentence, text)
	field(f, "where", &s.Where, text)
}

func (e *Evidence) fields(f *fields) {
	field(f, "claim", &e.Claim, name)
	field(f, "statistic", &e.Statistic, text)
	field(f, "condition", &e.Condition, text)
	field(f, "manifest", &e.Manifest, name)
	field(f, "table", &e.Table, tableFile)
	field(f, "rows", &e.Rows, filters.or(nil))
	field(f, "minus", &e.Minus, orNone(filters))
	field(f, "value", &e.Value, column)
	field(f, "low", &e.Low, columnOrNone)
	field(f, "high", &e.High, columnOrNone)
	field(f, "se", &e.SE, columnOrNone)
	field(f, "interval", &e.Interval, word("t", "range").or("t"))
	field(f, "sense", &e.Sense, word("above", "below"))
	field(f, "threshold", &e.Threshold, anyNumber)
}

func (c *Claims) check(root *table, m *Manifest) {
	if len(c.Statements) == 0 {
		root.missing("claim", "at least one table headed [[claim]]")
	}
	var names []string
	for i, t := range root.list("claim") {
		s := c.Statements[i]
		switch {
		case slices.Contains(names, s.Name):
			t.reject("name", "a claim before it has this name; allowed: names that differ")
		case !slices.ContainsFunc(c.Evidence, func(e Evidence) bool { return e.Claim == s.Name }):
			t.reject("name", "no evidence names this claim, so it would have no verdict; allowed: at least one [[evidence]] with claim = "+literal(s.Name))
		}
		names = append(names, s.Name)
	}
	for i, t := range root.list("evidence") {
		c.Evidence[i].check(t, names, m.Name)
	}
}

// check reports what does not fit in a piece of evidence for one of the claims, in
// the manifest named own.
func (e *Evidence) check(t *table, claims []string, own string) {
	if !slices.Contains(claims, e.Claim) {
		t.reject("claim", "names no claim; allowed: "+limited(strings.Join(claims, ", "), shown))
	}
	if e.Manifest == own {
		t.reject("manifest", "is this manifest; allowed: the name of another")
	}
	if (e.Low == "") != (e.High == "") {
		key := map[bool]string{true: "low", false: "high"}[e.Low != ""]
		t.reject(key, "has one end of an interval; allowed: low and high together")
	}
	if e.SE != "" && e.Low != "" {
		t.reject("se", "low and high give the interval; allowed: low and high, or se, or none of them")
	}
	one := e.Low != "" || e.SE != ""
	if one && t.has("interval") && e.Interval != "t" {
		t.reject("interval", "low and high, or se, give the interval; allowed: only without them")
	}
	if one && len(e.Minus) > 0 {
		t.reject("minus", "differences have an interval over the seeds only; allowed: without low and high, and se")
	}
}
