package main

import (
	"path/filepath"
	"regexp"
	"strings"

	"closedform/runner/internal/experiment"
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

// invocation returns the command line that runs the experiment.
func invocation(e *experiment.Experiment) string {
	command := "go run ./runner -exp "
	if e.Folder != experiment.Folder {
		return command + "FOLDER/manifest.toml -out ANOTHER"
	}
	command += e.Name
	for _, o := range e.Overrides {
		command += " -set " + quoted(o)
	}
	return command
}
