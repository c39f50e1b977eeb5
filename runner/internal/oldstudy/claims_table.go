package study

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"closedform/runner/internal/manifest"
	"closedform/runner/internal/metric"
	store "closedform/runner/internal/oldstore"
)

// published is a table of another experiment. Unlike a frame it is not our own: what
// it lacks is an error.
type published struct {
	*store.Table
	path string // experiment and file
}

func readPublished(path string, data []byte) (published, error) {
	all, err := csv.NewReader(bytes.NewReader(data)).ReadAll()
	if err != nil {
		return published{}, fmt.Errorf("%s: %w", path, err)
	}
	if len(all) == 0 {
		return published{}, fmt.Errorf("%s is empty", path)
	}
	return published{&store.Table{Header: all[0], Rows: all[1:]}, path}, nil
}

func (p published) column(key, name string) (int, error) {
	i := slices.Index(p.Header, name)
	if i < 0 {
		return 0, fmt.Errorf("%s = %q: %s has no such column; allowed: %s", key, name, p.path, strings.Join(p.Header, ", "))
	}
	return i, nil
}

// where returns the rows that all filters, the value of a key, take.
func (p published) where(key string, filters []manifest.Filter) (published, error) {
	rows := p.Rows
	for _, f := range filters {
		c, err := p.column(key, f.Column)
		if err != nil {
			return published{}, err
		}
		left := slices.DeleteFunc(slices.Clone(rows), func(row []string) bool { return row[c] != f.Text })
		if len(left) == 0 {
			return published{}, fmt.Errorf("%s: no row of %s has %v%s", key, p.path, f, among(rows, c))
		}
		rows = left
	}
	if len(rows) == 0 {
		return published{}, fmt.Errorf("%s has no rows", p.path)
	}
	return published{&store.Table{Header: p.Header, Rows: rows}, p.path}, nil
}

// among lists the different texts in a column, if they are few.
func among(rows [][]string, column int) string {
	var texts []string
	for _, row := range rows {
		if !slices.Contains(texts, row[column]) {
			texts = append(texts, row[column])
		}
		if len(texts) > 20 {
			return ""
		}
	}
	return "; allowed: " + strings.Join(texts, ", ")
}

// numbers returns the column that is the value of a key; an empty field is not a
// number.
func (p published) numbers(key, name string) ([]float64, error) {
	c, err := p.column(key, name)
	if err != nil {
		return nil, err
	}
	x := make([]float64, len(p.Rows))
	for i, row := range p.Rows {
		if row[c] == "" {
			x[i] = math.NaN()
			continue
		}
		if x[i], err = strconv.ParseFloat(row[c], 64); err != nil {
			return nil, fmt.Errorf("%s = %q: %s has %q there; allowed: numbers", key, name, p.path, row[c])
		}
	}
	return x, nil
}

// seeds returns the column of the seeds, which must differ.
func (p published) seeds(key string) ([]string, error) {
	c, err := p.column("interval", "seed")
	if err != nil {
		return nil, err
	}
	var seeds []string
	for _, row := range p.Rows {
		if slices.Contains(seeds, row[c]) {
			return nil, fmt.Errorf("%s: more than one row of %s has seed %s; allowed: filters that leave one for each seed", key, p.path, row[c])
		}
		seeds = append(seeds, row[c])
	}
	return seeds, nil
}

// measure returns the number of a piece of evidence, its interval and the number of
// rows that it comes from.
func measure(e manifest.Evidence, table published) (value, low, high float64, n int, err error) {
	fail := func(err error) (float64, float64, float64, int, error) { return 0, 0, 0, 0, err }
	rows, err := table.where("rows", e.Rows)
	if err != nil {
		return fail(err)
	}
	x, err := rows.numbers("value", e.Value)
	if err != nil {
		return fail(err)
	}
	if e.Low != "" || e.SE != "" {
		value, low, high, err = rows.stated(e, x)
		return value, low, high, 1, err
	}
	if e.Interval == "t" || len(e.Minus) > 0 {
		seeds, err := rows.seeds("rows")
		if err != nil {
			return fail(err)
		}
		if len(e.Minus) > 0 {
			if err := table.subtract(e, x, seeds); err != nil {
				return fail(err)
			}
		}
	}
	if e.Interval == "range" {
		value, _, _ = metric.Interval(x)
		if math.IsNaN(value) {
			return value, value, value, len(x), nil
		}
		// The mean of equal numbers may be rounded away from them.
		low, high = slices.Min(x), slices.Max(x)
		return min(max(value, low), high), low, high, len(x), nil
	}
	value, low, high = metric.Interval(x)
	return value, low, high, len(x), nil
}

// stated returns the only number and the interval that the table gives for it: low
// and high, or 1.96 standard errors to each side.
func (p published) stated(e manifest.Evidence, x []float64) (value, low, high float64, err error) {
	if len(x) != 1 {
		return 0, 0, 0, fmt.Errorf("rows: %d rows of %s; allowed: one, where low and high, or se, give the interval", len(x), p.path)
	}
	if e.SE != "" {
		se, err := p.numbers("se", e.SE)
		if err != nil {
			return 0, 0, 0, err
		}
		return x[0], x[0] - 1.96*se[0], x[0] + 1.96*se[0], nil
	}
	l, err := p.numbers("low", e.Low)
	if err != nil {
		return 0, 0, 0, err
	}
	h, err := p.numbers("high", e.High)
	if err != nil {
		return 0, 0, 0, err
	}
	return x[0], l[0], h[0], nil
}

// subtract takes from each x, whose seeds are given, the number of the same seed in
// the rows of Minus.
func (p published) subtract(e manifest.Evidence, x []float64, seeds []string) error {
	filters := slices.DeleteFunc(slices.Clone(e.Rows), func(f manifest.Filter) bool {
		return slices.ContainsFunc(e.Minus, func(o manifest.Filter) bool { return o.Column == f.Column })
	})
	rows, err := p.where("minus", append(filters, e.Minus...))
	if err != nil {
		return err
	}
	other, err := rows.seeds("minus")
	if err != nil {
		return err
	}
	y, err := rows.numbers("value", e.Value)
	if err != nil {
		return err
	}
	if len(other) != len(seeds) {
		return fmt.Errorf("minus: %d seeds in %s, and %d to subtract from; allowed: the same seeds", len(other), p.path, len(seeds))
	}
	for i, seed := range seeds {
		j := slices.Index(other, seed)
		if j < 0 {
			return fmt.Errorf("minus: no row of %s for seed %s; allowed: the same seeds", p.path, seed)
		}
		x[i] -= y[j]
	}
	return nil
}
