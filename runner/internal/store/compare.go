package store

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Compare returns a line on each file in which the results folder published differs from fresh, the results
// of running it again. A line on a text has the first of its lines that differ.
//
// Files that are not committed are compared by the checksums that are: those that lie in the folder may be of
// another run.
func Compare(published, fresh string) (lines []string, err error) {
	old, err1 := OpenResults(published)
	now, err2 := OpenResults(fresh)
	files, err3 := os.ReadDir(published)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	for _, name := range old.Differing() {
		lines = append(lines, name+": not what SHA256SUMS says")
	}
	for _, e := range files {
		name := e.Name()
		summed := !slices.Contains(ofRun, name) && name[0] != '.'
		if old.sums[name] == "" && summed && !e.IsDir() && committed(name) {
			lines = append(lines, name+": not listed in SHA256SUMS")
		}
	}
	names := maps.Clone(old.sums)
	maps.Copy(names, now.sums)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, is := old.sums[name], now.sums[name]
		switch {
		case was == is:
		case is == "":
			lines = append(lines, name+": missing: a fresh run does not make it")
		case was == "":
			lines = append(lines, name+": extra: only a fresh run makes it")
		default:
			lines = append(lines, name+firstDifference(filepath.Join(published, name), filepath.Join(fresh, name)))
		}
	}
	return lines, nil
}

// firstDifference says in which line two text files differ first, and how.
func firstDifference(published, fresh string) string {
	if name := filepath.Base(published); !committed(name) || filepath.Ext(name) == ".png" {
		return ": other bytes"
	}
	was, _ := os.ReadFile(published)
	is, _ := os.ReadFile(fresh)
	old, now := strings.Split(string(was), "\n"), strings.Split(string(is), "\n")
	n := 0
	for n < min(len(old), len(now))-1 && old[n] == now[n] {
		n++
	}
	return fmt.Sprintf(":%d: %q, and now %q", n+1, old[n], now[n])
}
