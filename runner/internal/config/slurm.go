package config

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

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
