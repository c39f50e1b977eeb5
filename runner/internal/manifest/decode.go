package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/internal/field"
)

// Extended is a table whose keys depend on a value: Extend returns a pointer to a struct of the other keys.
type Extended interface {
	Extend(table map[string]any) (any, error)
}

// decode decodes a table onto structs that have all its keys, and validates them, inner ones first. Tags:
//
//	Model   Model     `toml:"model"`                    is a table
//	Methods []Method  `toml:"method" inherit:"model"`   are tables whose field Model begins as a copy of it
//	Rest    []float64 `toml:"rest,omitempty"`           is not spelled out if it is empty, nor is a table
//	Draws   int       `toml:"draws" allowed:"1 to 100"` is required unless it is not zero beforehand
//
// The TOML library decodes what is no table. A table with an error is not validated or copied.
func (m *Manifest) decode(path string, table map[string]any, structs ...any) {
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
	m.decodeFields(path, table, all, structs...)
}

func (m *Manifest) decodeFields(path string, table map[string]any, all []tagged, structs ...any) {
	before := len(m.failed)
	valid := map[string]reflect.Value{"": {}}
	for _, f := range all {
		base, ok := valid[f.tag.Get("inherit")]
		if failed := len(m.failed); ok {
			m.decodeField(join(path, f.key), table[f.key], f, base)
			if len(m.failed) == failed {
				valid[f.key] = f.value
			}
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

// fail records an error, whose key is relative to path, once: two structs may share a key.
func (m *Manifest) fail(path string, err error) {
	if err == nil {
		return
	}
	err = m.Locate(path, err)
	if !slices.ContainsFunc(m.failed, func(e error) bool { return e.Error() == err.Error() }) {
		m.failed = append(m.failed, err)
	}
}

// decodeField decodes the value of a key, nil if missing. Tables of a list begin as copies of base, if any.
func (m *Manifest) decodeField(path string, value any, f tagged, base reflect.Value) {
	table, ok := value.(map[string]any)
	list, names := tables(value)
	m.given[path] = value != nil
	switch {
	case isTable(f.value.Type()) && (ok || value == nil):
		m.decode(path, table, f.value.Addr().Interface())
	case f.isList() && list != nil:
		m.decodeList(path, list, names, f.value, base)
	case f.isList() && value != nil:
		m.fail("", field.Errorf(path, "%v is not allowed; allowed: a list, each a table, or to leave out %s",
			written(value), f.key))
	case value != nil:
		m.fail("", cmp.Or(decodeValue(path, value, f.value), f.check(path)))
	case f.tag.Get("allowed") != "" && f.value.IsZero():
		m.fail("", field.Errorf(path, "missing; allowed: %s", f.tag.Get("allowed")))
	}
}

var fileName = regexp.MustCompile(`^[\w+=][\w+=.-]*$`)

func (m *Manifest) decodeList(path string, tables []map[string]any, names []string, to, base reflect.Value) {
	to.Set(reflect.MakeSlice(to.Type(), len(tables), len(tables)))
	for i, table := range tables {
		name := join(path, names[i])
		switch {
		case slices.Contains(names[:i], names[i]):
			m.fail(name, field.Errorf("name", "one before it has this name; allowed: names that differ"))
		case !fileName.MatchString(names[i]):
			m.fail(name, field.Errorf("name", "%q is not allowed; allowed: letters, digits and _ + = . -, "+
				"as names of files have it", names[i]))
		}
		x := to.Index(i)
		if base.IsValid() {
			x.FieldByName(base.Type().Name()).Set(base)
		}
		m.decode(name, table, x.Addr().Interface())
	}
}

// decodeValue lets the TOML library decode a value that is no table. A single value stands for a list.
func decodeValue(path string, value any, to reflect.Value) error {
	x := reflect.New(reflect.MapOf(reflect.TypeFor[string](), to.Type()))
	text, err := toml.Marshal(map[string]any{"x": value})
	if err == nil {
		err = toml.Unmarshal(text, x.Interface())
	}
	_, list := value.([]any)
	isSlice := to.Kind() == reflect.Slice
	if err == nil {
		if to.Set(x.Elem().MapIndex(reflect.ValueOf("x"))); isSlice && to.Len() == 0 {
			to.SetZero()
		}
		return nil
	} else if isSlice && !list && decodeValue(path, []any{value}, to) == nil {
		return nil
	}
	syntax, _ := errors.AsType[toml.ParseError](err)
	problem := cmp.Or(syntax.Message, err.Error()) // of the type itself, or of the library
	if !strings.Contains(problem, "allowed") {
		problem = written(value) + " is not allowed; allowed: " + allowed(to.Type())
	}
	return field.Errorf(path, "%s", problem)
}

func written(value any) string {
	text, _ := toml.Marshal(map[string]any{"x": value}) // no text of what TOML does not have
	return strings.TrimPrefix(strings.TrimSpace(string(text)), "x = ")
}

func allowed(t reflect.Type) string {
	if t.Kind() == reflect.Slice {
		return "a list, each " + allowed(t.Elem())
	}
	return map[reflect.Kind]string{
		reflect.Bool: "true or false", reflect.String: "a text in quotes", reflect.Float64: "a number",
		reflect.Int: "an integer", reflect.Struct: "a table", reflect.Map: "a table",
	}[t.Kind()]
}

type tagged struct {
	key, omit string // omit: "omitempty", "omitzero" or ""
	tag       reflect.StructTag
	value     reflect.Value
}

func (f tagged) isList() bool {
	return f.value.Kind() == reflect.Slice && isTable(f.value.Type().Elem())
}

func isTable(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[toml.Unmarshaler]())
}

// check returns an error if a value, or one of a list, is no number, out of range, or empty but required.
func (f tagged) check(path string) error {
	required := f.tag.Get("allowed")
	refuse := func(x any) error {
		return field.Errorf(path, "%v is not allowed; allowed: %s", x, cmp.Or(required, "a number"))
	}
	values := []reflect.Value{f.value}
	if f.value.Kind() == reflect.Slice {
		values = nil
		for _, x := range f.value.Seq2() {
			values = append(values, x)
		}
		if len(values) == 0 && required != "" {
			return refuse("[]")
		}
	}
	var low, high float64
	bounds := strings.NewReplacer("each ", "", ",", "").Replace(required)
	n, _ := fmt.Sscanf(bounds, "%g to %g", &low, &high)
	for _, x := range values {
		number, _ := strconv.ParseFloat(fmt.Sprint(x), 64)
		switch {
		case x.CanFloat() && math.IsNaN(number), n == 2 && !(low <= number && number <= high):
			return refuse(x)
		case required != "" && x.Kind() == reflect.String && x.Len() == 0:
			return refuse(`""`)
		}
	}
	words, ok := f.value.Interface().([]string)
	if ok && f.key != "command" && f.key != "version" { // whose words may come twice
		return field.Distinct(path, words)
	}
	return nil
}

// fields returns the fields with a key of the struct v points to, with those of embedded structs.
func fields(v any) (all []tagged) {
	s := reflect.ValueOf(v).Elem()
	for i := range s.NumField() {
		f := s.Type().Field(i)
		key, omit, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case f.Anonymous && key == "":
			all = append(all, fields(s.Field(i).Addr().Interface())...)
		case key != "" && key != "-":
			all = append(all, tagged{key, omit, f.Tag, s.Field(i)})
		}
	}
	return all
}

// tree returns the struct v points to as a map. It spells out an empty value if the base has a value.
func tree(v any, base map[string]any) map[string]any {
	out, all := map[string]any{}, fields(v)
	if e, ok := v.(interface{ Extension() any }); ok {
		all = append(all, fields(e.Extension())...)
	}
	for _, f := range all {
		isSlice, empty := f.value.Kind() == reflect.Slice, f.value.IsZero()
		switch {
		case empty && (f.isList() || f.omit != "" && base[f.key] == nil):
		case empty && isSlice:
			out[f.key] = []any{}
		case f.isList():
			inherited, _ := out[f.tag.Get("inherit")].(map[string]any)
			list := make([]map[string]any, f.value.Len())
			for i := range list {
				list[i] = tree(f.value.Index(i).Addr().Interface(), inherited)
			}
			out[f.key] = list
		case isTable(f.value.Type()):
			out[f.key] = tree(f.value.Addr().Interface(), nil)
		default:
			out[f.key] = f.value.Interface()
		}
	}
	return out
}

func (m *Manifest) unknown(path string, table map[string]any, all []tagged) {
	var keys []string
	for _, f := range all {
		keys = append(keys, f.key)
	}
	slices.Sort(keys)
	keys = slices.Compact(keys) // a struct and its extension may share one
	for _, key := range slices.Sorted(maps.Keys(table)) {
		problem := "not a key;"
		if nearest := Nearest(key, keys); nearest != "" {
			problem += " did you mean " + nearest + "?"
		}
		if !slices.Contains(keys, key) {
			m.fail(path, field.Errorf(key, "%s allowed: %s", problem, strings.Join(keys, ", ")))
		}
	}
}
