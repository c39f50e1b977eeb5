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
	var options []string
	for _, key := range slices.Sorted(maps.Keys(table)) {
		option := "--" + key
		switch value := table[key].(type) {
		case string, int64:
			text := fmt.Sprint(value)
			if !slurmValue.MatchString(text) {
				return m.Errorf("slurm."+key, "%q is not allowed; allowed: a text without spaces and quotes", text)
			}
			option += "=" + text
		case bool:
			if !value {
				continue
			}
		default:
			return m.Errorf("slurm."+key, "%v; allowed: a text, an integer, true or false", value)
		}
		if !slurmKey.MatchString(key) {
			return m.Errorf("slurm."+key, "not an option of sbatch; allowed: a long one without its dashes, such as partition")
		}
		options = append(options, option)
	}
	m.Slurm = strings.Join(options, " ")
	return nil
}
