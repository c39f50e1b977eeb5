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

// Extended is a table whose keys depend on a value.
type Extended interface {
	Extend(table map[string]any) error // prepares Extension for the values of the table
	Extension() any                    // a pointer to a struct of the other keys
}

// decode decodes a table onto structs that have all its keys, and validates them, inner ones first. Tags:
//
//	Model   Model     `toml:"model"`                    is a table
//	Methods []Method  `toml:"method" inherit:"model"`   are tables whose field Model begins as a copy of it
//	Rest    []float64 `toml:"rest,omitempty"`           is not spelled out if it is empty, nor is a table
//	Draws   int       `toml:"draws" allowed:"1 to 100"` is required unless it is not zero beforehand
//
// The TOML library decodes what is no table. A table with an error is not validated or copied.
func (m *Manifest) decode(path string, value any, structs ...any) {
	table, _ := value.(map[string]any)
	before, keys := len(m.failed), []string(nil)
	valid := map[string]reflect.Value{"": {}}
	for _, s := range structs {
		if e, ok := s.(Extended); ok {
			if err := e.Extend(table); err != nil {
				m.fail(path, err)
				return
			}
			if p, ok := e.Extension().(program); ok {
				m.programs[path] = p
			}
		}
		for _, f := range fields(s) {
			keys = append(keys, f.key)
			failed := len(m.failed)
			if base, ok := valid[f.tag.Get("inherit")]; ok {
				m.decodeField(join(path, f.key), table[f.key], f, base)
			}
			if len(m.failed) == failed {
				valid[f.key] = f.value
			}
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys) // a struct and its extension may share one
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(keys, key) {
			m.fail(path, field.Errorf(key, "not a key; %sallowed: %s", Meant(key, keys), strings.Join(keys, ", ")))
		}
	}
	for _, s := range structs {
		if v, ok := s.(interface{ Validate() error }); ok && len(m.failed) == before {
			m.fail(path, v.Validate())
		}
	}
}

// fail records an error, whose key is relative to path, once: two structs may share a key.
func (m *Manifest) fail(path string, err error) {
	if err = m.Locate(path, err); err != nil && !slices.Contains(m.failed, err.Error()) {
		m.failed = append(m.failed, err.Error())
	}
}

// decodeField decodes the value of a key, nil if missing. Tables of a list begin as copies of base, if any.
func (m *Manifest) decodeField(path string, value any, f tagged, base reflect.Value) {
	_, ok := value.(map[string]any)
	switch {
	case isTable(f.value.Type()) && (ok || value == nil):
		m.decode(path, value, f.value.Addr().Interface())
	case f.isList() && value != nil:
		m.decodeList(path, value, f, base)
	case value != nil:
		m.fail("", cmp.Or(decodeValue(path, value, f.value), f.check(path)))
	case f.tag.Get("allowed") != "" && f.value.IsZero():
		m.fail("", field.Errorf(path, "missing; allowed: %s", f.tag.Get("allowed")))
	}
}

var fileName = regexp.MustCompile(`^[\w+=][\w+=.-]*$`)

func (m *Manifest) decodeList(path string, value any, f tagged, base reflect.Value) {
	list, names := tables(value)
	if list == nil {
		m.fail("", refuse(path, value, "a list, each a table, or to leave out "+f.key))
	}
	f.value.Set(reflect.MakeSlice(f.value.Type(), len(list), len(list)))
	for i, table := range list {
		name := join(path, names[i])
		if slices.Contains(names[:i], names[i]) || !fileName.MatchString(names[i]) {
			m.fail(name, field.Errorf("name", "%q is not allowed; allowed: letters, digits and _ + = . -, "+
				"as names of files have it, and no name twice", names[i]))
		}
		x := f.value.Index(i)
		if base.IsValid() {
			x.FieldByName(base.Type().Name()).Set(base)
		}
		m.decode(name, table, x.Addr().Interface())
	}
}

// decodeValue lets the TOML library decode a value that is no table. A single value stands for a list.
func decodeValue(path string, value any, to reflect.Value) error {
	isSlice := to.Kind() == reflect.Slice
	if to.Type() == reflect.TypeFor[Ints]() {
		value = expand(value)
	}
	if _, list := value.([]any); isSlice && !list {
		value = []any{value}
	}
	x := reflect.New(reflect.MapOf(reflect.TypeFor[string](), to.Type()))
	text, err := toml.Marshal(map[string]any{"x": value})
	if err == nil {
		err = toml.Unmarshal(text, x.Interface())
	}
	if err == nil {
		if to.Set(x.Elem().MapIndex(reflect.ValueOf("x"))); isSlice && to.Len() == 0 {
			to.SetZero()
		}
		return nil
	}
	syntax, _ := errors.AsType[toml.ParseError](err)
	if strings.Contains(syntax.Message, "allowed") { // of the type itself, not of the library
		return field.Errorf(path, "%s", syntax.Message)
	}
	return refuse(path, value, allowed(to.Type()))
}

func refuse(path string, value any, allowed string) error {
	text, _ := toml.Marshal(map[string]any{"x": value}) // no text of what TOML does not have
	written := strings.TrimPrefix(strings.TrimSpace(string(text)), "x = ")
	return field.Errorf(path, "%s is not allowed; allowed: %s", written, allowed)
}

func allowed(t reflect.Type) string {
	if t == reflect.TypeFor[Ints]() {
		return `a list of integers, or a range such as "1..20"`
	} else if t.Kind() == reflect.Slice {
		return "a list, each " + allowed(t.Elem())
	}
	return map[reflect.Kind]string{
		reflect.Bool: "true or false", reflect.String: "a text in quotes", reflect.Float64: "a number",
		reflect.Int: "an integer", reflect.Struct: "a table", reflect.Map: "a table",
	}[t.Kind()]
}

type tagged struct {
	key   string
	tag   reflect.StructTag
	value reflect.Value
}

func (f tagged) isList() bool {
	return f.value.Kind() == reflect.Slice && isTable(f.value.Type().Elem())
}

func isTable(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[toml.Unmarshaler]())
}

// check returns an error if a number, or one of a list, is NaN or out of range, a text or a list that is
// required empty, or a word twice in a list.
func (f tagged) check(path string) error {
	required, kind := f.tag.Get("allowed"), f.value.Kind()
	refused := func(x any) error {
		return field.Errorf(path, "%v is not allowed; allowed: %s", x, cmp.Or(required, "a number"))
	}
	words, isWords := f.value.Interface().([]string)
	ints, _ := f.value.Interface().(Ints)
	switch twice := field.Distinct(path, ints); {
	case twice != nil:
		return twice
	case required != "" && (kind == reflect.Slice || kind == reflect.String) && f.value.Len() == 0:
		return refused(fmt.Sprintf("%q", f.value.Interface())) // `[]` or `""`
	case isWords && f.key != "command" && f.key != "version": // whose words may come twice
		return field.Distinct(path, words)
	case isWords || kind == reflect.String:
		return nil
	}
	var low, high float64
	bounds := strings.NewReplacer("each ", "", ",", "").Replace(required)
	n, _ := fmt.Sscanf(bounds, "%g to %g", &low, &high)
	for word := range strings.FieldsSeq(strings.Trim(fmt.Sprint(f.value), "[]")) {
		x, err := strconv.ParseFloat(word, 64)
		if err == nil && (math.IsNaN(x) || n == 2 && !(low <= x && x <= high)) {
			return refused(word)
		}
	}
	return nil
}

// fields returns the fields with a key of the struct v points to, of embedded ones and of its extension.
func fields(v any) (list []tagged) {
	s := reflect.ValueOf(v).Elem()
	for i := range s.NumField() {
		f := s.Type().Field(i)
		key, _, _ := strings.Cut(f.Tag.Get("toml"), ",")
		switch {
		case f.Anonymous && key == "":
			list = append(list, fields(s.Field(i).Addr().Interface())...)
		case key != "" && key != "-":
			list = append(list, tagged{key, f.Tag, s.Field(i)})
		}
	}
	if e, ok := v.(Extended); ok {
		list = append(list, fields(e.Extension())...)
	}
	return list
}

// tree returns the struct v points to as a map. It spells out an empty value if the base has a value.
func tree(v any, base map[string]any) map[string]any {
	out := map[string]any{}
	for _, f := range fields(v) {
		omit := strings.Contains(f.tag.Get("toml"), ",omit") && base[f.key] == nil
		switch {
		case f.value.IsZero() && (f.isList() || omit):
		case f.value.IsZero() && f.value.Kind() == reflect.Slice:
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

// Set sets a field of the struct v points to, by its key. Of a free table, "settings.x" is x in a copy of it.
func Set(key string, x, v any) error {
	table, inner, free := strings.Cut(key, ".")
	for _, f := range fields(v) {
		settings, ok := f.value.Interface().(map[string]any)
		if f.key != table || ok != free {
			continue
		} else if free {
			copied := map[string]any{}
			maps.Copy(copied, settings)
			copied[inner] = x
			x = copied
		}
		return decodeValue(key, x, f.value)
	}
	return field.Errorf(key, "not a key with a number or a word")
}

// Meant asks for the word that differs least from another in one place, of two letters at most, if any.
func Meant(word string, words []string) (question string) {
	fewest := min(3, len(word)) // letters that differ
	for _, w := range words {
		same, shorter := 0, min(len(w), len(word))
		for same < shorter && w[same] == word[same] {
			same++
		}
		for end := 1; same < shorter && w[len(w)-end] == word[len(word)-end]; end++ {
			same++
		}
		if n := max(len(w), len(word)) - same; n < fewest {
			question, fewest = "did you mean "+w+"? ", n
		}
	}
	return question
}
