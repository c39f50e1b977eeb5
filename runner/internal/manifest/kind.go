package manifest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kind is a kind of value: what is wanted, in the words of a message after
// "must be", and how it is read. read reports a value that is not of the kind.
type kind[T any] struct {
	want string
	read func(value) (T, bool)
}

// scalar returns a kind of value that convert accepts or not.
func scalar[T any](want string, convert func(any) (T, bool)) kind[T] {
	return kind[T]{want, func(v value) (T, bool) {
		x, ok := convert(v.v)
		if !ok {
			v.reject("must be " + want)
		}
		return x, ok
	}}
}

// integer is the kind of the integers from lo to hi.
func integer(lo, hi int) kind[int] {
	return scalar(fmt.Sprintf("an integer from %d to %d", lo, hi), func(v any) (int, bool) {
		n, ok := v.(int64)
		return int(n), ok && int64(lo) <= n && n <= int64(hi)
	})
}

// number is the kind of the finite numbers that ok accepts.
func number(want string, ok func(float64) bool) kind[float64] {
	return scalar(want, func(v any) (float64, bool) {
		x, isNumber := finite(v)
		return x, isNumber && ok(x)
	})
}

// finite returns the number v, unless it is none, or NaN or infinite.
func finite(v any) (float64, bool) {
	switch x := v.(type) {
	case int64:
		return float64(x), true
	case float64:
		return x, !math.IsNaN(x) && !math.IsInf(x, 0)
	}
	return 0, false
}

// word is the kind of strings that are one of words.
func word(words ...string) kind[string] {
	quoted := make([]string, len(words))
	for i, w := range words {
		quoted[i] = strconv.Quote(w)
	}
	return scalar(strings.Join(quoted, " or "), func(v any) (string, bool) {
		s, ok := v.(string)
		return s, ok && slices.Contains(words, s)
	})
}

// listOf is the kind of lists with lo to hi entries of one kind.
func listOf[T any](lo, hi int, entry kind[T]) kind[[]T] {
	want := fmt.Sprintf("a list of %d to %d entries, each %s", lo, hi, entry.want)
	return kind[[]T]{want, func(v value) ([]T, bool) {
		entries, ok := v.v.([]any)
		if !ok || len(entries) < lo || len(entries) > hi {
			return nil, v.reject("must be " + want)
		}
		var all []T
		for i, e := range entries {
			x, ok := entry.read(v.child(strconv.Itoa(i), strconv.Itoa(i+1), e))
			if !ok {
				return nil, false // One report for a list is enough.
			}
			all = append(all, x)
		}
		return all, true
	}}
}
