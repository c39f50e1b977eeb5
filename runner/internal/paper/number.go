package paper

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"closedform/runner/internal/quote"
)

// words is the format of a field of words.
const words = "%s"

// value is a number that was read, with its interval where there is one. An infinite one has none.
type value struct{ x, low, high float64 }

// read returns the value of a number: a field, or a statistic of all rows.
func (n number) read(results *quote.Results) (v value, err error) {
	if !formats.MatchString(n.Format) {
		return v, fmt.Errorf("format %q is not allowed; allowed: %%.Nf, %%.Ne and %%.Ng with a digit N, and %%s", n.Format)
	}
	if n.Column == "" || n.Of != "" {
		v.x, err = n.statistic(results)
		return v, err
	}
	field := func(suffix string) (x float64) {
		if err == nil {
			end := n.Source
			end.Column += suffix
			x, err = results.Number(end)
		}
		return x
	}
	if v.x = field(""); n.Interval && !math.IsInf(v.x, 0) {
		v.low, v.high = field("_low"), field("_high")
	}
	return v, err
}

// statistic returns what Of says of the column in all rows, or without a column how many rows there are.
func (n number) statistic(results *quote.Results) (float64, error) {
	rows, err := results.Rows(n.From, n.Row)
	switch {
	case err != nil:
		return 0, err
	case rows.Len() == 0:
		return 0, fmt.Errorf("no row of %s has %q", n.From, n.Row)
	case n.Column == "":
		return float64(rows.Len()), nil
	case !rows.Has(n.Column):
		return 0, fmt.Errorf("%s has no column %q", n.From, n.Column)
	}
	xs := rows.Nums(n.Column)
	slices.Sort(xs)
	count := func(counts func(x float64) bool) (n float64) {
		for _, x := range xs {
			if counts(x) {
				n++
			}
		}
		return n
	}
	switch n.Of {
	case "greatest":
		return xs[len(xs)-1] * cmp.Or(n.Factor, 1), nil
	case "median":
		return (xs[(len(xs)-1)/2] + xs[len(xs)/2]) / 2 * cmp.Or(n.Factor, 1), nil
	case "positive":
		return count(func(x float64) bool { return x > 0 }), nil
	case "infinite":
		return count(func(x float64) bool { return math.IsInf(x, 0) }), nil
	}
	return 0, fmt.Errorf("of %q is not allowed; allowed: greatest, median, positive, infinite", n.Of)
}

// tex returns the number as LaTeX, or a field of words.
func (n number) tex(results *quote.Results) (string, error) {
	if n.Format == words {
		text, err := results.Text(n.Source)
		return escape(text), err
	}
	v, err := n.read(results)
	if err != nil {
		return "", err
	}
	text := `\ensuremath{` + spell(n.Format, v.x) + "}"
	if n.Interval && !math.IsInf(v.x, 0) {
		text += fmt.Sprintf(` [\ensuremath{%s},~\ensuremath{%s}]`, spell(n.Format, v.low), spell(n.Format, v.high))
	}
	return text, nil
}

var formats = regexp.MustCompile(`^%\.[0-9][feg]$`)

// spell returns a number for LaTeX's mathematics: powers of ten for exponents, and small
// spaces between the thousands of five digits and more.
func spell(format string, x float64) string {
	if math.IsInf(x, 0) {
		return strings.TrimPrefix(strconv.FormatFloat(x, 'g', -1, 64)[:1]+`\infty`, "+")
	}
	text, exponent, ok := strings.Cut(fmt.Sprintf(format, x), "e")
	if ok {
		e, _ := strconv.Atoi(exponent) // it was just spelled
		return fmt.Sprintf(`%s \cdot 10^{%d}`, text, e)
	}
	if strings.Trim(text, "-0.") == "" {
		text = strings.TrimPrefix(text, "-") // what rounds to zero has no sign
	}
	whole, rest, _ := strings.Cut(text, ".")
	if len(whole) < 5 {
		return text
	}
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + `\,` + whole[i:]
	}
	return strings.TrimSuffix(whole+"."+rest, ".")
}

var escapes = strings.NewReplacer("&", `\&`, "%", `\%`, "#", `\#`, "_", `\_`, "λ", `$\lambda$`, "ρ", `$\rho$`, "Σ", `$\Sigma$`,
	"≤", `$\le$`, "≥", `$\ge$`, "×", `$\times$`, "−", "$-$")

// escape returns words for LaTeX. What stands between dollar signs is left as it is.
func escape(words string) string {
	parts := strings.Split(words, "$")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = escapes.Replace(parts[i])
	}
	return strings.Join(parts, "$")
}
