package claims

import (
	"fmt"
	"math"
	"slices"

	"closedform/runner/internal/table"
)

// finding is a piece of evidence with its number and interval.
type finding struct {
	evidence
	n                int // rows that the number comes from
	value, low, high float64
}

// measure returns the finding in a table of another experiment: what the table lacks is an error.
func (e *evidence) measure(t *table.Table) (f finding, err error) {
	stated, seeds := e.Low != "", len(e.Minus) > 0 || e.Low == "" && e.Interval == "t"
	names := []string{e.Value}
	if stated {
		names = append(names, e.Low, e.High)
	}
	err = t.Needs(names...)
	if err == nil && seeds {
		err = t.Needs("seed")
	}
	for _, c := range t.Columns {
		if err == nil && c.Kind == table.Words && slices.Contains(names, c.Name) {
			err = fmt.Errorf("%s has words; allowed: a column of numbers", c.Name)
		}
	}
	if err != nil {
		return f, err
	}
	rows, err := t.Select(e.Rows...)
	if err != nil {
		return f, err
	}
	x := rows.Nums(e.Value)
	f = finding{evidence: *e, n: len(x)}
	switch {
	case len(x) == 0 || stated && len(x) != 1:
		return f, fmt.Errorf("%d rows; allowed: some, and one where low and high give the interval", len(x))
	case stated:
		f.value, f.low, f.high = x[0], rows.Nums(e.Low)[0], rows.Nums(e.High)[0]
		return f, nil
	}
	if seeds {
		_, err = e.bySeed(rows)
	}
	if err == nil && len(e.Minus) > 0 {
		err = e.subtract(t, x, rows)
	}
	f.value, f.low, f.high = table.Student(x)
	if e.Interval == "range" {
		f.low, f.high = slices.Min(x), slices.Max(x)
		f.value = min(max(f.value, f.low), f.high) // the mean of equal numbers may be rounded away from them
	}
	return f, err
}

// bySeed returns the numbers of the rows by their seeds, which must differ.
func (e *evidence) bySeed(rows *table.Table) (map[string]float64, error) {
	of, x := map[string]float64{}, rows.Nums(e.Value)
	for i, seed := range rows.Texts("seed") {
		if _, ok := of[seed]; ok {
			return nil, fmt.Errorf("several rows have seed %s; allowed: filters that leave one for each", seed)
		}
		of[seed] = x[i]
	}
	return of, nil
}

// subtract takes from each x, the numbers of the rows, that of the same seed in the rows of Minus.
func (e *evidence) subtract(t *table.Table, x []float64, rows *table.Table) error {
	filters := slices.DeleteFunc(slices.Clone(e.Rows), func(f string) bool {
		return slices.ContainsFunc(e.Minus, func(o string) bool { return column(f) == column(o) })
	})
	others, err := t.Select(append(filters, e.Minus...)...)
	if err != nil {
		return err
	}
	minus, err := e.bySeed(others)
	if err != nil {
		return err
	}
	for i, seed := range rows.Texts("seed") {
		y, ok := minus[seed]
		if !ok || len(minus) != len(x) {
			return fmt.Errorf("minus: %d rows from %d, not the same seeds", len(minus), len(x))
		}
		x[i] -= y
	}
	return nil
}

// Verdicts.
const (
	holds  = "holds"
	fails  = "fails"
	isOpen = "open"
)

// verdict returns "holds" if the whole interval is on the side of the threshold that shows the claim,
// "fails" if all of it is on the other side or at the threshold, and otherwise "open", also where a
// number is none.
func (f finding) verdict() string {
	right, wrong := f.low > f.Threshold, f.high <= f.Threshold
	if f.Sense == "below" {
		right, wrong = f.high < f.Threshold, f.low >= f.Threshold
	}
	switch {
	case math.IsNaN(f.value + f.low + f.high), !(f.low <= f.value && f.value <= f.high):
		return isOpen
	case right:
		return holds
	case wrong:
		return fails
	}
	return isOpen
}
