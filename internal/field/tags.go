package field

import (
	"cmp"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

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
