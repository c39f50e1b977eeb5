package quote

import (
	"regexp"
	"strconv"
	"strings"
)

// Quote is a number in a Markdown text, with a comment that says which field it is of:
//
//	2.42 %<!--rivals/summary method=closed-form error 100-->
type Quote struct {
	Number, Unit string // as they stand there
	Source
}

var quotes = regexp.MustCompile(`([-−+]?[0-9]+(?:\.[0-9]+)?)([^0-9<]{0,6})<!--(\S+?/\S+)((?: \S+=\S+)*) (\w+)(?: ([0-9.]+))?-->`)

// Replace returns the text with each quote replaced.
func Replace(text string, by func(Quote) string) string {
	return quotes.ReplaceAllStringFunc(text, func(match string) string {
		q := quotes.FindStringSubmatch(match)
		factor, _ := strconv.ParseFloat(q[6], 64) // 0, which is 1, if there is none
		return by(Quote{q[1], q[2], Source{q[3], strings.TrimSpace(q[4]), q[5], factor}})
	})
}

// Now returns what the number is by the tables, with as many decimals as it has.
func (q Quote) Now(r *Results) (string, error) {
	x, err := r.Number(q.Source)
	_, decimals, _ := strings.Cut(q.Number, ".")
	return strings.Replace(strconv.FormatFloat(x, 'f', len(decimals), 64), "-", "−", 1), err
}
