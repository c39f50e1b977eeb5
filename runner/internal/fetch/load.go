package fetch

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/BurntSushi/toml"
)

// Load reads the TOML file of the sets, whose files are put into its folder.
// Errors name file, line, key and what is allowed.
func Load(path string) (*Sets, error) {
	src, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("data sets: %w", err)
	}
	s, err := parse(path, string(src))
	if err != nil {
		return nil, err
	}
	s.root = filepath.Dir(path)
	return s, nil
}

// parse reads the sets in src, which errors call file.
func parse(file, src string) (*Sets, error) {
	lines := lineIndex(src)
	s := &Sets{}
	md, err := toml.Decode(src, s)
	if pe := (toml.ParseError{}); errors.As(err, &pe) {
		// Its Line is one too many where a line end is at fault.
		line := 1 + strings.Count(src[:min(max(0, pe.Position.Start), len(src))], "\n")
		return nil, fmt.Errorf("%s:%d: TOML syntax: %s", file, line, pe.Message)
	} else if err != nil {
		return nil, fmt.Errorf("%s:%d: %s", file, wrongType(src), typeError.ReplaceAllString(err.Error(), "$1: "))
	}
	if unknown := md.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s:%d: %s: unknown key", file, firstLine(lines, unknown[0]), unknown[0])
	}
	c := checker{
		at: func(table, key, format string, args ...any) error {
			line, ok := lines[table+"."+key]
			if !ok {
				line = lines[table]
			}
			return fmt.Errorf("%s:%d: %s: %s", file, line, key, fmt.Sprintf(format, args...))
		},
		names: map[string]bool{All: true},
		paths: map[string]bool{filepath.Base(file): true},
	}
	if err := c.sets(s); err != nil {
		return nil, err
	}
	return s, nil
}

// firstLine returns the first line with a key, in whichever set, or with the table
// that it is in: where it is unknown in one, it is in all.
func firstLine(lines map[string]int, key toml.Key) int {
	first := 0
	for ; first == 0 && len(key) > 0; key = key[:len(key)-1] {
		for path, n := range lines {
			if index.ReplaceAllString(path, "") == key.String() && (first == 0 || n < first) {
				first = n
			}
		}
	}
	return first
}

// index are the numbers in a path of lineIndex.
var index = regexp.MustCompile(`\.\d+`)

// lineIndex returns the lines of src, from 1, in which tables and keys stand, by
// paths such as set.2.file.0.sha256. It knows as much of TOML as the file of the
// sets uses: lists of tables under a header of their own, and one key a line.
func lineIndex(src string) map[string]int {
	lines := map[string]int{}
	count := map[string]int{} // of the tables of a list
	path := map[string]string{}
	table := ""
	n := 0
	for line := range strings.Lines(src) {
		n++
		if m := header.FindStringSubmatch(line); m != nil {
			parent, name := "", m[1]
			if i := strings.LastIndex(name, "."); i >= 0 {
				parent, name = path[name[:i]]+".", name[i+1:]
			}
			list := parent + name
			table = fmt.Sprintf("%s.%d", list, count[list])
			count[list]++
			path[m[1]] = table
			lines[table] = n
		} else if m := keyValue.FindStringSubmatch(line); m != nil {
			if table == "" {
				lines[m[1]] = n
			} else {
				lines[table+"."+m[1]] = n
			}
		}
	}
	return lines
}

var (
	header   = regexp.MustCompile(`^\s*\[\[\s*([\w.-]+)\s*\]\]`)
	keyValue = regexp.MustCompile(`^\s*([\w-]+)\s*=`)

	// typeError is how the decoder begins an error about a value of a wrong type.
	// The line is that of the last key of this name, not of the wrong one.
	typeError = regexp.MustCompile(`^toml: (?:line \d+ )?\(last key "(?:[^"]*\.)?([^".]*)"\): `)
)

// wrongType returns the line in which the first value of a wrong type ends: that
// without which the lines up to it have none.
func wrongType(src string) int {
	n, read := 0, 0
	for line := range strings.Lines(src) {
		n++
		read += len(line)
		_, err := toml.Decode(src[:read], &Sets{})
		if pe := (toml.ParseError{}); err != nil && !errors.As(err, &pe) {
			break
		}
	}
	return n
}
