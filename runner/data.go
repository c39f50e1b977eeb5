package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"closedform/runner/internal/fetch"
	"closedform/runner/internal/study"
)

// dataSets is the file that says what -fetch gets.
var dataSets = filepath.Join(manifests, "data", "sets.toml")

func fetchData(ctx context.Context, w io.Writer, names []string, mirror string) error {
	sets, err := fetch.Load(dataSets)
	if err != nil {
		return err
	}
	return sets.Fetch(ctx, w, names, mirror)
}

// missing says which data files of an experiment are not there, and how to get them.
func (e *experiment) missing() error {
	d, ok := e.study.(study.WithData)
	if !ok {
		return nil
	}
	sets, err := fetch.Load(dataSets)
	if err != nil {
		sets = &fetch.Sets{} // away from the project there are none that could be fetched
	}
	var files, commands []string
	for _, path := range d.Files() {
		if _, err := os.Stat(path); err == nil {
			continue
		}
		files = append(files, path)
		if set, ok := sets.Hint(path); ok && !slices.Contains(commands, " -fetch "+set) {
			commands = append(commands, " -fetch "+set)
		}
	}
	if len(files) == 0 {
		return nil
	}
	text := fmt.Sprintf("%s: not there: %s", e.Name, strings.Join(files[:min(len(files), 3)], ", "))
	if n := len(files) - 3; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	if len(commands) > 0 {
		text += "; to be had by go run ./runner" + strings.Join(commands, "")
	}
	return errors.New(text)
}
