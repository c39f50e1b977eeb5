package report

import (
	"fmt"
	"html"
	"html/template"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"closedform/runner/internal/table"
)

// headline is a passage with numbers, which are those of tables.
type headline struct {
	Text    template.HTML
	Sources []source
}

// source says where a number is from.
type source struct{ Number, Experiment, Table, Rows, Column string }

var (
	passages = regexp.MustCompile(`\n(?:\s*\n|- )`)
	// quoted is a number of a text and, as a comment, the table, row, column and
	// factor that it is of; a test of the README's numbers has the same.
	quoted = regexp.MustCompile(`([-−+]?[0-9]+(?:\.[0-9]+)?)([^0-9<]{0,6})<!--(\S+)((?: \S+=\S+)*) (\w+)(?: ([0-9.]+))?-->`)
	inline = []struct {
		markdown *regexp.Regexp
		html     string
	}{
		{regexp.MustCompile("`([^`]+)`"), "<code>$1</code>"},
		{regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`), "$1"},
		{regexp.MustCompile(`\*([^*]+)\*`), "<em>$1</em>"},
	}
)

// headlines returns the passages of a text that quote numbers, with the numbers as
// the tables have them now.
func headlines(text string, read func(name string) (*table.Table, error)) (found []headline) {
	for _, passage := range passages.Split(text, -1) {
		matches := quoted.FindAllStringSubmatchIndex(passage, -1)
		if matches == nil {
			continue
		}
		var h headline
		end := 0
		for _, m := range matches {
			group := func(i int) string { return passage[max(m[2*i], 0):max(m[2*i+1], 0)] }
			s := source{Rows: strings.TrimSpace(group(4)), Column: group(5)}
			s.Experiment, s.Table, _ = strings.Cut(group(3), "/")
			t, err := read(group(3))
			if err == nil {
				s.Number, err = lookUp(t, strings.Fields(group(4)), group(5), group(6), group(1))
			}
			if err != nil {
				s.Number = "(not computed)"
			}
			h.Text += markdown(passage[end:m[0]]) + template.HTML("<strong>"+html.EscapeString(s.Number+group(2))+"</strong>")
			h.Sources = append(h.Sources, s)
			end = m[1]
		}
		h.Text += markdown(passage[end:])
		found = append(found, h)
	}
	return found
}

// lookUp returns a number of a table, rounded like another.
func lookUp(t *table.Table, where []string, column, factor, like string) (string, error) {
	rows := make([]bool, t.Len())
	for i := range rows {
		rows[i] = true
	}
	for _, w := range where {
		key, value, _ := strings.Cut(w, "=")
		if !t.Has(key) {
			return "", fmt.Errorf("no column %s", key)
		}
		for i, text := range t.Texts(key) {
			rows[i] = rows[i] && text == value
		}
	}
	at := slices.Index(rows, true)
	if !t.Has(column) || at < 0 {
		return "", fmt.Errorf("no column %s, or no row %s", column, strings.Join(where, " "))
	}
	x, err := strconv.ParseFloat(t.Texts(column)[at], 64)
	if factor != "" {
		k, _ := strconv.ParseFloat(factor, 64) // the expression has seen to it
		x *= k
	}
	_, decimals, _ := strings.Cut(like, ".")
	return strings.Replace(strconv.FormatFloat(x, 'f', len(decimals), 64), "-", "−", 1), err
}

// markdown returns HTML for a piece of a sentence.
func markdown(text string) template.HTML {
	text = html.EscapeString(strings.TrimPrefix(text, "- "))
	for _, i := range inline {
		text = i.markdown.ReplaceAllString(text, i.html)
	}
	return template.HTML(text)
}
