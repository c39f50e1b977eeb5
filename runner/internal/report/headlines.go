package report

import (
	"html"
	"html/template"
	"regexp"
	"strings"

	"closedform/runner/internal/quote"
)

// headline is a passage of a text, and where its numbers are from.
type headline struct {
	Text    template.HTML
	Sources []source
}

type source struct{ Number, Experiment, Table, Rows, Column string }

var (
	passages = regexp.MustCompile(`\n(?:\s*\n|- )`)
	code     = regexp.MustCompile("`([^`]+)`")
	links    = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`)
	stress   = regexp.MustCompile(`\*([^*]+)\*`)

	intervalEnd = regexp.MustCompile(`_(low|high)$`)
)

// headlines returns the passages of the text that quote numbers, with the numbers as
// the tables have them now. The ends of an interval have no source of their own.
func (p *Page) headlines() (found []headline) {
	results := quote.Open(p.Results)
	for _, passage := range passages.Split(p.Text, -1) {
		var h headline
		text := html.EscapeString(quote.Replace(strings.TrimPrefix(passage, "- "), func(q quote.Quote) string {
			number, err := q.Now(results)
			if err != nil {
				number = "(not computed)"
			}
			if intervalEnd.MatchString(q.Column) {
				return number + q.Unit
			}
			experiment, table, _ := strings.Cut(q.From, "/")
			h.Sources = append(h.Sources, source{number, experiment, table, q.Row, q.Column})
			return "\x01" + number + q.Unit + "\x02"
		}))
		if h.Sources == nil {
			continue
		}
		text = code.ReplaceAllString(stress.ReplaceAllString(links.ReplaceAllString(text, "$1"), "<em>$1</em>"), "<code>$1</code>")
		h.Text = template.HTML(strings.NewReplacer("\x01", "<strong>", "\x02", "</strong>").Replace(text))
		found = append(found, h)
	}
	return found
}
