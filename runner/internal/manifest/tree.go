package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/internal/field"
)

// parse reads the tree, and finds the line of each key.
func (m *Manifest) parse(text string) error {
	if tooDeep.MatchString(text) {
		return fmt.Errorf("%s: tables or keys are nested more than 1000 deep", m.File)
	}
	if _, err := toml.Decode(text, &m.tree); err != nil {
		syntax, _ := errors.AsType[toml.ParseError](err)
		return oneLine("%s:%d: %s", m.File, syntax.Position.Line, cmp.Or(syntax.Message, err.Error()))
	}
	m.index()
	table, heads := "", map[string]int{}
	for i, line := range strings.Split(text, "\n") {
		found := lineStart.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		path := join(table, strings.Trim(found[1], `"'`))
		if head := found[2]; head != "" {
			path, table = head, head
			if names := m.names[head]; heads[head] < len(names) {
				table = join(head, names[heads[head]])
				heads[head]++
			}
		}
		for _, p := range []string{path, table} {
			m.places[p] = cmp.Or(m.places[p], fmt.Sprintf("%s:%d", m.File, i+1))
		}
	}
	return nil
}

// lineStart matches the start of the line of a key, or of the head of a table or of one of a list.
var lineStart = regexp.MustCompile(`^\s*(?:("[\w.-]+"|'[\w.-]+'|[\w.-]+)\s*=|\[\[?\s*([A-Za-z][\w.-]*)\s*\])`)

// tooDeep matches TOML that would cost the library, which needs the square of the depth, all memory.
var tooDeep = regexp.MustCompile(`(?:[\[{][^\]}]*){1000}|(?:\.[^=,\n]*){1000}`)

// index finds the paths of all values, and the names of the tables of lists, also inline ones.
func (m *Manifest) index() {
	m.values, m.names, m.tables = map[string]any{}, map[string][]string{}, map[string][]map[string]any{}
	m.add("", m.tree)
}

func (m *Manifest) add(path string, value any) {
	m.values[path] = value
	if table, ok := value.(map[string]any); ok {
		for key, x := range table {
			m.add(join(path, key), x)
		}
		return
	}
	list := reflect.ValueOf(value)
	for i := 0; list.Kind() == reflect.Slice && i < list.Len(); i++ {
		table, ok := list.Index(i).Interface().(map[string]any)
		if !ok {
			return
		}
		name, ok := table["name"].(string)
		if !ok {
			name = strconv.Itoa(i + 1)
		}
		m.names[path], m.tables[path] = append(m.names[path], name), append(m.tables[path], table)
		m.add(join(path, name), table)
	}
}

// override takes a "key=value", where "*" stands for each name of a table of a list. A value that is not TOML
// is a text, of which a shell has removed the quotes.
func (m *Manifest) override(o string) error {
	key, text, ok := strings.Cut(o, "=")
	key, text = strings.TrimSpace(strings.ReplaceAll(key, `"`, "")), strings.TrimSpace(text)
	if !ok || slices.Contains(strings.Split(key, "."), "") || tooDeep.MatchString(o) {
		return oneLine("-set %s: must be key=value, such as model.lambda=0.4", o)
	}
	keys := []string{key}
	if list, rest, each := strings.Cut(key, ".*."); each {
		keys = nil
		for _, name := range m.names[list] {
			keys = append(keys, join(join(list, name), rest))
		}
	}
	for _, key := range keys {
		var v map[string]any
		if toml.Unmarshal([]byte("x = "+text), &v) != nil {
			v = map[string]any{"x": text}
		}
		if err := m.set(key, v["x"]); err != nil {
			return oneLine("-set %s: %v", o, err)
		}
		maps.DeleteFunc(m.places, func(k, _ string) bool { return strings.HasPrefix(k, key+".") })
		m.places[key] = "-set " + o
		if table, ok := strings.CutSuffix(key, ".name"); ok {
			m.places[table[:strings.LastIndexByte(table, '.')+1]+text] = m.places[key]
		}
	}
	if keys == nil {
		return oneLine("-set %s: no list of tables", o)
	}
	return nil
}

// set sets a value in its table, which is added if it is missing, and those that it is in.
func (m *Manifest) set(path string, value any) error {
	parent := path[:max(0, strings.LastIndexByte(path, '.'))]
	key := strings.TrimPrefix(path[len(parent):], ".")
	if _, given := m.values[parent]; !given {
		return m.set(parent, map[string]any{key: value})
	}
	table, ok := m.values[parent].(map[string]any)
	switch {
	case m.names[parent] != nil:
		return fmt.Errorf("%s is not a key; allowed: a key of %s", path, strings.Join(m.names[parent], ", "))
	case !ok:
		return fmt.Errorf("%s is not a table", parent)
	}
	table[key] = value
	m.index()
	return nil
}

func join(path, key string) string {
	return strings.TrimPrefix(path+"."+key, ".")
}

var missing = regexp.MustCompile(`^(0|""|\[\]|<nil>)[a-z ]*; allowed`)

// Locate adds to the error of a field, with a key relative to path, its place. It returns others as they are.
func (m *Manifest) Locate(path string, err error) error {
	wrong, ok := errors.AsType[*field.Error](err)
	if !ok {
		return err
	}
	key, problem := join(path, wrong.Key), wrong.Problem
	if m.values[key] == nil {
		problem = missing.ReplaceAllString(problem, "missing; allowed")
	}
	k := key
	for m.places[k] == "" {
		k = k[:max(0, strings.LastIndexByte(k, '.'))]
	}
	return oneLine("%s: %s: %s", m.places[k], key, problem)
}

// Errorf returns the error of the value of a key, with file and line.
func (m *Manifest) Errorf(key, format string, args ...any) error {
	return m.Locate("", field.Errorf(key, format, args...))
}

// oneLine is fmt.Errorf with blanks for line ends, which keys in quotes may have.
func oneLine(format string, args ...any) error {
	return errors.New(strings.NewReplacer("\n", " ", "\r", " ").Replace(fmt.Sprintf(format, args...)))
}
