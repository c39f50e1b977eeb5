package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/internal/field"
)

// Extended is a table whose keys depend on one of its values: Extend returns a pointer to
// a struct that has the other keys.
type Extended interface {
	Extend(table map[string]any) (any, error)
}

// decode decodes a table onto structs that together have all of its keys, and validates
// them from the innermost out. Of the fields
//
//	Model   Model     `toml:"model"`                    is a table
//	Methods []Method  `toml:"method" inherit:"model"`   are tables that begin as a copy of another
//	Rest    []float64 `toml:"rest,omitempty"`           is not spelled out if it is empty, nor is a table
//	Draws   int       `toml:"draws" allowed:"1 to 100"` is required unless it is not zero beforehand
//
// what is no table is decoded by the TOML library. Embedded structs share the table. Required
// keys that the table does not have are added to m.missing; then it is not validated.
func (m *Manifest) decode(path string, table map[string]any, structs ...any) error {
	known, before := map[string]bool{}, len(m.missing)
	for i := 0; i < len(structs); i++ {
		if e, ok := structs[i].(Extended); ok {
			extension, err := e.Extend(table)
			if err != nil {
				return m.invalid(path, err)
			}
			structs = append(structs, extension)
		}
		for _, f := range fields(structs[i]) {
			known[f.key] = true
			value, ok := table[f.key]
			switch {
			case ok:
			case f.isTable():
				value, ok = map[string]any{}, true // to be validated
			case f.allowed != "" && f.value.IsZero():
				m.missing = append(m.missing, &field.Error{Key: join(path, f.key), Problem: f.allowed})
			}
			if ok {
				inherited := !f.value.IsZero()
				if err := m.decodeField(join(path, f.key), value, f, structs[i]); err != nil {
					return err
				}
				if inherited && f.value.IsZero() && f.omit == "omitempty" && f.value.Kind() != reflect.Slice {
					return m.Errorf(join(path, f.key), "%#v would not be spelled out, and another value is inherited; allowed: another value", value)
				}
			}
		}
	}
	for key := range table {
		if !known[key] {
			return m.unknown(path, key, known)
		}
	}
	for _, s := range structs {
		if p, ok := s.(Program); ok {
			m.programs[path] = p
		}
		if v, ok := s.(interface{ Validate() error }); ok && len(m.missing) == before {
			if err := v.Validate(); err != nil {
				return m.invalid(path, err)
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
			return m.decodeList(path, v, f, parent)
		}
	}
	return m.Locate("", cmp.Or(decodeValue(path, value, f.value), f.check(path)))
}

// decodeList decodes the tables of a list.
func (m *Manifest) decodeList(path string, list []map[string]any, f tagged, parent any) error {
	f.value.SetZero()
	seen := map[string]bool{}
	for i, table := range list {
		name := label(i, table)
		if seen[name] {
			return m.Errorf(join(join(path, name), "name"), "one before it has this name; allowed: names that differ")
		}
		seen[name] = true
		x := reflect.New(f.value.Type().Elem())
		for _, other := range fields(parent) {
			if other.key == f.inherit {
				inherit(x.Elem(), other.value)
			}
		}
		if err := m.decode(join(path, name), table, x.Interface()); err != nil {
			return err
		}
		f.value.Set(reflect.Append(f.value, x.Elem()))
	}
	return nil
}

// inherit copies the base, or its embedded struct of that type.
func inherit(x, base reflect.Value) {
	if x.Type() != base.Type() {
		x = x.FieldByName(base.Type().Name())
	}
	x.Set(base)
}

// decodeValue decodes a value, of which a single one stands for a list of it.
func decodeValue(path string, value any, to reflect.Value) error {
	err := decodeOne(path, value, to)
	if err != nil && to.Kind() == reflect.Slice && !isTable(to.Type().Elem()) && decodeOne(path, []any{value}, to) == nil {
		return nil
	}
	return err
}

// decodeOne lets the TOML library decode a value.
func decodeOne(path string, value any, to reflect.Value) error {
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(map[string]any{"x": value}); err != nil {
		return field.Errorf(path, "%v", err)
	}
	x := reflect.New(reflect.MapOf(reflect.TypeFor[string](), to.Type()))
	if _, err := toml.Decode(text.String(), x.Interface()); err != nil {
		problem := err.Error() // of the type itself
		if syntax := (toml.ParseError{}); errors.As(err, &syntax) {
			problem = syntax.Message
		}
		if !strings.Contains(problem, "allowed") {
			written := strings.TrimPrefix(strings.TrimSpace(text.String()), "x = ")
			problem = written + " is not allowed; allowed: " + allowed(to.Type())
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
	if t.Kind() == reflect.Slice {
		return "a list, each " + allowed(t.Elem())
	}
	return map[reflect.Kind]string{
		reflect.Bool: "true or false", reflect.String: "a text in quotes", reflect.Float64: "a number",
		reflect.Int: "an integer", reflect.Struct: "a table", reflect.Map: "a table",
	}[t.Kind()]
}

// check returns an error if there is nothing in a required list or text, or if a number, or
// one of a list, is outside of the range that is allowed, such as "1 to 1,000,000".
func (f tagged) check(path string) error {
	empty, hasLen := map[reflect.Kind]string{reflect.String: `""`, reflect.Slice: "[]"}[f.value.Kind()]
	switch {
	case f.allowed == "":
		return nil
	case hasLen && f.value.Len() == 0:
		return field.Errorf(path, "%s is not allowed; allowed: %s", empty, f.allowed)
	}
	var low, high float64
	bounds := strings.NewReplacer("each ", "", ",", "").Replace(f.allowed)
	if n, _ := fmt.Sscanf(bounds, "%g to %g", &low, &high); n < 2 {
		return nil // Validate has the rest
	}
	list := f.value
	if list.Kind() != reflect.Slice {
		list = reflect.Append(reflect.MakeSlice(reflect.SliceOf(list.Type()), 0, 1), list)
	}
	for _, v := range list.Seq2() {
		if x := v.Convert(reflect.TypeFor[float64]()).Float(); !(low <= x && x <= high) {
			return field.Errorf(path, "%v is not allowed; allowed: %s", v, f.allowed)
		}
	}
	return nil
}

// tagged is a field of a struct.
type tagged struct {
	key, inherit string
	allowed      string // of a required key, in words; what reads "1 to 100" or "each 1 to 100" is checked
	omit         string // "omitempty", "omitzero" or ""
	value        reflect.Value
}

func (f tagged) isTable() bool { return isTable(f.value.Type()) }

func (f tagged) isList() bool {
	return f.value.Kind() == reflect.Slice && isTable(f.value.Type().Elem())
}

func isTable(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[toml.Unmarshaler]())
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
		out = append(out, tagged{key, f.Tag.Get("inherit"), f.Tag.Get("allowed"), options, s.Field(i)})
	}
	return out
}

// tree returns the struct v points to as a map for the TOML library. In a table that
// begins as a copy of another, an empty list is spelled out, too, unless it has omitzero.
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
			case f.isTable() && empty && f.omit != "": // not spelled out
			case f.isTable():
				out[f.key] = tree(f.value.Addr().Interface(), copied)
			case f.isList():
				list := make([]map[string]any, f.value.Len())
				for i := range list {
					list[i] = tree(f.value.Index(i).Addr().Interface(), f.inherit != "")
				}
				if len(list) > 0 {
					out[f.key] = list
				}
			case empty && f.omit == "omitempty" && copied && f.value.Kind() == reflect.Slice:
				out[f.key] = []any{}
			case !empty || f.omit == "":
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

// labels names the elements of a list of tables.
func labels(list []map[string]any) (names []string) {
	for i, element := range list {
		names = append(names, label(i, element))
	}
	return names
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

// former says of each key that was removed, in any table or in the one before the point, what to do instead.
var former = map[string]string{
	"ensemble":         "members has the number of networks",
	"prior":            "prior_var has the variances",
	"prior_scale":      "prior_var has the variances",
	"variant":          "[[method]] describes what is compared",
	"window":           "process_noise, or forgetting of a bank, lets the past count less",
	"order.sizes":      "sizes is a key of [[task]]",
	"near":             "make changed images a file of [[outside]]",
	"inputs":           "leave pixels out of the files of [data] and [[outside]]",
	"outside.enlarge":  "images of [[outside]] must have the size of those of [data]",
	"outside.labelled": "[[outside]] is out-of-distribution data; labelled data are a [[set]] of the study compare",
	"unknown.score":    "the tables have all scores of unknown.scores",
}

// unknown returns the error of a key that is not there, with the most similar one.
func (m *Manifest) unknown(path, key string, known map[string]bool) error {
	keys := slices.Sorted(maps.Keys(known))
	table, _, _ := strings.Cut(path, ".")
	if instead := cmp.Or(former[key], former[join(table, key)]); instead != "" {
		return m.Locate(path, field.Errorf(key, "not a key any more; %s", instead))
	}
	hint := field.Nearest(key, keys)
	if hint != "" {
		hint = " did you mean " + hint + "?"
	}
	return m.Locate(path, field.Errorf(key, "not a key;%s allowed: %s", hint, strings.Join(keys, ", ")))
}

// Set sets the field of a key, of one of the structs, to a number or a word. Of a field that is a free
// table, "settings.x" is the value x in a copy of the table.
func Set(key string, x any, structs ...any) error {
	table, of, free := strings.Cut(key, ".")
	for _, s := range structs {
		for _, f := range fields(s) {
			switch {
			case free && f.key == table && f.value.Kind() == reflect.Map:
				copied := maps.Clone(f.value.Interface().(map[string]any))
				if copied == nil {
					copied = map[string]any{}
				}
				copied[of] = x
				f.value.Set(reflect.ValueOf(copied))
				return nil
			case f.key == key:
				if n, ok := x.(float64); ok && n == float64(int64(n)) {
					x = int64(n)
				}
				return decodeValue(key, x, f.value)
			}
		}
	}
	return field.Errorf(key, "not a key with a number or a word")
}
