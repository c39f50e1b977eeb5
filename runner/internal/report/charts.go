package report

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"

	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

// chart says how a table is drawn at first; the reader chooses anew.
type chart struct {
	Name  string   `json:"name"`
	Table string   `json:"table"`
	Keys  []string `json:"keys"`   // columns that tell the rows apart
	By    string   `json:"series"` // the key that has a curve for each value
	X     string   `json:"x"`
	Y     string   `json:"y"`
	LogX  bool     `json:"logx"`
	LogY  bool     `json:"logy"`
	Line  bool     `json:"line"` // points are joined, in the order of x
}

const (
	mostKeys   = 4
	mostSeries = 12
	mostPoints = 3000
)

// newChart returns how a table is drawn, if it has something to draw: methods, or
// curves. What is listed seed by seed has a summary, which is drawn instead.
func newChart(t *table.Table) (c chart, ok bool) {
	keys := keysOf(t)
	if t.Has("seed") || t.Len() < 3 || t.Len() > mostPoints || len(keys) > mostKeys {
		return c, false
	}
	c = chart{Name: t.Name, Table: t.Name, Keys: keys}
	for _, key := range keys {
		if isNumber(t, key) && len(t.Distinct(key)) > 2 && key != "method" {
			c.X, c.Line = key, true
		}
	}
	var words, numbers []string // keys that may have a curve for each value
	for _, key := range keys {
		switch {
		case key == c.X || len(t.Distinct(key)) > mostSeries && key != "method":
		case isNumber(t, key):
			numbers = append(numbers, key)
		default:
			words = append(words, key)
		}
	}
	found := measures(t, keys)
	c.By = first([]string{"method"}, slices.Concat(words, numbers))
	c.Y = first([]string{"error", "log_loss", "tv", "risk"}, found)
	switch {
	case c.By == "" || c.Y == "" || !c.Line && c.By != "method":
		return c, false
	case c.Line && isNumber(t, "seen"):
		c.X = "seen"
	case c.Line && isNumber(t, "coverage"):
		c.X = "coverage"
	case !c.Line && slices.Contains(found, "error") && slices.Contains(found, "log_loss"):
		c.X, c.Y = "error", "log_loss"
	case !c.Line:
		c.X = c.By
	}
	c.LogX, c.LogY = c.X != c.By && wide(t.Nums(c.X)), wide(t.Nums(c.Y))
	return c, true
}

// keysOf returns those of the first columns that tell all rows apart.
func keysOf(t *table.Table) (keys []string) {
	groups := 1
	for _, c := range t.Columns {
		if groups == t.Len() {
			break
		}
		if n := len(t.GroupBy(append(slices.Clone(keys), c.Name)...).All()); n > groups {
			keys, groups = append(keys, c.Name), n
		}
	}
	return keys
}

// measures returns the columns of numbers that are not keys, do not belong to
// another, and vary.
func measures(t *table.Table, keys []string) (names []string) {
	for _, c := range t.Columns {
		part := strings.HasSuffix(c.Name, "_low") || strings.HasSuffix(c.Name, "_high") || c.Name == "seen" || c.Name == "seeds"
		if c.Kind != table.Words && !slices.Contains(keys, c.Name) && !part && len(t.Distinct(c.Name)) > 1 {
			names = append(names, c.Name)
		}
	}
	return names
}

// first returns the first wanted name that is there, or the first that is there.
func first(wanted, there []string) string {
	for _, name := range append(wanted, there...) {
		if slices.Contains(there, name) {
			return name
		}
	}
	return ""
}

func isNumber(t *table.Table, column string) bool {
	return slices.ContainsFunc(t.Columns, func(c table.Column) bool { return c.Name == column && c.Kind != table.Words })
}

// wide reports whether positive numbers want a logarithmic axis.
func wide(values []float64) bool {
	low, high := math.Inf(1), 0.0
	for _, x := range values {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			low, high = min(low, x), max(high, x)
		}
	}
	return low > 0 && high >= 50*low
}

// pareto returns a table with the times of methods beside what they achieve, and how
// it is drawn, if the one table has times and the other has the keys of these.
func pareto(of, times *table.Table) (joined *table.Table, c chart, ok bool) {
	by := keysOf(times)
	lacks := func(key string) bool { return !of.Has(key) }
	if !store.Timed(times.Name) || store.Timed(of.Name) || !slices.Contains(by, "method") || slices.ContainsFunc(by, lacks) {
		return nil, c, false
	}
	at := map[string]int{}
	for i, id := range ids(times, by) {
		at[id] = i
	}
	joined = table.New(of.Name+"_"+times.Name, slices.Clone(of.Columns)...)
	x := ""
	for _, name := range slices.DeleteFunc(measures(times, by), of.Has) {
		column, values := table.Num(name, ""), times.Nums(name)
		for _, id := range ids(of, by) {
			i, there := at[id]
			column.Nums = append(column.Nums, math.NaN())
			if there {
				column.Nums[len(column.Nums)-1] = values[i]
			}
		}
		joined.Columns = append(joined.Columns, column)
		if !strings.Contains(x, "second") {
			x = name
		}
	}
	c, ok = newChart(joined)
	if !ok || x == "" {
		return nil, c, false
	}
	c.Y = first([]string{"error", "log_loss", "tv"}, measures(of, c.Keys))
	c.Name, c.X, c.Line, c.LogX, c.LogY = of.Name+" against "+times.Name, x, false, true, wide(joined.Nums(c.Y))
	return joined, c, true
}

// ids returns what stands for the keys in each row.
func ids(t *table.Table, keys []string) []string {
	rows := make([]string, t.Len())
	for _, key := range keys {
		for i, text := range t.Texts(key) {
			rows[i] += text + "\x00"
		}
	}
	return rows
}

// rounded returns a table as CSV with no more digits than a chart shows.
func rounded(t *table.Table) []byte {
	rows := make([][]string, t.Len()+1)
	for _, c := range t.Columns {
		rows[0] = append(rows[0], c.Name)
		for i, text := range t.Texts(c.Name) {
			if c.Kind != table.Words && text != "" {
				text = strconv.FormatFloat(c.Nums[i], 'g', 5, 64)
			}
			rows[i+1] = append(rows[i+1], text)
		}
	}
	var b bytes.Buffer
	csv.NewWriter(&b).WriteAll(rows) // writing to a bytes.Buffer cannot fail
	return b.Bytes()
}
