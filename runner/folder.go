package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// dir returns the results folder of an experiment. With other values than those of its
// manifest it has one of its own, NAME@KEY=VALUE,…, unless -out says where results go.
func (p *program) dir(e *experiment) string {
	name := e.Name
	if len(e.Overrides) > 0 && !p.elsewhere {
		name = folderName(name + "@" + strings.Join(e.Overrides, ","))
	}
	return filepath.Join(p.out, name)
}

var notPlain = regexp.MustCompile(`[^A-Za-z0-9_+=@,.-]`)

// folderName returns a text as the name of a folder that any file system and shell can do
// with. If it is then another text, a hash tells apart those that look alike.
func folderName(text string) string {
	const longest = 100
	name := notPlain.ReplaceAllString(text, "_")
	if name == text && len(name) <= longest {
		return name
	}
	return name[:min(len(name), longest)] + "-" + checksum([]byte(text))[:8]
}

var (
	firstFigure = regexp.MustCompile("(?m)^- `(\\S+)`, of `")
	firstTable  = regexp.MustCompile("(?m)^`(\\S+\\.csv)`$")
)

// first returns the line that says what to open first of the results: the main figure and
// the main table, which are the first that README.md tells of.
func (j *job) first() string {
	readme, _ := os.ReadFile(filepath.Join(j.dir, "README.md"))
	var paths []string
	if m := firstFigure.FindSubmatch(readme); m != nil {
		paths = append(paths, filepath.Join(j.dir, string(m[1])+".png"))
	}
	if m := firstTable.FindSubmatch(readme); m != nil {
		paths = append(paths, filepath.Join(j.dir, string(m[1])))
	}
	if len(paths) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: open %s\n", j.Name, strings.Join(paths, ", "))
}
