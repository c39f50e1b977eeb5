package claims

import (
	"fmt"
	"slices"
	"strings"

	"closedform/runner/internal/table"
)

// measure sets the number and its interval, from a table of another experiment.
func (e *evidence) measure(t *table.Table) error {
	rows, err := e.choose(t, e.Rows)
	if err != nil {
		return err
	}
	x := rows.Nums(e.Value)
	if err := e.subtract(t, x, rows); err != nil {
		return err
	}
	e.n = len(x)
	e.number, e.low, e.high = table.Student(x)
	switch e.Interval {
	case columns:
		e.low, e.high = rows.Nums(e.Value + "_low")[0], rows.Nums(e.Value + "_high")[0]
	case extent:
		e.low, e.high = slices.Min(x), slices.Max(x)
		e.number = min(max(e.number, e.low), e.high) // the mean of equal numbers may be rounded
	}
	return nil
}

// choose returns the rows that the filters leave, with all columns that the number and its interval need.
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

// subtract takes from each x, the numbers of rows, that of the same seed in the rows of Minus.
func (e *evidence) subtract(t *table.Table, x []float64, from *table.Table) error {
	if len(e.Minus) == 0 {
		return nil
	}
	column := func(filter string) string { return strings.Split(filter, "=")[0] }
	filters := slices.DeleteFunc(slices.Clone(e.Rows), func(f string) bool {
		return slices.ContainsFunc(e.Minus, func(m string) bool { return column(f) == column(m) })
	})
	rows, err := e.choose(t, append(filters, e.Minus...))
	if err != nil {
		return err
	}
	for i, seed := range from.Texts("seed") {
		k := slices.Index(rows.Texts("seed"), seed)
		if k < 0 || rows.Len() != len(x) {
			return fmt.Errorf("minus: %d rows from %d, not the same seeds", rows.Len(), len(x))
		}
		x[i] -= rows.Nums(e.Value)[k]
	}
	return nil
}

// Verdicts.
const (
	holds     = "holds"
	fails     = "fails"
	undecided = "open"
)

// verdict returns "holds" if the whole interval is on the side of the threshold that shows the claim,
// "fails" if all of it is on the other side or at the threshold, and otherwise "open", also where a number
// is NaN.
func (e *evidence) verdict() string {
	right, wrong := e.low > e.Threshold, e.high <= e.Threshold
	if e.Sense == "below" {
		right, wrong = e.high < e.Threshold, e.low >= e.Threshold
	}
	switch inside := e.low <= e.number && e.number <= e.high; { // not if one is NaN
	case inside && right:
		return holds
	case inside && wrong:
		return fails
	}
	return undecided
}

// conditions returns those of a claim by their verdicts, in the order of the evidence. A condition holds if
// all evidence under it does, fails if one piece does, and is else open.
func conditions(all []evidence, claim string) map[string][]string {
	by := map[string][]string{}
	for i, e := range all {
		same := func(o evidence) bool { return o.Claim == claim && o.Condition == e.Condition }
		if !same(e) || slices.ContainsFunc(all[:i], same) {
			continue
		}
		verdict := holds
		for _, o := range all[i:] {
			if same(o) && (verdict == holds || o.verdict() == fails) {
				verdict = o.verdict()
			}
		}
		by[verdict] = append(by[verdict], e.Condition)
	}
	return by
}
