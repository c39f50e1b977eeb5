// Package field checks configurations and examples. The fields of a configuration are checked one by one, by
// their tags, and what must hold between them by its method Validate; manifests, checkpoints and Go programs
// get the same errors, which name the key and say what is allowed.
package field

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Error says what is wrong with the value of a field.
type Error struct {
	Key     string // name in the toml tag: "prior_var"; in a nested struct "model.prior_var"
	Field   string // Go name, such as "PriorVar" or "Paper.OnIndefinite", in errors for Go programs
	Value   any    // the value that is not allowed; nil: the value is missing
	Allowed string // what is allowed; empty if Problem says what is wrong
	Problem string
}

func (e *Error) Error() string { return cmp.Or(e.Field, e.Key) + ": " + e.What() }

// What returns the message without the key.
func (e *Error) What() string {
	switch {
	case e.Allowed == "":
		return e.Problem
	case e.Value == nil:
		return "missing; allowed: " + e.Allowed
	}
	return write(reflect.ValueOf(e.Value)) + " is not allowed; allowed: " + e.Allowed
}

// write returns a value as a manifest would have it.
func write(v reflect.Value) string {
	if v.Kind() == reflect.Interface {
		v = v.Elem()
	}
	if _, named := v.Interface().(fmt.Stringer); !named && v.Kind() == reflect.String {
		return fmt.Sprintf("%q", v)
	} else if v.Kind() == reflect.Slice {
		list := make([]string, v.Len())
		for i := range list {
			list[i] = write(v.Index(i))
		}
		return "[" + strings.Join(list, ", ") + "]"
	}
	return fmt.Sprint(v)
}

// Errorf returns the [*Error] of a field whose value is allowed by itself, but leads to a problem elsewhere.
func Errorf(key, format string, args ...any) error {
	return &Error{Key: key, Problem: fmt.Sprintf(format, args...)}
}

// Refuse returns an [*Error] if the value of a key is refused; nil if not.
func Refuse(refused bool, key string, value any, allowed string) error {
	if !refused {
		return nil
	}
	return &Error{Key: key, Value: value, Allowed: allowed}
}

// Among returns an error unless all values are allowed words.
func Among[T ~string](key string, allowed []T, values ...T) error {
	for _, x := range values {
		if !slices.Contains(allowed, x) {
			return Refuse(true, key, x, Quoted(Words(allowed...)))
		}
	}
	return nil
}

// Between returns an error unless low ≤ x ≤ high for all values x.
func Between[T int | float64](key string, low, high T, values ...T) error {
	for _, x := range values {
		if !(low <= x && x <= high) {
			return Refuse(true, key, x, fmt.Sprintf("%v to %v", low, high))
		}
	}
	return nil
}

// Words returns the words of an enumeration as strings, for its method Words.
func Words[T ~string](words ...T) []string {
	list := make([]string, len(words))
	for i, w := range words {
		list[i] = string(w)
	}
	return list
}

// Quoted returns a list of words as errors have it.
func Quoted(words []string) string { return `"` + strings.Join(words, `", "`) + `"` }

// Each applies f to every [*Error] that err is, wraps or joins, and returns the results joined.
func Each(err error, f func(e Error) error) error {
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		list := slices.Clone(joined.Unwrap())
		for i := range list {
			list[i] = Each(list[i], f)
		}
		return errors.Join(list...)
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return f(*e)
	}
	return err
}

// In puts a table before the keys of errors: rho becomes model.rho.
func In(table string, err error) error {
	return Each(err, func(e Error) error {
		e.Key = table + "." + e.Key
		return &e
	})
}

// InGo adds to errors the Go names of the fields of config with their keys.
func InGo(err error, config any) error {
	return Each(err, func(e Error) error {
		e.Field = name(reflect.TypeOf(config), e.Key)
		return &e
	})
}

func name(s reflect.Type, key string) string {
	for i := range s.NumField() {
		f := s.Field(i)
		if tag, _, _ := strings.Cut(f.Tag.Get("toml"), ","); tag == key || strings.EqualFold(f.Name, key) {
			return f.Name
		}
		if f.Type.Kind() == reflect.Struct {
			if nested := name(f.Type, key); nested != "" {
				return f.Name + "." + nested
			}
		}
	}
	return ""
}

// ExampleError says what is wrong with an example.
type ExampleError struct{ Problem string }

func (e *ExampleError) Error() string { return e.Problem }

// BadExample returns an [*ExampleError].
func BadExample(format string, args ...any) error { return &ExampleError{fmt.Sprintf(format, args...)} }

// Input returns an [*ExampleError] unless x has the length inputs, and all its numbers are finite.
func Input(x []float64, inputs int) error {
	if len(x) != inputs {
		return BadExample("input of length %d; need %d numbers", len(x), inputs)
	}
	for i, v := range x {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return BadExample("input %d is %g; need a finite number", i, v)
		}
	}
	return nil
}

// Class returns an [*ExampleError] unless the class is one of 0 to classes−1.
func Class(class, classes int) error {
	if class < 0 || class >= classes {
		return BadExample("class %d; need one of 0 to %d", class, classes-1)
	}
	return nil
}
