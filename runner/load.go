package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"closedform/runner/internal/config"
	"closedform/runner/internal/experiment"
)

// load reads the manifests of the command line, which has some of them as arguments: every one is read and
// checked before the first results folder is touched. If data are needed, those of all manifests whose data are
// not there are skipped, with a line that says so.
func (p *program) load(names []string, data bool) ([]*experiment.Experiment, error) {
	names = append(p.exp, names...)
	switch {
	case p.all && len(names) > 0:
		return nil, misuse("-all and the names of manifests exclude each other")
	case !p.all && len(names) == 0:
		return nil, misuse("nothing to do; give the names of manifests, or -all")
	case p.given["effort"] && !p.all:
		return nil, misuse("-effort chooses among the manifests of -all")
	case p.short && p.out == "results":
		return nil, misuse("-short needs -out FOLDER, a folder other than results")
	case p.all:
		var err error
		if names, err = manifests(); err != nil {
			return nil, err
		}
	}
	var experiments []*experiment.Experiment
	skipped := 0
	paths := map[string]string{}
	for _, name := range names {
		path, err := config.Find(name, experiment.Folder)
		if err != nil {
			if _, absent := manifests(); absent != nil {
				err = fmt.Errorf("no file %s, and %w", name, absent)
			}
			return nil, err
		}
		e, err := experiment.Read(path, p.set)
		if p.short && err == nil {
			e, err = e.ShortForm(p.set)
		}
		if err != nil {
			if len(names) > 1 && !strings.HasPrefix(err.Error(), path) {
				err = fmt.Errorf("%s: %w", path, err) // what -set gets wrong has no place in a file
			}
			return nil, err
		}
		if other, twice := paths[e.Name]; twice {
			return nil, fmt.Errorf("%s: name = %q: %s has the same, and both would write to one folder", path, e.Name, other)
		}
		paths[e.Name] = path
		if !p.takes(e.Effort) {
			continue
		}
		if data {
			err = e.Missing()
		}
		switch {
		case err == nil:
			experiments = append(experiments, e)
		case !p.all:
			return nil, err
		default:
			fmt.Fprintf(p.stdout, "%v; skipped\n", err)
			skipped++
		}
	}
	if len(experiments)+skipped == 0 {
		return nil, fmt.Errorf("no manifest to run in %s", filepath.Clean(experiment.Folder))
	}
	return experiments, nil
}

// manifests returns the paths of all manifests, which are in experiments/.
func manifests() ([]string, error) {
	if info, err := os.Stat(experiment.Folder); err != nil || !info.IsDir() {
		here, _ := os.Getwd()
		return nil, fmt.Errorf("no folder %s/ in %s; go to the root of the repository of closedform, or give the path of a manifest", experiment.Folder, here)
	}
	return filepath.Glob(filepath.Join(experiment.Folder, "*.toml"))
}

// commandLine returns a command line of these arguments, for typing it again.
func commandLine(args []string) string {
	command := "go run ./runner"
	for _, arg := range args {
		command += " " + quoted(arg)
	}
	return command
}

// quoted quotes a word for the shell, if it must be.
func quoted(word string) string {
	if word != "" && !special.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

var special = regexp.MustCompile(`[^\w@%+=:,./-]`)
