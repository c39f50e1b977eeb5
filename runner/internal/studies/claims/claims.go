// Package claims gives a verdict on each claim of the paper, from the tables of other experiments.
package claims

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"closedform/internal/field"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Kind is the study.
var Kind = study.Kind{
	Name: "claims",
	Asks: "Which of the paper's claims hold?",
	New: func(m *manifest.Manifest) (study.Experiment, error) {
		return study.Decode(m, new(experiment))
	},
}

type experiment struct {
	study.Plain
	Claims   []claim    `toml:"claim" check:"required"`
	Evidence []evidence `toml:"evidence" check:"required"`
}

type claim struct {
	Name     string `toml:"name" check:"required"`     // name in evidence
	Sentence string `toml:"sentence" check:"required"` // the claim, in words
	// Construction says why the claim holds without a measurement; default: evidence decides.
	Construction string `toml:"construction,omitempty"`
}

// evidence is a number with an interval, from a published column, and the threshold that shows a claim.
type evidence struct {
	Claim     string `toml:"claim" check:"required"`     // the name of the [[claim]] that it tests
	Statistic string `toml:"statistic" check:"required"` // what the number is, in words
	Condition string `toml:"condition" check:"required"` // when the number shows the claim, in words

	Manifest string `toml:"manifest" check:"required"` // the name of the experiment
	Table    string `toml:"table" check:"required"`    // the name of its table
	// Rows has "COLUMN=TEXT" texts: the rows that are used; default all.
	Rows []string `toml:"rows" check:"distinct"`
	// Minus has rows that are subtracted, seed by seed; default none.
	Minus    []string `toml:"minus,omitempty" check:"distinct"`
	Value    string   `toml:"value" check:"required"`           // the column of the number
	Interval string   `toml:"interval" words:"t range columns"` // the interval, see below; default "t"

	// Sense is the side of the threshold that shows the claim.
	Sense     string  `toml:"sense" check:"required" words:"above below"`
	Threshold float64 `toml:"threshold" check:"required"` // what the interval is compared with

	// Measured:
	number, low, high float64
	n                 int // number of rows that the number comes from
}

// The source of the interval of a number.
const (
	student = "t"       // 95 %, Student's t, over one row for each seed; the default
	extent  = "range"   // from the smallest to the largest value of the rows
	columns = "columns" // the columns VALUE_low and VALUE_high of one row
)

func (e *evidence) Validate() error {
	e.Interval = cmp.Or(e.Interval, student)
	return field.Refuse(e.Interval == columns && len(e.Minus) > 0, "minus", e.Minus,
		`with another interval than "columns"`)
}

func (e *experiment) Validate() (err error) {
	var claims []string
	for i, c := range e.Claims {
		claims = append(claims, c.Name)
		evident := slices.ContainsFunc(e.Evidence, func(v evidence) bool { return v.Claim == c.Name })
		err = errors.Join(err, field.Refuse(!evident && c.Construction == "",
			fmt.Sprintf("claim.%d.construction", i+1), "", "a reason, or an [[evidence]] with this claim"))
	}
	for i, v := range e.Evidence {
		err = errors.Join(err, field.Among(fmt.Sprintf("evidence.%d.claim", i+1), claims, v.Claim))
	}
	return err
}

// Sources implements [study.Derived].
func (e *experiment) Sources() (names []string) {
	for _, v := range e.Evidence {
		names = append(names, v.Manifest)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Use implements [study.Derived]: it measures all evidence.
func (e *experiment) Use(read func(name string) (*table.Table, error)) error {
	for i := range e.Evidence {
		v := &e.Evidence[i]
		t, err := read(v.Manifest + "/" + v.Table)
		if err == nil {
			err = v.measure(t)
		}
		if err != nil {
			return fmt.Errorf("evidence.%d: %s/%s: %w", i+1, v.Manifest, v.Table, err)
		}
	}
	return nil
}

// Tables has the verdicts on the claims, and those of the evidence.
func (e *experiment) Tables([]table.Tables) table.Tables {
	text, number := table.Text, table.Num
	evidence := table.New("evidence",
		text("claim", "name of the claim"), text("statistic", "what the number is"),
		text("condition", "condition under which the number was found"),
		text("source", "the experiment and its table, the rows that were taken, and the column"),
		text("minus", "fields of the rows that were subtracted, seed by seed, where they differ from the others"),
		table.Int("n", "rows that the number comes from"), number("value", "the number, a mean over the rows"),
		number("low", "lower end of the interval of the number"),
		number("high", "upper end of the interval of the number"),
		text("interval", "t: 95 %, Student's; range: smallest to largest; columns: NAME_low and NAME_high"),
		text("sense", "side of the threshold that shows the claim"),
		number("threshold", "number that the interval is compared with"), text("verdict", "holds, fails or open"))
	for _, v := range e.Evidence {
		source := slices.Concat([]string{v.Manifest + "/" + v.Table}, v.Rows, []string{v.Value})
		evidence.Add(v.Claim, v.Statistic, v.Condition, strings.Join(source, " "), strings.Join(v.Minus, " "),
			v.n, v.number, v.low, v.high, v.Interval, v.Sense, v.Threshold, v.verdict())
	}
	claims := table.New("claims",
		text("claim", "name of the claim"), text("sentence", "what the abstract of the paper claims"),
		text("measured", "what the evidence measures, and what shows the claim; our choice"),
		text("holds_with", "conditions under which the evidence shows the claim, with what was measured"),
		text("fails_with", "conditions under which the evidence shows that the claim fails, with what was measured"),
		text("open_with", "conditions under which the claim is undecided, with what was measured"))
	for _, c := range e.Claims {
		given := evidence.Where("claim", c.Name)
		conditions := map[string][]string{} // conditions by verdict
		for _, rows := range given.GroupBy("condition") {
			verdict := overall(rows.Texts("verdict"))
			conditions[verdict] = append(conditions[verdict], found(rows))
		}
		if c.Construction != "" {
			conditions[holds] = append(conditions[holds], "by construction: "+c.Construction)
		}
		with := func(verdict string) string { return strings.Join(conditions[verdict], "; ") }
		claims.Add(c.Name, c.Sentence, measured(given), with(holds), with(fails), with(undecided))
	}
	return table.Tables{claims, evidence}
}

// measured names the statistics of the evidence on a claim, each with its threshold.
func measured(evidence *table.Table) string {
	var texts []string
	for i, statistic := range evidence.Texts("statistic") {
		sense, threshold := evidence.Texts("sense")[i], evidence.Nums("threshold")[i]
		texts = append(texts, fmt.Sprintf("%s, %s %g", statistic, sense, threshold))
	}
	return strings.Join(slices.Compact(slices.Sorted(slices.Values(texts))), "; ")
}

// found returns the condition that the evidence shares, and its numbers.
func found(evidence *table.Table) string {
	var numbers []string
	for _, x := range evidence.Nums("value") {
		numbers = append(numbers, fmt.Sprintf("%.2g", x))
	}
	return fmt.Sprintf("%s (%s)", evidence.Texts("condition")[0], strings.Join(numbers, ", "))
}

// Result has the verdicts on the claims.
func (e *experiment) Result(tables table.Tables, _ map[string]float64) study.Result {
	rows := [][]string{{"claim", "holds with", "fails with", "undecided with"}}
	claims := tables.Get("claims")
	for i := range claims.Len() {
		text := func(column string) string { return claims.Texts(column)[i] }
		rows = append(rows, []string{text("claim"), text("holds_with"), text("fails_with"), text("open_with")})
	}
	return study.Result{Tables: [][][]string{rows}}
}

func (e *evidence) measure(t *table.Table) error {
	rows, err := e.choose(t, e.Rows)
	if err != nil {
		return err
	}
	x := rows.Nums(e.Value)
	if len(e.Minus) > 0 {
		if err := e.subtract(t, x, rows.Texts("seed")); err != nil {
			return err
		}
	}
	e.n = len(x)
	i := table.NewEstimate(x, 0).Interval()
	e.number, e.low, e.high = i[0], i[1], i[2]
	switch e.Interval {
	case columns:
		e.low, e.high = rows.Nums(e.Value + "_low")[0], rows.Nums(e.Value + "_high")[0]
	case extent:
		e.low, e.high = slices.Min(x), slices.Max(x)
		e.number = min(max(e.number, e.low), e.high) // rounding may move the mean out of the interval
	}
	return nil
}

// choose returns the rows that match the filters. Errors: a column is missing; too many rows match.
func (e *evidence) choose(t *table.Table, filters []string) (*table.Table, error) {
	numbers, seeds := []string{e.Value}, e.Interval == student || len(e.Minus) > 0
	if e.Interval == columns {
		numbers = append(numbers, e.Value+"_low", e.Value+"_high")
	} else if seeds {
		numbers = append(numbers, "seed")
	}
	if err := t.Needs(numbers...); err != nil {
		return nil, err
	}
	for _, c := range t.Columns {
		if c.Kind == table.Words && slices.Contains(numbers, c.Name) {
			return nil, fmt.Errorf("%s has words; allowed: a column of numbers", c.Name)
		}
	}
	rows, err := t.Select(filters...)
	switch {
	case err != nil:
		return nil, err
	case rows.Len() == 0 || e.Interval == columns && rows.Len() > 1:
		return nil, fmt.Errorf("%d rows; allowed with interval = %q: one", rows.Len(), e.Interval)
	case seeds && len(rows.Distinct("seed")) < rows.Len():
		return nil, fmt.Errorf("several rows have the same seed; allowed: filters that leave one for each")
	}
	return rows, nil
}

// subtract subtracts from each x the number with the same seed in the rows of Minus, whose filters replace
// those of Rows that have the same column.
func (e *evidence) subtract(t *table.Table, x []float64, seeds []string) error {
	column := func(filter string) string { return strings.Split(filter, "=")[0] }
	filters := slices.DeleteFunc(slices.Clone(e.Rows), func(f string) bool {
		return slices.ContainsFunc(e.Minus, func(m string) bool { return column(f) == column(m) })
	})
	rows, err := e.choose(t, append(filters, e.Minus...))
	if err != nil {
		return err
	}
	for i, seed := range seeds {
		k := slices.Index(rows.Texts("seed"), seed)
		if k < 0 || rows.Len() != len(x) {
			return fmt.Errorf("minus: %d rows from %d, not the same seeds", rows.Len(), len(x))
		}
		x[i] -= rows.Nums(e.Value)[k]
	}
	return nil
}

const (
	holds     = "holds"
	fails     = "fails"
	undecided = "open"
)

// verdict returns "holds" if the whole interval is on the threshold's side that shows the claim, "fails" if
// it is on the other side or at the threshold, else "open", also for NaN.
func (e *evidence) verdict() string {
	right, wrong := e.low > e.Threshold, e.high <= e.Threshold
	if e.Sense == "below" {
		right, wrong = e.high < e.Threshold, e.low >= e.Threshold
	}
	switch inside := e.low <= e.number && e.number <= e.high; { // false if a number is NaN
	case inside && right:
		return holds
	case inside && wrong:
		return fails
	}
	return undecided
}

// overall returns the verdict of several pieces of evidence: it fails if one fails, and holds if all hold.
func overall(verdicts []string) string {
	for _, v := range []string{fails, undecided} {
		if slices.Contains(verdicts, v) {
			return v
		}
	}
	return holds
}
