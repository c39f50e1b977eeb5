package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

var moduleLine = regexp.MustCompile(`(?m)^module closedform\s*$`)

// enter goes to the root of the repository, up from the working directory, so that the
// program does the same in each of its folders; back goes back. The paths of the command
// line stay those of where it was typed. Without a repository it stays, and it is an error
// if a manifest is called by its name.
func (o *options) enter() (back func() error, err error) {
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	root := here
	for !isRoot(root) && root != filepath.Dir(root) {
		root = filepath.Dir(root)
	}
	if !isRoot(root) {
		root = here
	}
	byName := o.all || o.list || o.stale || o.report != "" || len(o.fetch) > 0 ||
		o.diff == "" && slices.ContainsFunc(o.exp, func(name string) bool { return !isFile(name) })
	if info, err := os.Stat(filepath.Join(root, manifests)); byName && (err != nil || !info.IsDir()) {
		return nil, fmt.Errorf("no folder %s/ in %s; go to the repository of closedform, "+
			"or to any folder in it, or give -exp the path of a manifest", manifests, here)
	}
	for i, path := range o.exp {
		if isFile(path) {
			o.exp[i] = rebased(path, here, root)
		}
	}
	o.mirror, o.report, o.paper = rebased(o.mirror, here, root), rebased(o.report, here, root), rebased(o.paper, here, root)
	if o.elsewhere {
		o.out = rebased(o.out, here, root)
		o.sources = o.out
	}
	if root != here {
		o.below = true
		err = os.Chdir(root)
	}
	return func() error { return os.Chdir(here) }, err
}

func isRoot(dir string) bool {
	text, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	info, err2 := os.Stat(filepath.Join(dir, manifests))
	return err == nil && err2 == nil && info.IsDir() && moduleLine.Match(text)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// rebased returns a path that is relative to one folder as one that is relative to another.
func rebased(path, from, to string) string {
	if path == "" || filepath.IsAbs(path) || from == to {
		return path
	}
	path, err := filepath.Rel(to, filepath.Join(from, path))
	if err != nil { // they are both absolute
		panic(err)
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
