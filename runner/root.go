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

var moduleLine = regexp.MustCompile(`(?m)^module closedform\s*$`)

// enter changes to the root of the repository, so that the program does the same in each of its
// folders; back returns to the working directory. Outside a repository it does nothing.
func (p *program) enter() (back func() error, err error) {
	here, err := os.Getwd()
	if p.given["out"] && p.out == "" {
		err = misuse("-out is empty; need a folder")
	}
	if err != nil {
		return nil, err
	}
	root := here
	for !isRoot(root) && root != filepath.Dir(root) {
		root = filepath.Dir(root)
	}
	if isRoot(root) && root != here {
		p.below = strings.TrimPrefix(here, filepath.Clean(root)+string(filepath.Separator))
		err = os.Chdir(root)
	}
	if p.given["out"] {
		p.out = p.path(p.out)
	}
	p.sources = p.out
	return func() error { return os.Chdir(here) }, err
}

func isRoot(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	info, err2 := os.Stat(filepath.Join(dir, experiment.Folder))
	return err == nil && err2 == nil && info.IsDir() && moduleLine.Match(text)
}

// manifests returns the names of all manifests.
func (p *program) manifests() ([]string, error) {
	if info, err := os.Stat(experiment.Folder); err != nil || !info.IsDir() {
		here, _ := os.Getwd()
		return nil, fmt.Errorf("no folder %s/ in %s; go to the repository of closedform, "+
			"or to any folder in it, or give the path of a manifest", experiment.Folder, here)
	}
	return config.List(experiment.Folder)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// path converts a path of the command line, relative to where it was typed, to one relative to the root.
func (p *program) path(typed string) string {
	if p.below == "" || typed == "" || filepath.IsAbs(typed) {
		return typed
	}
	return filepath.Join(p.below, typed)
}

// command returns the command line, for typing it again.
func (p *program) command() string {
	command := "go run ./runner"
	if p.below != "" {
		command = "go run closedform/runner" // in any folder of the repository
	}
	for _, arg := range p.args {
		command += " " + quoted(arg)
	}
	return command
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quoted quotes a word for the shell.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
