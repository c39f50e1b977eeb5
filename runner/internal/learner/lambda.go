package learner

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"closedform/runner/internal/lambdafit"
)

// Lambda is the slope λ of the probit approximation: a number, or a word for a
// value that follows from the number of classes and from ρ,
//
//	slope    matches the slope of the softmax at the origin
//	lsq      has the least mean square error over logits in [−3, 3]ⁿ
//	minimax  has the least largest error over them
type Lambda struct {
	Number float64 // > 0 where Word is empty
	Word   string
}

// LambdaWords are the words for values of λ.
var LambdaWords = lambdafit.Words

// UnmarshalTOML reads a number or a word.
func (l *Lambda) UnmarshalTOML(v any) error {
	switch v := v.(type) {
	case string:
		*l = Lambda{Word: v}
		if slices.Contains(LambdaWords, v) {
			return nil
		}
	case int64:
		*l = Lambda{Number: float64(v)}
	case float64:
		*l = Lambda{Number: v}
	}
	if 1e-30 <= l.Number && l.Number <= 1e30 {
		return nil
	}
	return fmt.Errorf("%v is not allowed; allowed: a number > 0, or one of the words %q", v, LambdaWords)
}

// MarshalTOML writes the number or the word.
func (l Lambda) MarshalTOML() ([]byte, error) {
	if l.Word != "" {
		return strconv.AppendQuote(nil, l.Word), nil
	}
	return []byte(spelled(l.Number)), nil
}

// String returns the word, or the number with a decimal point or an exponent.
func (l Lambda) String() string {
	if l.Word != "" {
		return l.Word
	}
	return spelled(l.Number)
}

// spelled returns the shortest decimal that reads back as x, as TOML spells it.
func spelled(x float64) string {
	s := strconv.FormatFloat(x, 'g', -1, 64)
	if strings.Trim(s, "-0123456789") == "" {
		s += ".0"
	}
	return s
}

// Value returns λ for n classes and the correlation ρ.
func (l Lambda) Value(n int, rho float64) float64 {
	if l.Word == "" {
		return l.Number
	}
	value, _ := found.LoadOrStore([3]any{l.Word, n, rho}, sync.OnceValue(func() float64 {
		return lambdafit.Box{Classes: n, Half: 3}.Fit(l.Word, rho).Lambda // the odds of two classes are at most e^6
	}))
	return value.(func() float64)()
}

// found has what returns the λ of a word, n and ρ, and finds it when it is first called, which may take long.
var found sync.Map
