package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/core/field"
)

// Validator reports what is not allowed in a struct, as a [*field.Error].
type Validator interface{ Validate() error }

// Extended is a table whose keys depend on one of its values: Extend returns a
// pointer to a struct that has the other keys.
type Extended interface {
	Extend(table map[string]any) (any, error)
}

// Defaulter is a table of a list that has defaults which are not zero.
type Defaulter interface{ SetDefaults() }

// decode decodes a table onto structs that together have all of its keys, and
// validates them from the innermost out. Of the fields
//
//	Model    Model     `toml:"model"`                    is a table
//	Variants []Variant `toml:"variant" inherit:"model"`  are tables that begin as a copy of another
//	Rest     []float64 `toml:"rest,omitempty"`           is not spelled out if it is empty
//
// what is no table is decoded by the TOML library, with UnmarshalTOML or
// UnmarshalText where the type has them. Embedded structs share the table.
func (m *Manifest) decode(path string, table map[string]any, structs ...any) error {
	known := map[string]bool{}
	open := false
	for i := 0; i < len(structs); i++ {
		if _, ok := structs[i].(*anyTable); ok {
			open = true
			continue
		}
		if e, ok := structs[i].(Extended); ok {
			extension, err := e.Extend(table)
			if err != nil {
				return m.locate(path, err)
			}
			structs = append(structs, extension)
		}
		for _, f := range fields(structs[i]) {
			known[f.key] = true
			value, ok := table[f.key]
			if !ok && f.isTable() {
				value = map[string]any{} // to be validated
			} else if !ok {
				continue
			}
			if err := m.decodeField(join(path, f.key), value, f, structs[i]); err != nil {
				return err
			}
		}
	}
	for key := range table {
		if !known[key] && !open {
			return m.unknown(path, key, known)
		}
	}
	for _, s := range structs {
		if v, ok := s.(Validator); ok {
			if err := v.Validate(); err != nil {
				return m.locate(path, err)
			}
		}
	}
	return nil
}

// decodeField decodes one value.
func (m *Manifest) decodeField(path string, value any, f tagged, parent any) error {
	switch v := value.(type) {
	case map[string]any:
		if f.isTable() {
			return m.decode(path, v, f.value.Addr().Interface())
		}
	case []map[string]any:
		if f.isList() {
			f.value.SetZero()
			seen := map[string]bool{}
			for i, element := range v {
				name := label(i, element)
				if seen[name] {
					return m.locate(join(path, name), field.Errorf("name", "one before it has this name; allowed: names that differ"))
				}
				seen[name] = true
				x := reflect.New(f.value.Type().Elem())
				if f.inherit != "" {
					for _, other := range fields(parent) {
						if other.key == f.inherit {
							inherit(x.Elem(), other.value)
						}
					}
				} else if d, ok := x.Interface().(Defaulter); ok {
					d.SetDefaults()
				}
				if err := m.decode(join(path, name), element, x.Interface()); err != nil {
					return err
				}
				f.value.Set(reflect.Append(f.value, x.Elem()))
			}
			return nil
		}
	}
	return m.locate("", decodeValue(path, value, f.value))
}

// inherit copies the base, or its embedded struct of that type.
func inherit(x, base reflect.Value) {
	if x.Type() == base.Type() {
		x.Set(base)
		return
	}
	for i := range x.NumField() {
		if x.Type().Field(i).Anonymous && x.Field(i).Type() == base.Type() {
			x.Field(i).Set(base)
		}
	}
}

// decodeValue lets the TOML library decode a value.
func decodeValue(path string, value any, to reflect.Value) error {
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(map[string]any{"x": value}); err != nil {
		return field.Errorf(path, "%v", err)
	}
	x := reflect.New(reflect.MapOf(reflect.TypeFor[string](), to.Type()))
	if _, err := toml.Decode(text.String(), x.Interface()); err != nil {
		if syntax := (toml.ParseError{}); errors.As(err, &syntax) {
			err = errors.New(syntax.Message)
		}
		problem := strings.TrimPrefix(strings.TrimSpace(text.String()), "x = ") + ": " + err.Error()
		if !strings.Contains(problem, "allowed") {
			problem += "; allowed: " + allowed(to.Type())
		}
		return field.Errorf(path, "%s", problem)
	}
	to.Set(x.Elem().MapIndex(reflect.ValueOf("x")))
	if to.Kind() == reflect.Slice && to.Len() == 0 {
		to.SetZero() // an empty list is none
	}
	return nil
}

// allowed names the values of a type.
func allowed(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "true or false"
	case reflect.String:
		return "a text in quotes"
	case reflect.Slice:
		return "a list, each " + allowed(t.Elem())
	case reflect.Float64:
		return "a number"
	case reflect.Int:
		return "an integer"
	case reflect.Struct:
		return "a table"
	}
	return t.String()
}

// tagged is a field of a struct.
type tagged struct {
	key, inherit string
	omitempty    bool
	value        reflect.Value
}

func (f tagged) isTable() bool {
	_, leaf := f.value.Addr().Interface().(toml.Unmarshaler)
	return f.value.Kind() == reflect.Struct && !leaf
}

func (f tagged) isList() bool {
	return f.value.Kind() == reflect.Slice && f.value.Type().Elem().Kind() == reflect.Struct &&
		!reflect.PointerTo(f.value.Type().Elem()).Implements(reflect.TypeFor[toml.Unmarshaler]())
}

// fields returns the fields of the struct v points to that have a key, those of
// embedded structs in their place.
func fields(v any) []tagged {
	var out []tagged
	s := reflect.ValueOf(v).Elem()
	for i := range s.NumField() {
		f := s.Type().Field(i)
		tag, ok := f.Tag.Lookup("toml")
		if f.Anonymous && !ok {
			out = append(out, fields(s.Field(i).Addr().Interface())...)
			continue
		}
		key, options, _ := strings.Cut(tag, ",")
		if !ok || key == "-" || !f.IsExported() {
			continue
		}
		out = append(out, tagged{key, f.Tag.Get("inherit"), options == "omitempty" || options == "omitzero", s.Field(i)})
	}
	return out
}

// tree returns the struct v points to as a map that the TOML library can encode. In
// a table that begins as a copy of another, an empty list is spelled out, too.
func tree(v any, copied bool) map[string]any {
	out := map[string]any{}
	structs := []any{v}
	if e, ok := v.(interface{ Extension() any }); ok {
		structs = append(structs, e.Extension())
	}
	for _, s := range structs {
		for _, f := range fields(s) {
			empty := f.value.IsZero() || f.value.Kind() == reflect.Slice && f.value.Len() == 0
			switch {
			case f.isTable():
				out[f.key] = tree(f.value.Addr().Interface(), copied)
			case f.isList():
				var list []map[string]any
				for i := range f.value.Len() {
					list = append(list, tree(f.value.Index(i).Addr().Interface(), f.inherit != ""))
				}
				if list != nil {
					out[f.key] = list
				}
			case empty && f.omitempty && copied && f.value.Kind() == reflect.Slice:
				out[f.key] = []any{}
			case !empty || !f.omitempty:
				out[f.key] = f.value.Interface()
			}
		}
	}
	return out
}

// label names an element of a list of tables.
func label(i int, element map[string]any) string {
	if name, ok := element["name"].(string); ok {
		return name
	}
	return strconv.Itoa(i + 1)
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// unknown returns the error of a key that is not there, with the most similar one
// that is.
func (m *Manifest) unknown(path, key string, known map[string]bool) error {
	keys := []string{}
	best, fewest := "", min(3, len(key))
	for k := range known {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		if d := distance(key, k); d < fewest {
			best, fewest = k, d
		}
	}
	problem := "not a key; allowed: " + strings.Join(keys, ", ")
	if best != "" {
		problem = fmt.Sprintf("not a key; did you mean %s? allowed: %s", best, strings.Join(keys, ", "))
	}
	return m.locate(path, field.Errorf(key, "%s", problem))
}

// distance returns the Levenshtein distance of a and b, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			d := diagonal
			if a[i] != b[j] {
				d++
			}
			diagonal = row[j+1]
			row[j+1] = min(d, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}

// Set sets the field of a key, of one of the structs, to a number.
func Set(key string, x float64, structs ...any) error {
	for _, s := range structs {
		for _, f := range fields(s) {
			switch {
			case f.key != key:
			case f.value.Kind() == reflect.Float64:
				f.value.SetFloat(x)
				return nil
			case f.value.Kind() == reflect.Int && x == float64(int(x)):
				f.value.SetInt(int64(x))
				return nil
			default:
				return field.Errorf(key, "cannot be %g", x)
			}
		}
	}
	return field.Errorf(key, "not a key with a number")
}
