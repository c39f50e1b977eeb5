package manifest

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/internal/field"
)

func parse(file string, text []byte) (*Manifest, error) {
	m := &Manifest{
		File: file, places: map[string]string{"": file}, given: map[string]bool{},
		programs: map[string]Program{},
	}
	if tooDeep.Match(text) {
		return nil, fmt.Errorf("%s: tables or keys are nested more than 1000 deep", file)
	}
	if _, err := toml.Decode(string(text), &m.tree); err != nil {
		syntax, _ := errors.AsType[toml.ParseError](err)
		return nil, oneLine("%s:%d: %s", file, syntax.Position.Line, cmp.Or(syntax.Message, err.Error()))
	}
	table, heads := "", map[string]int{}
	for i, line := range strings.Split(string(text), "\n") {
		found := lineStart.FindStringSubmatch(line)
		if found == nil {
			continue
		}
		path := join(table, strings.Trim(found[1], `"'`))
		if head := found[2]; head != "" {
			path, table = head, head
			if _, names := tables(m.tree[head]); heads[head] < len(names) {
				table = join(head, names[heads[head]])
				heads[head]++
			}
		}
		for _, p := range []string{path, table} {
			m.places[p] = cmp.Or(m.places[p], fmt.Sprintf("%s:%d", file, i+1))
		}
	}
	return m, nil
}

// lineStart matches the start of the line of a key, or of the head of a table or of one of a list.
var lineStart = regexp.MustCompile(`^\s*(?:("[\w.-]+"|'[\w.-]+'|[\w.-]+)\s*=|\[\[?\s*([A-Za-z][\w.-]*)\s*\])`)

// tooDeep matches TOML that would cost the library, which needs the square of the depth, all memory.
var tooDeep = regexp.MustCompile(`(?:[\[{][^\]}]*){1000}|(?:\.[^=,\n]*){1000}`)

// takeSets puts the tables [[set]] of the file that the key sets names, relative to the manifest, before its
// own. A set of the manifest replaces the values of one with the same name.
func (m *Manifest) takeSets() error {
	value, given := m.tree["sets"]
	if !given {
		return nil
	}
	name, _ := value.(string)
	if filepath.Ext(name) != ".toml" {
		return m.Errorf("sets", "%v is not allowed; allowed: the name of a .toml file with tables [[set]]", value)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(m.File), name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return m.Errorf("sets", "%v", err)
	}
	file, err := parse(name, text)
	if err != nil {
		return err
	}
	for key := range file.tree {
		if key != "set" {
			return file.Errorf(key, "not a key; allowed: set")
		}
	}
	all, names := tables(file.tree["set"])
	ours, ourNames := tables(m.tree["set"])
	for i, table := range ours {
		if k := slices.Index(names, ourNames[i]); k >= 0 {
			maps.Copy(all[k], table)
		} else {
			all = append(all, table)
		}
	}
	m.tree["set"] = all
	delete(m.tree, "sets")
	maps.Copy(file.places, m.places)
	m.places = file.places
	return nil
}

// override sets the value of a key in a node of the tree. In a list of tables "*" stands for each.
func (m *Manifest) override(node any, path, key, text, place string) error {
	if table, ok := node.(map[string]any); ok {
		first, rest, more := strings.Cut(key, ".")
		path = join(path, first)
		if more {
			if table[first] == nil {
				table[first] = map[string]any{}
			}
			return m.override(table[first], path, rest, text, place)
		}
		table[first] = parseValue(text)
		maps.DeleteFunc(m.places, func(k, _ string) bool { return strings.HasPrefix(k, path+".") })
		m.places[path] = place
		return nil
	}
	list, names := tables(node)
	chosen := "" // the longest name that matches, as names may have points
	for _, name := range append(names, "*") {
		if strings.HasPrefix(key, name+".") && len(name) > len(chosen) {
			chosen = name
		}
	}
	switch {
	case list == nil:
		return fmt.Errorf("%s is not a table", path)
	case chosen == "":
		return fmt.Errorf("%s is not a key; allowed: a key of %s", join(path, key), strings.Join(names, ", "))
	}
	rest := key[len(chosen)+1:]
	for i, name := range names {
		if chosen == "*" || chosen == name {
			if err := m.override(list[i], join(path, name), rest, text, place); err != nil {
				return err
			}
		}
	}
	if rest == "name" {
		m.places[join(path, text)] = place
	}
	return nil
}

// parseValue reads a value of the command line, where a shell has removed the quotes of a text.
func parseValue(text string) any {
	var v map[string]any
	if tooDeep.MatchString(text) || toml.Unmarshal([]byte("x = "+text), &v) != nil {
		return text
	}
	return v["x"]
}

// tables returns the tables of a list, also an inline one, and their names or else numbers from 1, or nil.
func tables(value any) (all []map[string]any, names []string) {
	all, _ = value.([]map[string]any)
	inline, _ := value.([]any)
	for _, x := range inline {
		table, ok := x.(map[string]any)
		if !ok {
			return nil, nil
		}
		all = append(all, table)
	}
	for i, table := range all {
		name, ok := table["name"].(string)
		if !ok {
			name = strconv.Itoa(i + 1)
		}
		names = append(names, name)
	}
	return all, names
}

func join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}

var missing = regexp.MustCompile(`^(0|""|\[\]|<nil>)[a-z ]*; allowed`)

// Locate adds to the error of a field, with a key relative to path, its place. It returns others as they are.
func (m *Manifest) Locate(path string, err error) error {
	wrong, ok := errors.AsType[*field.Error](err)
	if !ok {
		return err
	}
	key, problem := join(path, wrong.Key), wrong.Problem
	if !m.given[key] {
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
