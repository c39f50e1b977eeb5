package manifest

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// literal returns v, a decoded value or a field of a Manifest, as TOML.
func literal(v any) string {
	switch v := v.(type) {
	case string:
		return strconv.Quote(v)
	case float64:
		return shortest(v)
	case Lambda:
		return v.literal()
	case Interval:
		return literal([]float64{v.Low, v.High})
	case time.Time:
		return v.Format(time.RFC3339Nano)
	case []any:
		return list(v)
	case []int:
		return list(v)
	case []float64:
		return list(v)
	case [][]float64:
		return list(v)
	case []string:
		return list(v)
	case []Lambda:
		return list(v)
	case map[string]any, []map[string]any:
		return "{…}"
	}
	return fmt.Sprint(v) // integers and booleans
}

// literalOf is literal for the values of one type.
func literalOf[T any](v T) string { return literal(v) }

func list[T any](entries []T) string {
	var b strings.Builder
	b.WriteByte('[')
	for i, e := range entries {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(literal(e))
	}
	b.WriteByte(']')
	return b.String()
}

// shortest returns the shortest decimal that reads back as x, as TOML spells
// numbers that are whole or not finite.
func shortest(x float64) string {
	s := strings.ToLower(strconv.FormatFloat(x, 'g', -1, 64))
	if strings.Trim(s, "-0123456789") == "" {
		s += ".0"
	}
	return s
}

// spanLiteral returns integers as a range, if they are one, or as a list.
func spanLiteral(all []int) string {
	for i, n := range all {
		if n != all[0]+i {
			return literal(all)
		}
	}
	if len(all) < 2 {
		return literal(all)
	}
	return fmt.Sprintf(`"%d..%d"`, all[0], all[len(all)-1])
}

// keyLiteral returns a key as TOML, quoted only where it must be.
func keyLiteral(key string) string {
	plain := func(c rune) bool {
		return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '-'
	}
	if key != "" && strings.TrimFunc(key, plain) == "" {
		return key
	}
	return strconv.Quote(key)
}

// shown is the number of characters of a value that a message shows.
const shown = 80

// limited returns s, or its beginning if it has more than most characters.
func limited(s string, most int) string {
	n := 0
	for i := range s {
		if n == most {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

// oneLine returns s with what cannot be printed, line ends above all, escaped.
func oneLine(s string) string {
	var b strings.Builder
	for _, c := range s {
		if unicode.IsPrint(c) {
			b.WriteRune(c)
		} else {
			b.WriteString(strings.Trim(strconv.QuoteRune(c), "'"))
		}
	}
	return b.String()
}

// nearest returns the word that differs from s by the fewest single-letter
// changes, if they are at most two and fewer than s has letters.
func nearest(s string, words []string) string {
	best, fewest := "", min(3, len(s))
	for _, w := range words {
		if max(len(s)-len(w), len(w)-len(s)) >= fewest {
			continue
		}
		if d := distance(s, w); d < fewest {
			best, fewest = w, d
		}
	}
	return best
}

// distance returns the Levenshtein distance of a and b, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
