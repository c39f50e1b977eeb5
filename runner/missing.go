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
	text := fmt.Sprintf("%s: %s is not there", m.Name, m.Missing[0])
	if n := len(m.Missing) - 1; n > 0 {
		text += fmt.Sprintf(", nor are %d more data files", n)
	}
	if len(commands) > 0 {
		text += fmt.Sprintf("; go run ./runner%s gets it", strings.Join(slices.Compact(commands), ""))
	}
	return errors.New(text)
}
