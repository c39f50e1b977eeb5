package table

import (
	"fmt"
	"math"
	"slices"
)

// Pivot says how [Table.Pivot] arranges numbers for readers.
type Pivot struct {
	Title, Value, Format string   // what the numbers are, their column, and their format, such as "%.3f"
	Rows, Across         []string // columns of the table: each combination of their values is a row, or a column
	Lowest               bool     // the lowest number of each column, if finite, is between "**" and "**"
}

// Pivot returns texts: first the title and the names of the columns, then the name of each row and its
// numbers, "" where the table has none. Rows and columns are in the order of their appearance.
func (t *Table) Pivot(p Pivot) [][]string {
	rows, across := t.combined(p.Rows), t.combined(p.Across)
	header, cells, names := []string{p.Title}, map[[2]string]string{}, []string(nil)
	least := map[string]float64{} // by column
	for i, x := range t.Nums(p.Value) {
		if !slices.Contains(names, rows[i]) {
			names = append(names, rows[i])
		}
		column := across[i]
		if _, known := least[column]; !known {
			header, least[column] = append(header, column), math.Inf(1)
		}
		if !math.IsNaN(x) {
			cells[[2]string{rows[i], column}], least[column] = fmt.Sprintf(p.Format, x), min(least[column], x)
		}
	}
	texts := [][]string{header}
	for _, name := range names {
		row := []string{name}
		for _, column := range header[1:] {
			text := cells[[2]string{name, column}]
			if x := least[column]; p.Lowest && !math.IsInf(x, 1) && text == fmt.Sprintf(p.Format, x) {
				text = "**" + text + "**"
			}
			row = append(row, text)
		}
		texts = append(texts, row)
	}
	return texts
}

// combined returns, for each row, the values of the columns, numbers with the name of the column.
func (t *Table) combined(columns []string) []string {
	texts := make([]string, t.Len())
	for k, column := range columns {
		for i, text := range t.Texts(column) {
			if k > 0 {
				texts[i] += ", "
			}
			if t.column(column).Kind != Words {
				text = column + " = " + text
			}
			texts[i] += text
		}
	}
	return texts
}
