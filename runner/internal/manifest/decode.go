package manifest

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/internal/field"
)

// Extended is a table whose keys depend on a value.
type Extended interface {
	Extend(table map[string]any) error // prepares Extension for the values of the table
	Extension() any                    // a pointer to a struct of the other keys
}

// decode decodes a table onto structs that have all its keys, and validates them, inner ones first:
//
//	Model   Model     `toml:"model"`                 is a table
//	Methods []Method  `toml:"method" inherit:"model"` are tables whose field Model begins as a copy of it
//	Rest    []float64 `toml:"rest,omitempty"`        is not spelled out if it is empty, nor is a table
//
// The other tags are those of [field.Field]. The TOML library decodes what is no table. A value that is not
// allowed is not kept, and its table not validated.
func (m *Manifest) decode(path string, value any, structs ...any) {
	table, _ := value.(map[string]any)
	before, keys, bases := len(m.failed), []string(nil), map[string]base{}
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
			key, failed := f.Key, len(m.failed)
			f.Key, keys = join(path, key), append(keys, key)
			m.decodeField(table[key], f, bases[f.Tag.Get("inherit")])
			bases[key] = base{f.Value, len(m.failed) > failed}
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys) // a struct and its extension may share a key
	for _, key := range slices.Sorted(maps.Keys(table)) {
		if !slices.Contains(keys, key) {
			m.fail(path, field.Errorf(key, "not a key; %sallowed: %s", Meant(key, keys), strings.Join(keys, ", ")))
		}
	}
	if len(m.failed) > before {
		return
	}
	for _, s := range structs {
		if v, ok := s.(interface{ Validate() error }); ok {
			m.fail(path, field.Each(v.Validate(), func(e field.Error) error {
				if m.copied && table[e.Key] == nil {
					return nil // the base has reported the same error
				}
				return &e
			}))
		}
	}
}

// base is a table that others begin as copies of.
type base struct {
	value reflect.Value
	wrong bool // whether the table has errors
}

// fail records errors, whose keys are relative to path, each once: two structs may share a key.
func (m *Manifest) fail(path string, err error) {
	if err = m.Locate(path, err); err == nil {
		return
	}
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !slices.Contains(m.failed, line) {
			m.failed = append(m.failed, line)
		}
	}
}

// decodeField decodes the value of a key, nil if missing. Tables of a list begin as copies of a base, if any.
func (m *Manifest) decodeField(value any, f field.Field, from base) {
	_, ok := value.(map[string]any)
	switch {
	case isTable(f.Value.Type()) && (ok || value == nil):
		m.decode(f.Key, value, f.Value.Addr().Interface())
	case isList(f) && value != nil:
		m.decodeList(value, f, from)
	case value != nil:
		m.fail("", decodeValue(value, f))
	default:
		m.fail("", field.Refuse(f.Has("required") && f.Value.IsZero(), f.Key, nil, f.Allowed()))
	}
}

var fileName = regexp.MustCompile(`^[\w+=][\w+=.-]*$`)

func (m *Manifest) decodeList(value any, f field.Field, from base) {
	list, names := tables(value)
	if list == nil {
		m.fail("", field.Refuse(true, f.Key, value, "a list of tables, or no such key"))
	}
	f.Value.Set(reflect.MakeSlice(f.Value.Type(), len(list), len(list)))
	m.copied = from.wrong
	for i, table := range list {
		name := join(f.Key, names[i])
		m.fail(name, field.Refuse(slices.Contains(names[:i], names[i]) || !fileName.MatchString(names[i]), "name",
			names[i], "letters, digits and _ + = . -, as in names of files; each name once"))
		x := f.Value.Index(i)
		if from.value.IsValid() {
			x.FieldByName(from.value.Type().Name()).Set(from.value)
		}
		m.decode(name, table, x.Addr().Interface())
	}
	m.copied = false
}

// decodeValue lets the TOML library decode a value that is no table, and keeps it if it is allowed. A single
// value stands for a list.
func decodeValue(value any, f field.Field) error {
	written, isSlice, to := value, f.Value.Kind() == reflect.Slice, f.Value
	if f.Value.Type() == reflect.TypeFor[Ints]() {
		value = expand(value)
	}
	if _, list := value.([]any); isSlice && !list {
		value = []any{value}
	}
	x := reflect.New(reflect.MapOf(reflect.TypeFor[string](), f.Value.Type()))
	text, err := toml.Marshal(map[string]any{"x": value})
	if err == nil {
		err = toml.Unmarshal(text, x.Interface())
	}
	if err != nil {
		return field.Refuse(true, f.Key, written, f.Allowed())
	}
	if f.Value = x.Elem().MapIndex(reflect.ValueOf("x")); isSlice && f.Value.Len() == 0 {
		f.Value = reflect.Zero(f.Value.Type())
	}
	if err = f.Check(); err == nil {
		to.Set(f.Value)
	}
	return err
}

func isList(f field.Field) bool {
	return f.Value.Kind() == reflect.Slice && isTable(f.Value.Type().Elem())
}

func isTable(t reflect.Type) bool {
	return t.Kind() == reflect.Struct && !reflect.PointerTo(t).Implements(reflect.TypeFor[toml.Unmarshaler]())
}

// fields returns the fields with a key of the struct v points to, and of its extension.
func fields(v any) []field.Field {
	list := field.Fields(v)
	if e, ok := v.(Extended); ok {
		list = append(list, fields(e.Extension())...)
	}
	return list
}

// tree returns the struct v points to as a map. It spells out an empty value if the base has a value.
func tree(v any, base map[string]any) map[string]any {
	out := map[string]any{}
	for _, f := range fields(v) {
		omit := strings.Contains(f.Tag.Get("toml"), ",omit") && base[f.Key] == nil
		switch {
		case f.Value.IsZero() && (isList(f) || omit):
		case f.Value.IsZero() && f.Value.Kind() == reflect.Slice:
			out[f.Key] = []any{}
		case isList(f):
			inherited, _ := out[f.Tag.Get("inherit")].(map[string]any)
			list := make([]map[string]any, f.Value.Len())
			for i := range list {
				list[i] = tree(f.Value.Index(i).Addr().Interface(), inherited)
			}
			out[f.Key] = list
		case isTable(f.Value.Type()):
			out[f.Key] = tree(f.Value.Addr().Interface(), nil)
		default:
			out[f.Key] = f.Value.Interface()
		}
	}
	return out
}

// Assign sets a field of the struct v points to, by its key. In a free table, "settings.x" sets x in a copy.
func Assign(key string, x, v any) error {
	table, inner, free := strings.Cut(key, ".")
	for _, f := range fields(v) {
		settings, ok := f.Value.Interface().(map[string]any)
		if f.Key != table || ok != free {
			continue
		} else if free {
			copied := map[string]any{}
			maps.Copy(copied, settings)
			copied[inner] = x
			x = copied
		}
		f.Key = key
		return decodeValue(x, f)
	}
	return field.Errorf(key, "not a key with a number or a word")
}

// Meant asks for the word that differs least from another in one place, of two letters at most, if any.
func Meant(word string, words []string) (question string) {
	fewest := min(3, len(word)) // smallest number of letters that differ
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
