package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
)

// override applies "key=value" to the decoded manifest root. It checks only
// that there is a place for the value: the value is read like all others.
func (r *reader) override(root map[string]any, o string) error {
	fail := func(format string, args ...any) error {
		return errors.New(oneLine("-set " + limited(o, shown) + ": " + fmt.Sprintf(format, args...)))
	}
	key, text, ok := strings.Cut(o, "=")
	keys := strings.Split(strings.TrimSpace(key), ".")
	if !ok || slices.Contains(keys, "") || len(o) > maxText || o != oneLine(o) {
		return fail("must be key=value, such as model.lambda=0.4, in a line of at most %d bytes", maxText)
	}
	if len(keys) > maxParts {
		return fail("key too long; allowed: at most %d dotted parts", maxParts)
	}
	if keys[0] == "overrides" {
		return fail("overrides: is a record and cannot be set")
	}

	var node any = root
	path := ""
	for i, k := range keys[:len(keys)-1] {
		at := strings.Join(keys[:i+1], ".")
		if entries, ok := tables(node); ok {
			j := slices.IndexFunc(entryLabels(entries), func(l string) bool { return l == k })
			if j < 0 {
				return fail("%s: not there; allowed: %s", at, limited(strings.Join(entryLabels(entries), ", "), shown))
			}
			node, path = entries[j], join(path, fmt.Sprint(j))
			continue
		}
		t, ok := node.(map[string]any)
		if !ok {
			return fail("%s: is not a table", strings.Join(keys[:i], "."))
		}
		path = join(path, k)
		if _, ok := t[k]; !ok {
			t[k] = map[string]any{}
			r.places[path] = place{set: o}
		}
		node = t[k]
	}
	last := keys[len(keys)-1]
	t, ok := node.(map[string]any)
	if !ok {
		return fail("%s: is not a table", strings.Join(keys[:len(keys)-1], "."))
	}
	t[last] = parseValue(text)

	// What stood there in the file is gone, and so are its lines.
	path = join(path, last)
	for p := range r.places {
		if strings.HasPrefix(p, join(path, "")) {
			delete(r.places, p)
		}
	}
	r.places[path] = place{set: o}
	return nil
}

func entryLabels(entries []map[string]any) []string {
	labels := make([]string, len(entries))
	for i, e := range entries {
		labels[i] = entryLabel(i, e)
	}
	return labels
}

// parseValue returns text as a TOML value, or else as a string: a shell takes
// the quotes away.
func parseValue(text string) any {
	var v map[string]any
	text = strings.TrimSpace(text)
	if _, err := toml.Decode("x = "+text, &v); err != nil {
		return text
	}
	return v["x"]
}
