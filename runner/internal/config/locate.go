package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/internal/field"
)

var (
	header = regexp.MustCompile(`^\[\[?\s*([\w.-]+)\s*\]\]?\s*(#.*)?$`) // of a table, or of one of a list
	given  = regexp.MustCompile(`^["']?([\w-]+)["']?\s*=`)              // a key
)

// lines returns the file and line of each key, and of each table, but for those within inline tables.
func (m *Manifest) lines(text string) map[string]string {
	found, before, table := map[string]string{}, map[string]int{}, ""
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		path := ""
		if key := given.FindStringSubmatch(line); key != nil {
			path = join(table, key[1])
		} else if h := header.FindStringSubmatch(line); h != nil {
			path = h[1]
			if n := before[path]; n < len(list(m.tree[path])) {
				before[path]++
				path = join(path, label(n, list(m.tree[path])[n]))
			}
			table = path
		}
		if found[path] == "" {
			found[path] = fmt.Sprintf("%s:%d", m.File, i+1)
		}
	}
	delete(found, "") // other lines
	return found
}

// note keeps where a value, and all that is in it, comes from: its line, or else the place of what it is in.
func (m *Manifest) note(path string, value any, place string, lines map[string]string) {
	place = cmp.Or(lines[path], place)
	m.places[path] = place
	if table, ok := value.(map[string]any); ok {
		for key, x := range table {
			m.note(join(path, key), x, place, lines)
		}
	}
	for i, table := range list(value) {
		m.note(join(path, label(i, table)), table, place, lines)
	}
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

// nothing matches what is wrong with the value of a key that is not given.
var nothing = regexp.MustCompile(`^(0|""|\[\]|<nil>)[a-z ]*; allowed`)

// Locate adds to the error of a field, whose key is relative to path, where the value
// comes from; it returns others as they are.
func (m *Manifest) Locate(path string, err error) error {
	at, ok := errors.AsType[*field.Error](err)
	if !ok {
		return err
	}
	key, problem := join(path, at.Key), at.Problem
	place, ok := m.places[key]
	if !ok {
		problem = nothing.ReplaceAllString(problem, "missing; allowed")
	}
	for k := key; place == ""; place = m.places[k] {
		k = k[:max(0, strings.LastIndexByte(k, '.'))]
	}
	return oneLine("%s: %s: %s", place, key, problem)
}

// Errorf returns the error of the value of a key, with file and line.
func (m *Manifest) Errorf(key, format string, args ...any) error {
	return m.Locate("", field.Errorf(key, format, args...))
}

// oneLine is fmt.Errorf with blanks for line ends, which keys in quotes may have.
func oneLine(format string, args ...any) error {
	return errors.New(strings.NewReplacer("\n", " ", "\r", " ").Replace(fmt.Sprintf(format, args...)))
}

// set sets the value of a key from the command line in a node of the tree that is at path. In a list of
// tables, "*" stands for each.
func (m *Manifest) set(node any, path, key, text, place string) error {
	first, rest, more := strings.Cut(key, ".")
	here := join(path, first)
	table, ok := node.(map[string]any)
	switch {
	case ok && more:
		if table[first] == nil {
			table[first] = map[string]any{}
		}
		return m.set(table[first], here, rest, text, place)
	case ok:
		table[first] = value(text)
		maps.DeleteFunc(m.places, func(k, _ string) bool { return strings.HasPrefix(k, here+".") })
		m.note(here, table[first], place, nil)
		return nil
	case list(node) == nil:
		return fmt.Errorf("%s is not a table", path)
	}
	var err error
	var names []string
	found := false
	for i, element := range list(node) {
		name := label(i, element)
		names = append(names, name)
		if more && (first == "*" || first == name) {
			found = true
			err = cmp.Or(err, m.set(element, join(path, name), rest, text, place))
			m.note(join(path, label(i, element)), element, place, m.places) // it may have another name
		}
	}
	if !found {
		err = fmt.Errorf("%s is not a key; allowed: a key of %s", here, strings.Join(names, ", "))
	}
	return err
}

// value reads a value of the command line, where a shell has taken the quotes of a text.
func value(text string) any {
	var v map[string]any
	if CheckDepth([]byte(text)) != nil {
		return text
	}
	if _, err := toml.Decode("x = "+text, &v); err != nil {
		return text
	}
	return v["x"]
}
