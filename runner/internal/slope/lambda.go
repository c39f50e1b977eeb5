// Package slope has the slope λ of the probit as manifests write it: a number, or the word of a criterion by
// which λ is fitted to the softmax.
package slope

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"closedform/internal/field"
)

// Criteria are the words for a λ, see [Lambda.Value].
var Criteria = []string{"slope", "lsq", "minimax"}

// Lambda is a number, or one of [Criteria], whose λ depends on the number of classes and the correlation ρ.
type Lambda struct {
	Number float64 // the number λ > 0; not used if there is a Word
	Word   string
}

// UnmarshalTOML reads a number or a word.
func (l *Lambda) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case string:
		*l = Lambda{Word: v}
	case int64:
		*l = Lambda{Number: float64(v)}
	case float64:
		*l = Lambda{Number: v}
	}
	if slices.Contains(Criteria, l.Word) || 1e-30 <= l.Number && l.Number <= 1e30 {
		return nil
	}
	return fmt.Errorf("%v is not %s", v, l.Allowed())
}

// Allowed says what manifests may have.
func (Lambda) Allowed() string { return "a number > 0, " + field.Quoted(Criteria) }

// MarshalTOML writes the number or the word.
func (l Lambda) MarshalTOML() ([]byte, error) {
	if l.Word != "" {
		return strconv.AppendQuote(nil, l.Word), nil
	}
	return []byte(l.String()), nil
}

// String returns the word, or the number as TOML spells it, with a decimal point or an exponent.
func (l Lambda) String() string {
	number := strconv.FormatFloat(l.Number, 'g', -1, 64)
	if strings.Trim(number, "-0123456789") == "" {
		number += ".0"
	}
	return cmp.Or(l.Word, number)
}

var fitted sync.Map // maps a word, n and ρ to a function whose first call fits λ

// Value returns the number, or the λ of a probit with correlation ρ whose probabilities are closest to the
// softmax of n logits without variance, over the box [−3, 3]ⁿ, where the odds of two classes are at most e⁶.
// The criterion slope matches the slope of the softmax at the origin, whatever the box; lsq minimises the
// root mean square error; minimax minimises the largest error. Far from ρ = ½ the largest error is at the
// origin and does not depend on λ: several λ are best, and Value returns one of them. A fit takes up to some
// seconds. Value panics unless n ≥ 2 and 0 ≤ ρ < 1, and for any other word.
func (l Lambda) Value(n int, rho float64) float64 {
	if l.Word == "" {
		return l.Number
	}
	once := sync.OnceValue(func() float64 { return fit(l.Word, n, rho) })
	known, _ := fitted.LoadOrStore([3]any{l.Word, n, rho}, once)
	return known.(func() float64)()
}
