package main

import (
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"closedform/runner/internal/experiment"
	"closedform/runner/internal/store"
)

// dir returns the results folder of an experiment. With other values than those of its
// manifest it has one of its own, NAME@KEY=VALUE,…, unless -out says where results go.
func (p *program) dir(e *experiment.Experiment) string {
	name := e.Name
	if len(e.Overrides) > 0 && !p.given["out"] {
		name = folderName(name + "@" + strings.Join(e.Overrides, ","))
	}
	return filepath.Join(p.out, name)
}

var notPlain = regexp.MustCompile(`[^A-Za-z0-9_+=@,.-]`)

// folderName returns a text as the name of a folder that is valid in any file system and shell. If
// the text had to be changed, a hash keeps names different.
func folderName(text string) string {
	const longest = 100
	name := notPlain.ReplaceAllString(text, "_")
	if name == text && len(name) <= longest {
		return name
	}
	return name[:min(len(name), longest)] + "-" + experiment.Checksum([]byte(text))[:8]
}

// first returns the line that names the main figure and the main table of the
// results.
func (j *job) first() string {
	var paths []string
	if s, err := store.ReadSchema(j.dir); err == nil {
		for _, f := range s.Figures[:min(1, len(s.Figures))] {
			paths = append(paths, filepath.Join(j.dir, f.Name+".png"))
		}
		for _, t := range s.Tables {
			if strings.HasSuffix(t.File, ".csv") {
				paths = append(paths, filepath.Join(j.dir, t.File))
				break
			}
		}
	}
	if len(paths) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: open %s\n", j.Name, strings.Join(paths, ", "))
}

// invocation returns a command line for the experiment: of a command, which ends with a blank, or of run.
func invocation(e *experiment.Experiment, command string) string {
	command = "go run ./runner " + command + "-exp "
	if e.Folder != experiment.Folder {
		return command + "FOLDER/manifest.toml -out ANOTHER"
	}
	command += e.Name
	for _, o := range e.Overrides {
		command += " -set " + quoted(o)
	}
	return command
}
