package config

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

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

var (
	slurmKey   = regexp.MustCompile(`^[a-z][a-z-]*$`)
	slurmValue = regexp.MustCompile(`^[^\s"'\\]+$`)
)

// takeSlurm takes the table [slurm] out of the tree: the long options of sbatch,
//
//	[slurm]
//	partition = "long"
//	time      = "2:00:00"
//	exclusive = true
func (m *Manifest) takeSlurm() error {
	value, ok := m.tree["slurm"]
	table, isTable := value.(map[string]any)
	if ok && !isTable {
		return m.Errorf("slurm", "%v; allowed: a table of options of sbatch", value)
	}
	delete(m.tree, "slurm")
	for _, key := range slices.Sorted(maps.Keys(table)) {
		option := "--" + key
		switch text := fmt.Sprint(table[key]); table[key].(type) {
		case string, int64:
			if !slurmValue.MatchString(text) {
				return m.Errorf("slurm."+key, "%q is not allowed; allowed: a text without spaces and quotes", text)
			}
			option += "=" + text
		case bool:
			if text == "false" {
				continue
			}
		default:
			return m.Errorf("slurm."+key, "%s; allowed: a text, an integer, true or false", text)
		}
		if !slurmKey.MatchString(key) {
			return m.Errorf("slurm."+key, "not an option of sbatch; allowed: a long one without its dashes, such as partition")
		}
		m.Slurm = strings.TrimPrefix(m.Slurm+" "+option, " ")
	}
	return nil
}
