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
	var tree map[string]any
	if _, err := toml.Decode(text, &tree); err != nil {
		syntax, _ := errors.AsType[toml.ParseError](err)
		return oneLine("%s:%d: %s", m.File, syntax.Position.Line, cmp.Or(syntax.Message, err.Error()))
	}
	m.add("", tree)
	table, heads := "", map[string]int{}
	for i, line := range strings.Split(skipped.ReplaceAllStringFunc(text, emptyLines), "\n") {
		found := lineStart.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		path := join(table, strings.Trim(found[1], `"'`))
		if head := found[2]; head != "" {
			path, table = head, head
			if _, names := tables(m.values[head]); heads[head] < len(names) {
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

// skipped matches comments and texts, so that their lines are not taken for those of keys.
var skipped = regexp.MustCompile(
	`#[^\n]*|(?s:"""(?:\\.|[^\\])*?"{3,5}|'''.*?'{3,5})|"(?:\\.|[^"\\])*"|'[^']*'`)

// emptyLines returns the line ends of a comment or text. A text in one line, which may be a key, is kept.
func emptyLines(text string) string {
	if n := strings.Count(text, "\n"); n > 0 || text[0] == '#' {
		return strings.Repeat("\n", n)
	}
	return text
}

// lineStart matches the start of the line of a key, or of the head of a table or of one of a list.
var lineStart = regexp.MustCompile(`^\s*(?:("[\w.-]+"|'[\w.-]+'|[\w.-]+)\s*=|\[\[?\s*([A-Za-z][\w.-]*)\s*\])`)

// tooDeep matches TOML nested so deeply that the library, which needs depth² of memory, would use all of it.
var tooDeep = regexp.MustCompile(`(?:[\[{][^\]}]*){1000}|(?:\.[^=,\n]*){1000}`)

// add records the path of a value, and the paths of all values in it.
func (m *Manifest) add(path string, value any) {
	m.values[path] = value
	table, _ := value.(map[string]any)
	for key, x := range table {
		m.add(join(path, key), x)
	}
	list, names := tables(value)
	for i, table := range list {
		m.add(join(path, names[i]), table)
	}
}

// tables returns the tables of a list, also an inline one, and their names; none if other values are in it.
func tables(value any) (list []map[string]any, names []string) {
	x := reflect.ValueOf(value)
	for i := 0; x.Kind() == reflect.Slice && i < x.Len(); i++ {
		table, ok := x.Index(i).Interface().(map[string]any)
		if !ok {
			return nil, nil
		}
		name, ok := table["name"].(string)
		if !ok {
			name = strconv.Itoa(i + 1)
		}
		list, names = append(list, table), append(names, name)
	}
	return list, names
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
		_, names := tables(m.values[list])
		for _, name := range names {
			keys = append(keys, join(join(list, name), rest))
		}
	}
	for _, key := range keys {
		var v map[string]any
		if toml.Unmarshal([]byte("x = "+text), &v) != nil {
			v = map[string]any{"x": text}
		}
		added := []string{key} // the key and the tables that set adds for it
		for table := parent(key); table != "" && m.values[table] == nil; table = parent(table) {
			added = append(added, table)
		}
		if err := m.set(key, v["x"]); err != nil {
			return oneLine("-set %s: %v", o, err)
		}
		maps.DeleteFunc(m.places, func(k, _ string) bool { return strings.HasPrefix(k, key+".") })
		for _, path := range added {
			m.places[path] = "-set " + o
		}
		if table, ok := strings.CutSuffix(key, ".name"); ok {
			m.places[join(parent(table), text)] = m.places[key]
		}
	}
	if keys == nil {
		return oneLine("-set %s: * stands for each name of a list of tables, and no such list is before it", o)
	}
	return nil
}

// set sets the value at a path, and adds the tables of the path that are missing.
func (m *Manifest) set(path string, value any) error {
	in := parent(path)
	key := strings.TrimPrefix(path[len(in):], ".")
	if _, given := m.values[in]; !given {
		return m.set(in, map[string]any{key: value})
	}
	table, ok := m.values[in].(map[string]any)
	if _, names := tables(m.values[in]); names != nil {
		return fmt.Errorf("%s is not a key; allowed: a key of %s", path, strings.Join(names, ", "))
	} else if !ok {
		return fmt.Errorf("%s is not a table", in)
	}
	table[key] = value
	root := m.values[""]
	clear(m.values)
	m.add("", root)
	return nil
}

// parent returns the path of the table that has the key at path.
func parent(path string) string { return path[:max(0, strings.LastIndexByte(path, '.'))] }

func join(path, key string) string {
	return strings.TrimPrefix(path+"."+key, ".")
}

// Locate adds the places to errors of fields, whose keys are relative to path. Other errors stay as they are.
func (m *Manifest) Locate(path string, err error) error {
	return field.Each(err, func(e field.Error) error {
		key := join(path, e.Key)
		if m.values[key] == nil && e.Value != nil && field.Empty(reflect.ValueOf(e.Value)) {
			e.Value = nil
		}
		k := key
		for m.places[k] == "" {
			k = parent(k)
		}
		return oneLine("%s: %s: %s", m.places[k], key, e.What())
	})
}

// oneLine is fmt.Errorf with blanks for line ends, which keys in quotes may have.
func oneLine(format string, args ...any) error {
	return errors.New(strings.NewReplacer("\n", " ", "\r", " ").Replace(fmt.Sprintf(format, args...)))
}
