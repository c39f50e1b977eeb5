// Package probit has the λ of a probit as manifests write it: a number or a word.
package probit

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"closedform/core/softmax"
)

// Lambda is the slope λ of the probit approximation: a number, or one of [softmax.Criteria], whose value
// depends on the number of classes and ρ.
type Lambda struct {
	Number float64 // > 0 where Word is empty
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
	if slices.Contains(softmax.Criteria, l.Word) || 1e-30 <= l.Number && l.Number <= 1e30 {
		return nil
	}
	return fmt.Errorf("%v is not allowed; allowed: a number > 0, or one of the words %q", v, softmax.Criteria)
}

// MarshalTOML writes the number or the word.
func (l Lambda) MarshalTOML() ([]byte, error) {
	if l.Word != "" {
		return strconv.AppendQuote(nil, l.Word), nil
	}
	return []byte(l.String()), nil
}

// String returns the word or the number.
func (l Lambda) String() string {
	return cmp.Or(l.Word, strconv.FormatFloat(l.Number, 'g', -1, 64))
}

var found sync.Map // for a word, n and ρ: the function that finds λ when it is first called

// Value returns λ for n classes and correlation ρ. Finding that of a word may take long.
func (l Lambda) Value(n int, rho float64) float64 {
	if l.Word == "" {
		return l.Number
	}
	find := sync.OnceValue(func() float64 { return softmax.FitLambda(l.Word, n, rho) })
	known, _ := found.LoadOrStore([3]any{l.Word, n, rho}, find)
	return known.(func() float64)()
}
