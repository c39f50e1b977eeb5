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

// Field is a field of a configuration with its key, the name in its toml tag. Its tags say what is allowed:
//
//	Draws  int       `toml:"draws" range:"1 1,000"`        a number from 1 to 1,000
//	Sense  string    `toml:"sense" words:"above below"`    one of two words
//	Order  []Order   `toml:"order" check:"distinct"`       words of the method Words of Order, each once
//	Passes []int     `toml:"passes" check:"increasing"`    integers, each larger than the one before
//	Grid   int       `toml:"grid" check:"required"`        a key that is given, unless it has a default
//	Rate   float64   `toml:"rate" default:"0.2"`           0 stands for 0.2
//
// Words and a range hold for each entry of a list. No number is NaN. A value that is 0 or empty counts as not
// given, and is allowed unless its key is required.
type Field struct {
	Key   string
	Tag   reflect.StructTag
	Value reflect.Value
}

// Fields returns the fields with a key of the struct that config points to, and of embedded structs.
func Fields(config any) (list []Field) {
	s := reflect.ValueOf(config).Elem()
	for i := range s.NumField() {
		f := s.Type().Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case f.Anonymous && key == "" && f.Type.Kind() == reflect.Struct:
			list = append(list, Fields(s.Field(i).Addr().Interface())...)
		case key != "" && key != "-":
			list = append(list, Field{key, f.Tag, s.Field(i)})
		}
	}
	return list
}

// Resolve fills in the defaults of the struct that config points to, and checks its fields. If all are
// allowed, it returns the error of the method Validate, if there is one.
func Resolve(config any) error {
	for _, f := range Fields(config) {
		if text := f.Tag.Get("default"); text != "" && f.Value.IsZero() {
			scan(text, f.Value.Addr().Interface())
		}
	}
	err := Check(config)
	if v, ok := config.(interface{ Validate() error }); ok && err == nil {
		return v.Validate()
	}
	return err
}

func scan(tag string, to ...any) {
	if _, err := fmt.Sscan(strings.ReplaceAll(tag, ",", ""), to...); err != nil {
		panic(fmt.Sprintf("field: tag %q: %v", tag, err))
	}
}

// Check returns the errors of the fields of the struct that config points to, one by one.
func Check(config any) error {
	var wrong []error
	for _, f := range Fields(config) {
		wrong = append(wrong, f.Check())
	}
	return errors.Join(wrong...)
}

// Has reports whether the tag check has a word.
func (f Field) Has(word string) bool { return strings.Contains(f.Tag.Get("check"), word) }

// Empty reports whether a value is 0, or a text or list without anything.
func Empty(v reflect.Value) bool { return v.IsZero() || v.Kind() == reflect.Slice && v.Len() == 0 }

// Check returns an error unless the value is allowed.
func (f Field) Check() error {
	v, list, found := f.Value, f.Value.Kind() == reflect.Slice, map[any]bool{}
	if Empty(v) && (list || v.Kind() == reflect.String || !f.Has("required")) {
		return Refuse(f.Has("required"), f.Key, v.Interface(), f.Allowed())
	}
	for i := 0; list && i < v.Len(); i++ {
		if f.Has("increasing") && i > 0 && v.Index(i).Int() <= v.Index(i-1).Int() {
			return Refuse(true, f.Key, v.Interface(), f.Allowed())
		} else if f.Has("distinct") {
			x := v.Index(i).Interface()
			if found[x] {
				return Errorf(f.Key, "%s twice is not allowed; allowed: each value once", write(v.Index(i)))
			}
			found[x] = true
		}
	}
	return f.check(v)
}

func (f Field) check(v reflect.Value) error {
	allowed := true
	switch v.Kind() {
	case reflect.Interface:
		return f.check(v.Elem())
	case reflect.Slice:
		for i := range v.Len() {
			if err := f.check(v.Index(i)); err != nil {
				return err
			}
		}
	case reflect.String:
		words := append(strings.Fields(f.Tag.Get("words")), wordsOf(v.Type())...)
		allowed = len(words) == 0 || slices.Contains(words, v.String())
	case reflect.Int, reflect.Float64:
		var low, high float64
		scan(cmp.Or(f.Tag.Get("range"), "-inf inf"), &low, &high)
		x := v.Convert(reflect.TypeFor[float64]()).Float()
		allowed = low <= x && x <= high
	}
	return Refuse(!allowed, f.Key, v.Interface(), f.Allowed())
}

// Allowed says what the tags and the type of the field allow.
func (f Field) Allowed() string {
	if t := f.Value.Type(); t.Kind() == reflect.Slice && describe(t.Elem()) == "a table" {
		return "at least one table headed [[" + f.Key + "]]"
	}
	return Allowed(f.Tag, describe(f.Value.Type()))
}

// Allowed says what tags allow of values such as "a list, each a number".
func Allowed(tag reflect.StructTag, values string) string {
	if strings.Contains(tag.Get("check"), "increasing") {
		values = strings.Replace(values, "a list", "an increasing list", 1)
	}
	if words := tag.Get("words"); words != "" {
		return strings.Replace(values, "a text", Quoted(strings.Fields(words)), 1)
	} else if limits := tag.Get("range"); limits != "" {
		limits = strings.Replace(limits, " ", " to ", 1)
		return strings.NewReplacer("a number", limits, "an integer", limits).Replace(values)
	}
	return values
}

func wordsOf(t reflect.Type) []string {
	if w, ok := reflect.Zero(t).Interface().(interface{ Words() []string }); ok {
		return w.Words()
	}
	return nil
}

var nouns = map[reflect.Kind]string{
	reflect.Bool: "true or false", reflect.String: "a text", reflect.Float64: "a number",
	reflect.Int: "an integer", reflect.Interface: "a value",
}

// describe says which values a type has, by its method Words or Allowed if it has one.
func describe(t reflect.Type) string {
	if a, ok := reflect.Zero(t).Interface().(interface{ Allowed() string }); ok {
		return a.Allowed()
	} else if words := wordsOf(t); words != nil {
		return Quoted(words)
	} else if t.Kind() == reflect.Slice {
		return "a list, each " + describe(t.Elem())
	}
	return cmp.Or(nouns[t.Kind()], "a table")
}
