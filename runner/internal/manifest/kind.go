package manifest

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// kind is a kind of value.
type kind[T any] struct {
	want     string                // what is wanted, in the words of a message after "must be"
	read     func(value) (T, bool) // reports a value that is not of the kind
	write    func(T) string        // as TOML; "" for a value that is said by leaving the key out
	fallback *T                    // the value without the key; nil if the key is required
}

// or returns the kind with a default: x is the value without the key.
func (k kind[T]) or(x T) kind[T] {
	k.fallback = &x
	return k
}

// orNone returns a kind of lists whose key may be left out, and is left out
// when written, for the empty list.
func orNone[T any](k kind[[]T]) kind[[]T] {
	write := k.write
	k.write = func(x []T) string {
		if len(x) == 0 {
			return ""
		}
		return write(x)
	}
	return k.or(nil)
}

// orZero returns a kind whose key may be left out, and is left out when written,
// for zero or the empty string.
func orZero[T int | float64 | string](k kind[T]) kind[T] {
	var zero T
	write := k.write
	k.write = func(x T) string {
		if x == zero {
			return ""
		}
		return write(x)
	}
	return k.or(zero)
}

// scalar returns a kind of value that convert accepts or not.
func scalar[T any](want string, convert func(any) (T, bool)) kind[T] {
	return kind[T]{
		want: want,
		read: func(v value) (T, bool) {
			x, ok := convert(v.v)
			if !ok {
				v.reject("must be " + want)
			}
			return x, ok
		},
		write: literalOf[T],
	}
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

// within is the kind of the numbers from lo to hi.
func within(lo, hi float64) kind[float64] {
	return number(fmt.Sprintf("a number ≥ %g and ≤ %g", lo, hi), func(x float64) bool { return lo <= x && x <= hi })
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
	return kind[[]T]{want: want, write: literalOf[[]T], read: func(v value) ([]T, bool) {
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

// distinct is the kind of those lists whose entries differ.
func distinct[T comparable](list kind[[]T]) kind[[]T] {
	read := list.read
	list.read = func(v value) ([]T, bool) {
		all, ok := read(v)
		seen := make(map[T]bool, len(all))
		for _, x := range all {
			if seen[x] {
				return nil, v.reject(fmt.Sprintf("%v is there twice; allowed: values that differ", x))
			}
			seen[x] = true
		}
		return all, ok
	}
	return list
}

// swept is the kind of lists of the different values that a key takes.
func swept[T comparable](entry kind[T]) kind[[]T] { return distinct(listOf(1, maxSwept, entry)) }

// span is the kind of lists of at most most different integers from lo to hi,
// which may be written as a range like the example.
func span(example string, lo, hi, most int) kind[[]int] {
	list := distinct(listOf(1, most, integer(lo, hi)))
	aRange := fmt.Sprintf("a range such as %q", example)
	list.want = aRange + " or " + list.want
	readList := list.read
	list.read = func(v value) ([]int, bool) {
		switch s := v.v.(type) {
		case []any:
			return readList(v)
		case string:
			first, last, ok := cutRange(s)
			switch {
			case !ok || min(first, last) < lo || max(first, last) > hi:
				return nil, v.reject(fmt.Sprintf("must be %s of integers from %d to %d", aRange, lo, hi))
			case first > last:
				return nil, v.reject("the range is empty; allowed: first ≤ last")
			case last-first >= most:
				return nil, v.reject(fmt.Sprintf("%d values; allowed: at most %d", last-first+1, most))
			}
			all := make([]int, last-first+1)
			for i := range all {
				all[i] = first + i
			}
			return all, true
		}
		return nil, v.reject("must be " + list.want)
	}
	list.write = spanLiteral
	return list
}

// cutRange reads "first..last".
func cutRange(s string) (first, last int, ok bool) {
	before, after, _ := strings.Cut(s, "..")
	a, err1 := strconv.ParseUint(before, 10, 31)
	b, err2 := strconv.ParseUint(after, 10, 31)
	return int(a), int(b), err1 == nil && err2 == nil
}

// Interval is an interval of numbers.
type Interval struct{ Low, High float64 }

// interval is the kind of intervals with ends from lo to hi.
func interval(lo, hi float64) kind[Interval] {
	return scalar(fmt.Sprintf("two numbers [low, high] with %g ≤ low < high ≤ %g", lo, hi), func(v any) (Interval, bool) {
		ends, isList := v.([]any)
		if !isList || len(ends) != 2 {
			return Interval{}, false
		}
		low, ok1 := finite(ends[0])
		high, ok2 := finite(ends[1])
		return Interval{low, high}, ok1 && ok2 && lo <= low && low < high && high <= hi
	})
}
