package config

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/core/field"
)

// locate adds to the error of a field, whose key is relative to path, where the
// value comes from.
func (m *Manifest) locate(path string, err error) error {
	var at *field.Error
	if !errors.As(err, &at) {
		return err
	}
	key := join(path, at.Key)
	for k := key; k != ""; k, _, _ = cutLast(k) {
		if o, ok := m.set[k]; ok {
			return fmt.Errorf("-set %s: %s: %s", o, key, at.Problem)
		}
	}
	return fmt.Errorf("%s:%d: %s: %s", m.File, m.line(key), key, at.Problem)
}

// Errorf returns the error of the value of a key, with file and line.
func (m *Manifest) Errorf(key, format string, args ...any) error {
	return m.locate("", field.Errorf(key, format, args...))
}

// Locate adds to the error of a field, whose key is relative to path, file and line;
// it returns others as they are.
func (m *Manifest) Locate(path string, err error) error { return m.locate(path, err) }

func cutLast(key string) (before, after string, ok bool) {
	i := strings.LastIndexByte(key, '.')
	if i < 0 {
		return "", key, false
	}
	return key[:i], key[i+1:], true
}

// header matches the header of a table, or of one of a list.
var header = regexp.MustCompile(`^\[\[?\s*([A-Za-z0-9_.-]+)\s*\]\]?\s*(#.*)?$`)

// line returns the line of a key: that on which it is set, or else the header of
// its table, or of the table that this is in.
func (m *Manifest) line(key string) int {
	for path := key; path != ""; path, _, _ = cutLast(path) {
		table, last, _ := cutLast(path)
		current, count := "", map[string]int{}
		for i, text := range strings.Split(string(m.text), "\n") {
			text = strings.TrimSpace(text)
			if h := header.FindStringSubmatch(text); h != nil {
				current = h[1]
				if strings.HasPrefix(text, "[[") {
					current = join(h[1], m.labelOf(h[1], count[h[1]]))
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
	return 1
}

// labelOf returns what the i-th table of a list is called.
func (m *Manifest) labelOf(list string, i int) string {
	if tables, ok := m.tree[list].([]map[string]any); ok && i < len(tables) {
		return label(i, tables[i])
	}
	return strconv.Itoa(i + 1)
}

// override applies "key=value" to the tree.
func (m *Manifest) override(o string) error {
	key, text, ok := strings.Cut(o, "=")
	key = strings.TrimSpace(key)
	keys := strings.Split(key, ".")
	if !ok || slices.Contains(keys, "") {
		return errors.New("must be key=value, such as model.lambda=0.4")
	}
	var node any = m.tree
	for i, k := range keys[:len(keys)-1] {
		switch t := node.(type) {
		case map[string]any:
			if _, ok := t[k]; !ok {
				t[k] = map[string]any{}
			}
			node = t[k]
		case []map[string]any:
			labels := make([]string, len(t))
			for j, e := range t {
				labels[j] = label(j, e)
			}
			at := slices.Index(labels, k)
			if at < 0 {
				return fmt.Errorf("%s is not there; allowed: %s", strings.Join(keys[:i+1], "."), strings.Join(labels, ", "))
			}
			node = t[at]
		default:
			return fmt.Errorf("%s is not a table", strings.Join(keys[:i], "."))
		}
	}
	table, ok := node.(map[string]any)
	if !ok {
		return fmt.Errorf("%s is not a table", strings.Join(keys[:len(keys)-1], "."))
	}
	var v map[string]any
	if _, err := toml.Decode("x = "+strings.TrimSpace(text), &v); err != nil {
		v = map[string]any{"x": strings.TrimSpace(text)} // a shell takes the quotes away
	}
	table[keys[len(keys)-1]] = v["x"]
	m.set[key] = o
	return nil
}
