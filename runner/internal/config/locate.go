package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/internal/field"
)

// Locate adds to the error of a field, whose key is relative to path, where the value
// comes from; it returns others as they are.
func (m *Manifest) Locate(path string, err error) error {
	at, ok := errors.AsType[*field.Error](err)
	if !ok {
		return err
	}
	key := join(path, at.Key)
	if allowed := m.lacks(key, at); allowed != "" {
		return m.required(&field.Error{Key: key, Problem: allowed})
	}
	return oneLine("%s: %s: %s", m.place(key), key, at.Problem)
}

// invalid adds the error of a required key that the manifest does not have to m.missing. It
// returns others as Locate does.
func (m *Manifest) invalid(path string, err error) error {
	if at, ok := errors.AsType[*field.Error](err); ok {
		key := join(path, at.Key)
		if allowed := m.lacks(key, at); allowed != "" {
			m.missing = append(m.missing, &field.Error{Key: key, Problem: allowed})
			return nil
		}
	}
	return m.Locate(path, err)
}

// required returns the error of required keys that the manifest does not have.
func (m *Manifest) required(missing ...*field.Error) error {
	var all []string
	for _, a := range missing {
		all = append(all, a.Key+", "+a.Problem)
	}
	return oneLine("%s: missing: %s", m.place(missing[0].Key), strings.Join(all, "; "))
}

// nothing matches what is wrong with the value of a key that is not given.
var nothing = regexp.MustCompile(`^(?:missing|(?:0|""|\[\]|<nil>)[a-z ]*); allowed: (.+)$`)

// lacks returns what is allowed if the error is that of a key that the manifest does not have, else nothing.
func (m *Manifest) lacks(key string, err *field.Error) (allowed string) {
	var node any = m.tree
	for k := range strings.SplitSeq(key, ".") {
		node = child(node, k)
	}
	if found := nothing.FindStringSubmatch(err.Problem); found != nil && node == nil {
		return found[1]
	}
	return ""
}

// child returns what a table has under a key, or the table of a list with that label; nil: nothing.
func child(node any, key string) any {
	switch t := node.(type) {
	case map[string]any:
		return t[key]
	case []map[string]any:
		if i := slices.Index(labels(t), key); i >= 0 {
			return t[i]
		}
	}
	return nil
}

// place returns where the value of a key comes from: from -set, or from a line.
func (m *Manifest) place(key string) string {
	for k := key; k != ""; k, _ = cutLast(k) {
		if o, ok := m.set[k]; ok {
			return "-set " + o
		}
	}
	for _, of := range []*Manifest{m, m.sets} {
		if of != nil && of.line(key) > 0 {
			return fmt.Sprintf("%s:%d", of.File, of.line(key))
		}
	}
	return m.File
}

// oneLine is fmt.Errorf with blanks for line ends, which keys in quotes may have.
func oneLine(format string, args ...any) error {
	return errors.New(strings.Join(strings.FieldsFunc(fmt.Sprintf(format, args...), func(r rune) bool {
		return r == '\n' || r == '\r'
	}), " "))
}

// Errorf returns the error of the value of a key, with file and line.
func (m *Manifest) Errorf(key, format string, args ...any) error {
	return m.Locate("", field.Errorf(key, format, args...))
}

// cutLast splits a path before its last key.
func cutLast(path string) (before, last string) {
	i := max(0, strings.LastIndexByte(path, '.'))
	return path[:i], strings.TrimPrefix(path[i:], ".")
}

// header matches the header of a table, or of one of a list.
var header = regexp.MustCompile(`^\[\[?\s*([A-Za-z0-9_.-]+)\s*\]\]?\s*(#.*)?$`)

// line returns the line of a key: that on which it is set, or else the header of the
// innermost table around it, or 0 if there is none.
func (m *Manifest) line(key string) int {
	for path := key; path != ""; path, _ = cutLast(path) {
		table, last := cutLast(path)
		current, count := "", map[string]int{}
		for i, text := range strings.Split(string(m.text), "\n") {
			text = strings.TrimSpace(text)
			if h := header.FindStringSubmatch(text); h != nil {
				current = h[1]
				if strings.HasPrefix(text, "[[") {
					i := count[h[1]]
					if tables, ok := m.own[h[1]].([]map[string]any); ok && i < len(tables) { // not replaced by -set
						current = join(h[1], label(i, tables[i]))
					}
					count[h[1]]++
				}
				if current == path {
					return i + 1
				}
			}
			if left, _, ok := strings.Cut(text, "="); ok && current == table && strings.Trim(strings.TrimSpace(left), `"'`) == last {
				return i + 1
			}
		}
	}
	return 0
}

// override applies "key=value" to the tree.
func (m *Manifest) override(o string) error {
	key, text, ok := strings.Cut(o, "=")
	key, text = strings.TrimSpace(key), strings.TrimSpace(text)
	keys := strings.Split(key, ".")
	if !ok || slices.Contains(keys, "") {
		return errors.New("must be key=value, such as model.lambda=0.4")
	}
	var node any = m.tree
	for i, k := range keys {
		last := i == len(keys)-1
		switch t := node.(type) {
		case map[string]any:
			if last {
				t[k] = value(text)
			} else if t[k] == nil {
				t[k] = map[string]any{}
			}
		case []map[string]any:
			names := labels(t)
			if k == "*" {
				for _, l := range names {
					one := strings.Join(slices.Concat(keys[:i], []string{l}, keys[i+1:]), ".")
					if err := m.override(one + "=" + text); err != nil {
						return err
					}
				}
				return nil
			}
			if last || !slices.Contains(names, k) {
				return fmt.Errorf("%s is not a key; allowed: a key of %s", strings.Join(keys[:i+1], "."), strings.Join(names, ", "))
			}
		default:
			return fmt.Errorf("%s is not a table", strings.Join(keys[:i], "."))
		}
		node = child(node, k)
	}
	m.set[key] = o
	return nil
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
	return tables(v["x"])
}
