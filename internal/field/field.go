// Package field reports invalid configuration fields: the key of the field in manifests and
// checkpoints, the problem, and the allowed values.
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

// Error says what is wrong with the value of a field. Whoever has read the value
// from a file can add where it stands there.
type Error struct {
	Key     string // its word, as in the toml tag of the struct: "prior_var"; of a nested one "model.prior_var"
	Problem string // what is wrong, and what is allowed

	name string // what Error calls the key, if not empty
}

func (e *Error) Error() string { return cmp.Or(e.name, e.Key) + ": " + e.Problem }

// InGo returns err with the name of the Go field in place of its key: "PriorVar" for
// "prior_var", by the toml tags of the struct config. It returns another error than an
// [*Error], or one of a key that the struct does not have, as it is.
func InGo(config any, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	return &Error{e.Key, e.Problem, goName(reflect.TypeOf(config), e.Key)}
}

// goName returns the name of the field with the key, "Paper.OnIndefinite" in a nested struct.
func goName(t reflect.Type, key string) string {
	for i := range t.NumField() {
		f := t.Field(i)
		tag, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		if tag == key || tag == "" && strings.EqualFold(f.Name, key) {
			return f.Name
		}
		if tag == "" && f.Type.Kind() == reflect.Struct {
			if name := goName(f.Type, key); name != "" {
				return f.Name + "." + name
			}
		}
	}
	return ""
}

// Errorf returns the [*Error] of a field.
func Errorf(key, format string, args ...any) error {
	return &Error{Key: key, Problem: fmt.Sprintf(format, args...)}
}

// Positive returns an error unless x is positive and finite.
func Positive(key string, x float64) error {
	if !(x > 0) || math.IsInf(x, 1) {
		return Errorf(key, "%g is not allowed; allowed: a number > 0", x)
	}
	return nil
}

// NonNegative returns an error unless x is zero or positive, and finite.
func NonNegative(key string, x float64) error {
	if !(x >= 0) || math.IsInf(x, 1) {
		return Errorf(key, "%g is not allowed; allowed: a number ≥ 0", x)
	}
	return nil
}

// Fraction returns an error unless 0 ≤ x < 1.
func Fraction(key string, x float64) error {
	if !(0 <= x && x < 1) {
		return Errorf(key, "%g is not allowed; allowed: a number ≥ 0 and < 1", x)
	}
	return nil
}

// Within returns an error unless lo ≤ x ≤ hi.
func Within[T int | float64](key string, x, lo, hi T) error {
	if !(lo <= x && x <= hi) {
		return Errorf(key, "%v is not allowed; allowed: %v to %v", x, lo, hi)
	}
	return nil
}

// AllWithin returns an error unless lo ≤ x ≤ hi for all x.
func AllWithin[T int | float64](key string, all []T, lo, hi T) error {
	for _, x := range all {
		if err := Within(key, x, lo, hi); err != nil {
			return err
		}
	}
	return nil
}

// OneOf returns an error unless x is one of the allowed words.
func OneOf[T ~string](key string, x T, allowed ...T) error {
	if slices.Contains(allowed, x) {
		return nil
	}
	words := make([]string, len(allowed))
	for i, w := range allowed {
		words[i] = string(w)
	}
	return Errorf(key, "%q is not allowed; allowed: %s", x, strings.Join(words, ", "))
}

// AllOneOf returns an error unless all are allowed words.
func AllOneOf[T ~string](key string, all []T, allowed ...T) error {
	for _, x := range all {
		if err := OneOf(key, x, allowed...); err != nil {
			return err
		}
	}
	return nil
}
