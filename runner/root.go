package main

import (
	"fmt"
	"os"
	"regexp"
	"strings"

	"closedform/runner/internal/config"
	"closedform/runner/internal/experiment"
)

// manifests returns the names of all manifests.
func (p *program) manifests() ([]string, error) {
	if info, err := os.Stat(experiment.Folder); err != nil || !info.IsDir() {
		here, _ := os.Getwd()
		return nil, fmt.Errorf("no folder %s/ in %s; go to the root of the repository of closedform, or give the path of a manifest", experiment.Folder, here)
	}
	return config.List(experiment.Folder)
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir()
}

// command returns the command line, for typing it again.
func (p *program) command() string {
	command := "go run ./runner"
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
