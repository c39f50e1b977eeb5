package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"closedform/runner/internal/config"
)

// manifests is the folder in which experiments are looked up by name.
const manifests = "experiments"

var moduleLine = regexp.MustCompile(`(?m)^module closedform\s*$`)

// enter goes to the root of the repository, up from the working directory, so that the
// program does the same in each of its folders; back goes back. Without a repository it stays.
func (p *program) enter() (back func() error, err error) {
	if p.here, err = os.Getwd(); err != nil {
		return nil, err
	}
	root := p.here
	for !isRoot(root) && root != filepath.Dir(root) {
		root = filepath.Dir(root)
	}
	if p.below = isRoot(root) && root != p.here; p.below {
		err = os.Chdir(root)
	}
	if p.given["out"] {
		if p.out == "" {
			return nil, misuse("-out is empty; need a folder")
		}
		p.out = p.path(p.out)
	}
	p.sources = p.out
	return func() error { return os.Chdir(p.here) }, err
}

func isRoot(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	info, err2 := os.Stat(filepath.Join(dir, manifests))
	return err == nil && err2 == nil && info.IsDir() && moduleLine.Match(text)
}

// manifests returns the names of all manifests.
func (p *program) manifests() ([]string, error) {
	if info, err := os.Stat(manifests); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("no folder %s/ in %s; go to the repository of closedform, "+
			"or to any folder in it, or give the path of a manifest", manifests, p.here)
	}
	return config.List(manifests)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// path returns a path of the command line, which is relative to where that was typed, for the root.
func (p *program) path(typed string) string {
	if !p.below || typed == "" || filepath.IsAbs(typed) {
		return typed
	}
	return relative(".", filepath.Join(p.here, typed))
}

// typed returns a path from the root as one types it.
func (p *program) typed(path string) string {
	if !p.below || filepath.IsAbs(path) {
		return path
	}
	return relative(p.here, path)
}

func relative(from, to string) string {
	from, err1 := filepath.Abs(from)
	to, err2 := filepath.Abs(to)
	path, err := filepath.Rel(from, to)
	if err1 != nil || err2 != nil || err != nil { // the working directory is gone
		return to
	}
	return path
}

// command returns the command line, to be typed again.
func (p *program) command() string {
	command := "go run ./runner"
	if p.below {
		command = "go run closedform/runner" // in any folder of the repository
	}
	for _, arg := range p.args {
		command += " " + quoted(arg)
	}
	return command
}

var plainWord = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// quoted returns a word as a shell reads it.
func quoted(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
