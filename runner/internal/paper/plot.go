package paper

import (
	"cmp"
	"fmt"
	"strings"

	"closedform/runner/internal/quote"
)

// plot is the data of a figure that LaTeX draws: columns of numbers for pgfplots, after the index of
// their series.
type plot struct {
	Name    string
	From    string   // EXPERIMENT/TABLE
	Row     string   // fields that all series share
	Rows    []string // the fields of each series
	Columns []string
}

// data returns the rows of all series under a header. A field without a value is nan.
func (p plot) data(results *quote.Results) (string, error) {
	b := new(strings.Builder)
	fmt.Fprintln(b, "series", strings.Join(p.Columns, " "))
	for series, fields := range p.Rows {
		rows, err := results.Rows(p.From, p.Row+" "+fields)
		if err != nil {
			return "", err
		}
		if rows.Len() == 0 {
			return "", fmt.Errorf("no row of %s has %q", p.From, p.Row+" "+fields)
		}
		texts := make([][]string, len(p.Columns))
		for i, name := range p.Columns {
			if !rows.Has(name) {
				return "", fmt.Errorf("%s has no column %q", p.From, name)
			}
			texts[i] = rows.Texts(name)
		}
		for r := range rows.Len() {
			fmt.Fprint(b, series)
			for _, column := range texts {
				fmt.Fprint(b, " ", cmp.Or(column[r], "nan"))
			}
			fmt.Fprintln(b)
		}
	}
	return b.String(), nil
}
