package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// reader collects what is wrong with a manifest.
type reader struct {
	file     string
	places   map[string]place // by path, see join
	tables   []*table         // every table that was looked at
	problems []problem
}

// place says where a value was written: in a line of the file, or in an
// override. The zero place is the file as a whole.
type place struct {
	line int
	set  string
}

func (p place) in(file string) string {
	switch {
	case p.set != "":
		return "-set " + limited(p.set, shown)
	case p.line > 0:
		return file + ":" + strconv.Itoa(p.line)
	}
	return file
}

// join appends keys, or numbers from 0 of list entries, to the path of a table.
// The separator cannot be mistaken for a part of a sensible key.
func join(path string, keys ...string) string {
	for _, k := range keys {
		path += "\x00" + k
	}
	return path
}

// place returns where the value at path, or else the innermost table or list
// round it, was written.
func (r *reader) place(path string) place {
	for {
		if p, ok := r.places[path]; ok || path == "" {
			return p
		}
		path = path[:strings.LastIndexByte(path, 0)]
	}
}

type problem struct {
	place   place
	missing bool
	text    string
}

// first returns the problem to report: that of an override, which was typed
// last, then the first in the file; a missing key after all others, because a
// misspelt one explains it.
func (r *reader) first() error {
	rank := func(p problem) int {
		switch {
		case p.place.set != "":
			return 0
		case !p.missing:
			return 1
		}
		return 2
	}
	p := slices.MinFunc(r.problems, func(a, b problem) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a.place.line, b.place.line))
	})
	return errors.New(oneLine(p.place.in(r.file) + ": " + p.text))
}

// errorf returns an error of one line about a line of the file, or about the
// whole file if line is 0.
func (r *reader) errorf(line int, format string, args ...any) error {
	return errors.New(oneLine(place{line: line}.in(r.file) + ": " + fmt.Sprintf(format, args...)))
}

// value is a decoded TOML value, with its path and the name that messages use.
type value struct {
	r     *reader
	path  string
	label string
	v     any
}

// reject reports what is wrong with v. It returns false, for the caller to
// return.
func (v value) reject(why string) bool {
	s := v.label
	if v.v != nil {
		s += " = " + limited(literal(v.v), shown)
	}
	v.r.problems = append(v.r.problems, problem{place: v.r.place(v.path), text: s + ": " + why})
	return false
}

// child returns the entry of v with this key or number.
func (v value) child(key, label string, x any) value {
	if v.label != "" {
		label = v.label + "." + label
	}
	return value{v.r, join(v.path, key), label, x}
}

// table is a TOML table that remembers which keys were asked for.
type table struct {
	value
	entries map[string]any
	known   []string
	subs    map[string]*table
}

// table makes v a table; if it is none that is reported, and if it is missing
// the table is empty.
func (r *reader) table(v value) *table {
	t := &table{value: v, subs: map[string]*table{}}
	if v.v != nil {
		var ok bool
		if t.entries, ok = v.v.(map[string]any); !ok {
			v.reject("must be a table")
		}
	}
	r.tables = append(r.tables, t)
	return t
}

func (t *table) has(key string) bool {
	_, ok := t.entries[key]
	return ok
}

// at returns the value of key; its v is nil if there is none.
func (t *table) at(key string) value {
	return t.child(key, key, t.entries[key])
}

// reject reports what is wrong with the value of key.
func (t *table) reject(key, why string) { t.at(key).reject(why) }

// rejected reports whether something is wrong with the manifest.
func (t *table) rejected() bool { return len(t.r.problems) > 0 }

// missing reports that key, with a value of the wanted kind, is not there. The
// place is the table's in the file: no override took the key away.
func (t *table) missing(key, want string) {
	p := t.r.place(t.path)
	p.set = ""
	t.r.problems = append(t.r.problems, problem{p, true, t.at(key).label + ": missing; allowed: " + want})
}

// atMost reports it if the values of key ask for more than most things, and
// returns whether they do not.
func (t *table) atMost(most, n int, key, things string) bool {
	if n > most {
		t.reject(key, fmt.Sprintf("asks for %d %s; allowed: at most %d", n, things, most))
	}
	return n <= most
}

// sub returns the table named key.
func (t *table) sub(key string) *table {
	if t.subs[key] == nil {
		t.known = append(t.known, key)
		t.subs[key] = t.r.table(t.at(key))
	}
	return t.subs[key]
}

// list returns the tables of the list named key.
func (t *table) list(key string) []*table {
	t.known = append(t.known, key)
	if !t.has(key) {
		return nil
	}
	list := t.at(key)
	entries, ok := tables(list.v)
	switch {
	case !ok:
		list.reject(fmt.Sprintf("must be a list of tables, each headed [[%s]]", key))
		return nil
	case len(entries) > maxTables:
		list.v = nil // Too long to be shown.
		list.reject(fmt.Sprintf("%d tables; allowed: at most %d", len(entries), maxTables))
		return nil
	}
	all := make([]*table, len(entries))
	for i, e := range entries {
		all[i] = t.r.table(list.child(strconv.Itoa(i), entryLabel(i, e), e))
	}
	return all
}

// tables returns the entries of a list of tables, written either way.
func tables(v any) ([]map[string]any, bool) {
	switch v := v.(type) {
	case []map[string]any:
		return v, true
	case []any:
		all := make([]map[string]any, len(v))
		for i, e := range v {
			var ok bool
			if all[i], ok = e.(map[string]any); !ok {
				return nil, false
			}
		}
		return all, true
	}
	return nil, false
}

// entryLabel returns what an entry of a list of tables is called: its name if
// it has one, else its number from 1.
func entryLabel(i int, entry map[string]any) string {
	if s, ok := entry["name"].(string); ok && isName(s) {
		return s
	}
	return strconv.Itoa(i + 1)
}

// unknown reports every key that was not asked for.
func (r *reader) unknown() {
	for _, t := range r.tables {
		slices.Sort(t.known)
		t.known = slices.Compact(t.known)
		for _, key := range slices.Sorted(maps.Keys(t.entries)) {
			if slices.Contains(t.known, key) {
				continue
			}
			v := t.child(key, keyLiteral(key), nil)
			why := "unknown key; "
			if near := nearest(key, t.known); near != "" {
				why += fmt.Sprintf("did you mean %q? ", near)
			}
			v.reject(why + "allowed: " + strings.Join(t.known, ", "))
		}
	}
}
