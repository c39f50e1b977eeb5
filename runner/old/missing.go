package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"closedform/runner/internal/fetch"
	"closedform/runner/internal/manifest"
)

// missing says which data files of a manifest are not there, and how to get them.
func missing(m *manifest.Manifest) error {
	sets, err := fetch.Load(dataSets)
	if err != nil {
		// Away from the project there are no sets that could be fetched.
		sets = &fetch.Sets{}
	}
	var commands []string
	for _, path := range m.Missing {
		if set, ok := sets.Hint(path); ok {
			commands = append(commands, " -fetch "+set)
		}
	}
	text, them := fmt.Sprintf("%s: %s is not there", m.Name, m.Missing[0]), "it"
	switch n := len(m.Missing) - 1; {
	case n == 1:
		text, them = text+", nor is "+m.Missing[1], "them"
	case n > 1:
		text, them = fmt.Sprintf("%s, nor are %d more data files", text, n), "them"
	}
	slices.Sort(commands)
	if len(commands) > 0 {
		text += fmt.Sprintf("; go run ./runner%s gets %s", strings.Join(slices.Compact(commands), ""), them)
	}
	return errors.New(text)
}
