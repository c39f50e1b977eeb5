// Package field reports invalid configuration fields, with their keys in manifests and checkpoints and what
// is allowed, and invalid examples.
package field

import (
	"cmp"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
)

// Error says what is wrong with the value of a field.
type Error struct {
	Key     string // as in the toml tag of the struct: "prior_var"; of a nested one "model.prior_var"
	Problem string // what is wrong, and what is allowed
	Field   string // its name in Go, such as "PriorVar" or "Paper.OnIndefinite", for the error of a Go program
}

func (e *Error) Error() string { return cmp.Or(e.Field, e.Key) + ": " + e.Problem }

// Errorf returns the [*Error] of a field.
func Errorf(key, format string, args ...any) error {
	return &Error{Key: key, Problem: fmt.Sprintf(format, args...)}
}

// Refuse returns an error that says what is allowed, if refused.
func Refuse(refused bool, key, allowed string) error {
	if !refused {
		return nil
	}
	return Errorf(key, "not allowed; allowed: %s", allowed)
}

// InGo adds to an [*Error] the Go name of the field of config with its key.
func InGo(err error, config any) error {
	if e, ok := err.(*Error); ok {
		e.Field = name(reflect.TypeOf(config), e.Key)
	}
	return err
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

// Positive returns an error unless x is positive and finite.
func Positive(key string, x float64) error {
	if !(x > 0) || math.IsInf(x, 1) {
		return Errorf(key, "%g is not allowed; allowed: a number > 0", x)
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
func AllWithin[T int | float64](key string, all []T, lo, hi T) (err error) {
	for _, x := range all {
		err = cmp.Or(err, Within(key, x, lo, hi))
	}
	return err
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
func AllOneOf[T ~string](key string, all []T, allowed ...T) (err error) {
	for _, x := range all {
		err = cmp.Or(err, OneOf(key, x, allowed...))
	}
	return err
}

// Distinct returns an error if a value comes twice.
func Distinct[T comparable](key string, values []T) error {
	for i, x := range values {
		if slices.Contains(values[:i], x) {
			return Errorf(key, "%v comes twice; allowed: each once", x)
		}
	}
	return nil
}

// Input returns an error unless x has so many numbers, all finite.
func Input(x []float64, inputs int) error {
	if len(x) != inputs {
		return fmt.Errorf("input of length %d; need %d numbers", len(x), inputs)
	}
	for i, v := range x {
		if !(math.Abs(v) <= math.MaxFloat64) {
			return fmt.Errorf("input %d is %g; need a finite number", i, v)
		}
	}
	return nil
}

// Class returns an error unless the class is one of 0 to classes−1.
func Class(class, classes int) error {
	if class < 0 || class >= classes {
		return fmt.Errorf("class %d; need one of 0 to %d", class, classes-1)
	}
	return nil
}

// Resolve fills in the defaults of the struct that config points to, by tags such as `toml:"rate"
// default:"0.2" range:"0 0.99"`. It returns the [*Error] of the first number out of range, or the error of
// the method Validate, if any. A zero without a default counts as not given.
func Resolve(config any) error {
	if err := resolve(reflect.ValueOf(config).Elem()); err != nil {
		return err
	}
	if v, ok := config.(interface{ Validate() error }); ok {
		return v.Validate()
	}
	return nil
}

func resolve(s reflect.Value) error {
	for i := range s.NumField() {
		f, t := s.Field(i), s.Type().Field(i)
		if t.Anonymous && f.Kind() == reflect.Struct {
			if err := resolve(f); err != nil {
				return err
			}
		}
		if text := t.Tag.Get("default"); text != "" && f.IsZero() {
			_, _ = fmt.Sscan(text, f.Addr().Interface()) // the tags are tested
		}
		if allowed := t.Tag.Get("range"); allowed != "" && !f.IsZero() {
			var low, high float64
			_, _ = fmt.Sscan(allowed, &low, &high)
			if x := f.Convert(reflect.TypeFor[float64]()).Float(); !(low <= x && x <= high) {
				key, _, _ := strings.Cut(t.Tag.Get("toml"), ",")
				allowed = strings.Replace(allowed, " ", " to ", 1)
				return Errorf(key, "%v is not allowed; allowed: %s", x, allowed)
			}
		}
	}
	return nil
}
