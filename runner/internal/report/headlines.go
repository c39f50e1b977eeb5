package report

import (
	"html"
	"html/template"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"closedform/runner/internal/store"
)

// headline is a passage of a text, and where its numbers are from.
type headline struct {
	Text    template.HTML
	Sources []source
}

type source struct{ Number, Experiment, Table, Rows, Column string }

var (
	passages = regexp.MustCompile(`\n(?:\s*\n|- )`)
	// quoted is a number and its unit and, as a comment, the table, rows, column and
	// factor that it is of, as in the README.
	quoted = regexp.MustCompile(`[-−+]?[0-9]+(?:\.([0-9]+))?([^0-9<]{0,6})<!--(\S+?)/(\S+)((?: \S+=\S+)*) (\w+)(?: ([0-9.]+))?-->`)
	code   = regexp.MustCompile("`([^`]+)`")
	links  = regexp.MustCompile(`\[([^\]]+)\]\([^)]*\)`)
	stress = regexp.MustCompile(`\*([^*]+)\*`)
)

// headlines returns the passages of the text that quote numbers, with the numbers as
// the tables have them now.
func (p *Page) headlines() (found []headline) {
	for _, passage := range passages.Split(p.Text, -1) {
		var h headline
		text := html.EscapeString(quoted.ReplaceAllStringFunc(strings.TrimPrefix(passage, "- "), func(quote string) string {
			q := quoted.FindStringSubmatch(quote)
			s := source{p.number(q), q[3], q[4], strings.TrimSpace(q[5]), q[6]}
			h.Sources = append(h.Sources, s)
			return "\x01" + s.Number + q[2] + "\x02"
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

// number returns the number that is quoted, from its table, with as many decimals.
func (p *Page) number(q []string) string {
	const none = "(not computed)"
	data, err := os.ReadFile(filepath.Join(p.Results, q[3], q[4]+".csv"))
	if err != nil {
		return none
	}
	t, err := store.File{Name: q[4] + ".csv", Data: data}.Table()
	if err != nil || !t.Has(q[6]) {
		return none
	}
	for i, text := range t.Texts(q[6]) {
		other := slices.ContainsFunc(strings.Fields(q[5]), func(w string) bool { // another row
			key, value, _ := strings.Cut(w, "=")
			return !t.Has(key) || t.Texts(key)[i] != value
		})
		x, err := strconv.ParseFloat(text, 64)
		if other || err != nil {
			continue
		}
		if factor, err := strconv.ParseFloat(q[7], 64); err == nil {
			x *= factor
		}
		return strings.Replace(strconv.FormatFloat(x, 'f', len(q[1]), 64), "-", "−", 1)
	}
	return none
}
