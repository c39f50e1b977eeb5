package manifest

import (
	"fmt"
	"strings"
)

// The kinds of value that more than one key has.
var (
	anyNumber   = number("a finite number", func(float64) bool { return true })
	positive    = number("a finite number > 0", func(x float64) bool { return x > 0 })
	nonNegative = number("a finite number ≥ 0", func(x float64) bool { return x >= 0 })
	fraction    = number("a number ≥ 0 and < 1", func(x float64) bool { return 0 <= x && x < 1 })
	scale       = number(fmt.Sprintf("0 or a number ≥ %g and ≤ %g", minScale, maxScale), func(x float64) bool {
		return x == 0 || minScale <= x && x <= maxScale
	})

	seed    = integer(0, maxSeed)
	draws   = integer(1, maxDraws)
	samples = integer(2, maxSamples)
	grid    = integer(2, maxGrid)

	classes = span("2..10", 2, maxClasses, maxClasses)
	lambdas = swept(lambda)
	rhos    = swept(fraction)

	name = scalar(fmt.Sprintf("a name of 1 to %d characters a-z, 0-9, _, -", maxName), func(v any) (string, bool) {
		s, ok := v.(string)
		return s, ok && isName(s)
	})

	text = scalar(fmt.Sprintf("a line of 1 to %d bytes of printable text", maxText), func(v any) (string, bool) {
		s, ok := v.(string)
		return s, ok && s != "" && len(s) <= maxText && s == oneLine(s)
	})

	boolean = scalar("true or false", func(v any) (bool, bool) {
		b, ok := v.(bool)
		return b, ok
	})
)

func isName(s string) bool {
	return s != "" && len(s) <= maxName && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789_-") == ""
}
