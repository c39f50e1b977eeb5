package config

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Sweep is the table [sweep] of an experiment that sweeps the seed alone.
type Sweep struct {
	Seed Ints `toml:"seed,omitempty"`
}

// Ints is a list of integers, which may be written as a range such as "1..20".
type Ints []int

// UnmarshalTOML reads a list or a range.
func (s *Ints) UnmarshalTOML(v any) error {
	*s = nil
	switch v := v.(type) {
	case string:
		before, after, _ := strings.Cut(v, "..")
		first, err := strconv.Atoi(before)
		last, err2 := strconv.Atoi(after)
		if cmp.Or(err, err2) != nil || first < 0 || last < first || last > MaxSeed || last-first >= MaxCells {
			break
		}
		for n := first; n <= last; n++ {
			*s = append(*s, n)
		}
		return nil
	case []any:
		for _, x := range v {
			n, ok := x.(int64)
			if !ok || slices.Contains(*s, int(n)) {
				return fmt.Errorf("%v is not allowed; allowed: integers that differ", x)
			}
			*s = append(*s, int(n))
		}
		return nil
	}
	return fmt.Errorf(`%v is not allowed; allowed: a range such as "1..20" or a list of integers`, v)
}

// MarshalTOML writes a range where it is one.
func (s Ints) MarshalTOML() ([]byte, error) {
	for i, n := range s {
		if n != s[0]+i || len(s) < 2 {
			return []byte(strings.ReplaceAll(fmt.Sprint([]int(s)), " ", ", ")), nil
		}
	}
	if len(s) == 0 {
		return []byte("[]"), nil
	}
	return fmt.Appendf(nil, "%q", fmt.Sprintf("%d..%d", s[0], s[len(s)-1])), nil
}

// Seeds returns the seeds that are swept, which must include that of the manifest, or
// this alone if there are none.
func (m *Manifest) Seeds(swept Ints) ([]int, error) {
	if len(swept) == 0 {
		return []int{m.Seed}, nil
	}
	if !slices.Contains(swept, m.Seed) {
		return nil, m.Errorf("seed", "%d is not allowed; allowed: one of sweep.seed", m.Seed)
	}
	return swept, nil
}

// takeSets puts the tables [[set]] of the file that the key sets names, relative to the
// manifest, before those of the manifest. A set of the manifest with the name of a set of the file
// replaces its values.
func (m *Manifest) takeSets() error {
	value, ok := m.tree["sets"]
	if !ok {
		return nil
	}
	name, ok := value.(string)
	if !ok || filepath.Ext(name) != ".toml" {
		return m.Errorf("sets", "%v is not allowed; allowed: the name of a .toml file with tables [[set]]", value)
	}
	if !filepath.IsAbs(name) {
		name = filepath.Join(filepath.Dir(m.File), name)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return m.Errorf("sets", "%v", err)
	}
	m.sets = &Manifest{File: name, text: text}
	if err := m.sets.parse(); err != nil {
		return err
	}
	for key := range m.sets.tree {
		if key != "set" {
			return m.sets.Errorf(key, "not a key; allowed: set")
		}
	}
	all, _ := m.sets.tree["set"].([]map[string]any)
	for i, t := range all {
		all[i] = maps.Clone(t)
	}
	own, _ := m.own["set"].([]map[string]any)
	for _, t := range own {
		if i := slices.IndexFunc(all, func(s map[string]any) bool { return s["name"] == t["name"] }); i >= 0 {
			maps.Copy(all[i], t)
		} else {
			all = append(all, t)
		}
	}
	m.tree = maps.Clone(m.own)
	delete(m.tree, "sets")
	m.tree["set"] = all
	return nil
}
