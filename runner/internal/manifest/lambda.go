package manifest

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Lambda is the slope λ of the probit approximation: a number, or a word for a
// value that follows from the number of classes and from ρ,
//
//	slope    matches the slope of the softmax at the origin
//	lsq      has the least mean square error over a box of logits
//	minimax  has the least largest error over it
type Lambda struct {
	Number float64 // 1e-30 … 1e30 where Word is empty
	Word   string  // "", or one of those above
}

var lambdaWords = []string{"slope", "lsq", "minimax"}

// lambda is the kind of λ.
var lambda = scalar(fmt.Sprintf("from %g to %g", minScale, maxScale)+` or one of the words "`+strings.Join(lambdaWords, `", "`)+`"`, func(v any) (Lambda, bool) {
	if s, ok := v.(string); ok {
		return Lambda{Word: s}, slices.Contains(lambdaWords, s)
	}
	x, ok := finite(v)
	return Lambda{Number: x}, ok && minScale <= x && x <= maxScale
})

// String returns the number in its shortest form, or the word.
func (l Lambda) String() string {
	if l.Word == "" {
		return shortest(l.Number)
	}
	return l.Word
}

// literal returns l as TOML.
func (l Lambda) literal() string {
	if l.Word == "" {
		return shortest(l.Number)
	}
	return strconv.Quote(l.Word)
}
