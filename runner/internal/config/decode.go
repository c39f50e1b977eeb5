package config

import (
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
// what is no table is decoded by the TOML library. Embedded structs share the table. What is wrong is
// added to m.failed; a table of which a value is wrong is not validated, and no other begins as a copy of it.
func (m *Manifest) decode(path string, table map[string]any, structs ...any) {
	before := len(m.failed)
	var all []tagged
	for i := 0; i < len(structs); i++ {
		if e, ok := structs[i].(Extended); ok {
			extension, err := e.Extend(table)
			if err != nil {
				m.fail(path, err)
				return
			}
			structs = append(structs, extension)
		}
		all = append(all, fields(structs[i])...)
	}
	m.unknown(path, table, all)
	sound := map[string]reflect.Value{}
	for _, f := range all {
		base, ok := sound[f.inherit]
		if f.inherit != "" && !ok {
			continue
		}
		failed := len(m.failed)
		m.decodeField(join(path, f.key), table[f.key], f, base)
		if len(m.failed) == failed {
			sound[f.key] = f.value
		}
	}
	for _, s := range structs {
		if p, ok := s.(Program); ok {
			m.programs[path] = p
		}
		if v, ok := s.(interface{ Validate() error }); ok && len(m.failed) == before {
			m.fail(path, v.Validate())
		}
	}
}

// fail adds an error, whose key is relative to path, to those of the manifest.
func (m *Manifest) fail(path string, err error) {
	if err == nil {
		return
	}
	err = m.Locate(path, err)
	said := func(other error) bool { return other.Error() == err.Error() } // of a key that two structs have
	if !slices.ContainsFunc(m.failed, said) {
		m.failed = append(m.failed, err)
	}
}

// decodeField decodes the value of a key, nil if it is not given. The tables of a list begin as copies of
// the base, if there is one.
func (m *Manifest) decodeField(path string, value any, f tagged, base reflect.Value) {
	hadValue := !f.value.IsZero()
	table, given := value.(map[string]any)
	switch {
	case f.isTable() && (given || value == nil):
		m.decode(path, table, f.value.Addr().Interface())
	case f.isList() && list(value) != nil:
		m.decodeList(path, list(value), f.value, base)
	case value != nil:
		m.fail("", cmp.Or(decodeValue(path, value, f.value), f.check(path)))
	case f.allowed != "" && !hadValue:
		m.fail("", field.Errorf(path, "missing; allowed: %s", f.allowed))
	}
	if value != nil && hadValue && f.value.IsZero() && f.omit == "omitempty" && f.value.Kind() != reflect.Slice {
		m.fail("", field.Errorf(path, "%#v would not be spelled out, and another value is inherited; "+
			"allowed: another value", value))
	}
}

// decodeList decodes the tables of a list.
func (m *Manifest) decodeList(path string, tables []map[string]any, to, base reflect.Value) {
	to.Set(reflect.MakeSlice(to.Type(), len(tables), len(tables)))
	seen := map[string]bool{}
	for i, table := range tables {
		name := join(path, label(i, table))
		if seen[name] {
			m.fail(name, field.Errorf("name", "one before it has this name; allowed: names that differ"))
		}
		seen[name] = true
		x := to.Index(i)
		if base.IsValid() {
			of := x
			if x.Type() != base.Type() { // it is embedded
				of = x.FieldByName(base.Type().Name())
			}
			of.Set(base)
		}
		m.decode(name, table, x.Addr().Interface())
	}
}

// decodeValue decodes a value, of which a single one stands for a list of it.
func decodeValue(path string, value any, to reflect.Value) error {
	err := decodeOne(path, value, to)
	if err != nil && to.Kind() == reflect.Slice && !isTable(to.Type().Elem()) &&
		decodeOne(path, []any{value}, to) == nil {
		return nil
	}
	return err
}

// decodeOne lets the TOML library decode a value.
func decodeOne(path string, value any, to reflect.Value) error {
	x := reflect.New(reflect.MapOf(reflect.TypeFor[string](), to.Type()))
	text, err := toml.Marshal(map[string]any{"x": value})
	if err == nil {
		err = toml.Unmarshal(text, x.Interface())
	}
	if err != nil {
		syntax, _ := errors.AsType[toml.ParseError](err)
		problem := cmp.Or(syntax.Message, err.Error()) // of the type itself, or of the library
		if !strings.Contains(problem, "allowed") {
			written := strings.TrimPrefix(strings.TrimSpace(string(text)), "x = ")
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

// empty reports whether there is nothing in a field.
func (f tagged) empty() bool {
	return f.value.IsZero() || f.value.Kind() == reflect.Slice && f.value.Len() == 0
}

// check returns an error if there is nothing in a required list or text, or if a number, or
// one of a list, is outside of the range that is allowed, such as "1 to 1,000,000".
func (f tagged) check(path string) error {
	if f.allowed == "" {
		return nil
	}
	nothing := map[reflect.Kind]string{reflect.String: `""`, reflect.Slice: "[]"}[f.value.Kind()]
	if nothing != "" && f.empty() {
		return field.Errorf(path, "%s is not allowed; allowed: %s", nothing, f.allowed)
	}
	var low, high float64
	bounds := strings.NewReplacer("each ", "", ",", "").Replace(f.allowed)
	if n, _ := fmt.Sscanf(bounds, "%g to %g", &low, &high); n < 2 {
		return nil // Validate has the rest
	}
	for written := range strings.FieldsSeq(strings.Trim(fmt.Sprint(f.value), "[]")) {
		if x, _ := strconv.ParseFloat(written, 64); !(low <= x && x <= high) {
			return field.Errorf(path, "%s is not allowed; allowed: %s", written, f.allowed)
		}
	}
	return nil
}

// fields returns the fields of the struct v points to that have a key, those of
// embedded structs in their place.
func fields(v any) []tagged {
	var out []tagged
	s := reflect.ValueOf(v).Elem()
	for i := range s.NumField() {
		f := s.Type().Field(i)
		key, options, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case f.Anonymous && key == "":
			out = append(out, fields(s.Field(i).Addr().Interface())...)
		case key != "" && key != "-":
			out = append(out, tagged{key, f.Tag.Get("inherit"), f.Tag.Get("allowed"), options, s.Field(i)})
		}
	}
	return out
}

// tree returns the struct v points to as a map for the TOML library. In a table that
// begins as a copy of another, an empty list is spelled out, too, unless it has omitzero.
func tree(v any, copied bool) map[string]any {
	out, all := map[string]any{}, fields(v)
	if e, ok := v.(interface{ Extension() any }); ok {
		all = append(all, fields(e.Extension())...)
	}
	for _, f := range all {
		switch {
		case f.isList() && f.empty():
		case f.isList():
			list := make([]map[string]any, f.value.Len())
			for i := range list {
				list[i] = tree(f.value.Index(i).Addr().Interface(), f.inherit != "")
			}
			out[f.key] = list
		case f.empty() && f.omit == "omitempty" && copied && f.value.Kind() == reflect.Slice:
			out[f.key] = []any{}
		case f.empty() && f.omit != "": // not spelled out
		case f.isTable():
			out[f.key] = tree(f.value.Addr().Interface(), copied)
		default:
			out[f.key] = f.value.Interface()
		}
	}
	return out
}

// former says of each key that was removed, in any table or in the one before the point, what to do instead.
var former = map[string]string{
	"ensemble":         "members has the number of networks",
	"prior":            "prior_var has the variances",
	"prior_scale":      "prior_var has the variances",
	"variant":          "[[method]] describes what is compared",
	"weights":          "tune and candidates choose by a validation part; without members the default bank learns",
	"window":           "process_noise lets the past count less",
	"task":             "[[set]] has what methods learn",
	"shuffle":          "evaluate.order is shuffled, given, sorted or repeated",
	"compare":          "reference, leave_out and splits_of are keys of [evaluate]",
	"monte_carlo":      "samples and stride are keys of [evaluate]",
	"evaluate.grid":    "grid is a key of [data]",
	"near":             "make changed images a file of [[outside]]",
	"inputs":           "leave pixels out of the files of [data] and [[outside]]",
	"outside.enlarge":  "images of [[outside]] must have the size of those of [data]",
	"outside.labelled": "[[outside]] is out-of-distribution data; labelled data are a [[set]] of the study learn",
	"montecarlo_pairs": "Monte Carlo gets at most 40,000/n² draws of n classes",
	"unknown.score":    "the tables have all scores of unknown.scores",
	"unknown.combine":  "the score combined has the same parts for all methods, see experiments/README.md",
	"evidence.low":     `interval = "columns" takes the ends of the interval from columns`,
	"evidence.high":    `interval = "columns" takes the ends of the interval from columns`,
}

// unknown adds the error of each key of a table that is not there, with the most similar one.
func (m *Manifest) unknown(path string, table map[string]any, all []tagged) {
	var keys []string
	for _, f := range all {
		keys = append(keys, f.key)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys) // a struct and its extension may share one
	first, _, _ := strings.Cut(path, ".")
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if slices.Contains(keys, key) {
			continue
		}
		problem := "not a key; allowed: " + strings.Join(keys, ", ")
		if instead := cmp.Or(former[key], former[join(first, key)]); instead != "" {
			problem = "not a key any more; " + instead
		} else if near := field.Nearest(key, keys); near != "" {
			problem = strings.Replace(problem, ";", "; did you mean "+near+"?", 1)
		}
		m.fail(path, field.Errorf(key, "%s", problem))
	}
}
