package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// diff prints what changed since a commit.
func TestDiff(t *testing.T) {
	inExperiments(t, map[string]string{"small.toml": small, "other.toml": edit(t, small, `"small"`, `"other"`)})
	mustRun(t, "-all")
	git(t, "init", "-q")
	git(t, "add", "results")
	git(t, "commit", "-q", "-m", "x")
	if got := mustRun(t, "diff", "HEAD"); got != "other: same\nsmall: same\n" {
		t.Errorf("without a change it prints\n%s", got)
	}
	dir := filepath.Join("results", "small")
	write(t, strings.Replace(read(t, dir, "summary.csv"), "joint,0", "joint,7", 1), dir, "summary.csv")
	got := mustRun(t, "diff", "HEAD")
	contains(t, got, "summary  method=joint  above   0    7    +7\n", "small: 1 of 2 values changed\n", "other: same\n")
	if got := mustRun(t, "diff", "HEAD", "other"); got != "other: same\n" {
		t.Errorf("of one experiment it prints\n%s", got)
	}
	fails(t, "commit nowhere: ", "diff", "nowhere")
	fails(t, "no results of third", "diff", "HEAD", "third")
	t.Setenv("GIT_DIR", t.TempDir())
	fails(t, "not a git repository", "diff", "HEAD")
}
