package main

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
)

// git runs git in the working directory.
func git(t *testing.T, args ...string) string {
	t.Helper()
	args = append([]string{"-c", "user.name=x", "-c", "user.email=x@y"}, args...)
	out, err := exec.Command("git", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %q: %v: %s", args, err, out)
	}
	return string(out)
}

// With -set the results of the manifest stay, and those of other values have a folder
// whose README tells how to make it again.
func TestSetHasItsOwnFolder(t *testing.T) {
	inExperiments(t, map[string]string{"small.toml": small})
	mustRun(t, "-exp", "small")
	before := snapshot(t, filepath.Join("results", "small"))
	long := strings.Repeat("x", 200)
	for _, c := range []struct{ set, folder, command string }{
		{"seed=2,sweep.seed=2..3", "small@seed=2,sweep.seed=2..3", "seed=2 -set sweep.seed=2..3 -quiet\n"},
		{"sweep.seed=[2]", "small@sweep.seed=_2_-????????", "'sweep.seed=[2]' -quiet\n"},
		{`title="../` + long + `"`, "small@title=_.._" + long[:84] + "-????????", ""},
	} {
		args := []string{"-exp", "small"}
		for _, s := range strings.Split(c.set, ",") {
			args = append(args, "-set", s)
		}
		mustRun(t, args...)
		dirs := glob(t, "results", c.folder)
		if len(dirs) != 1 {
			t.Errorf("%s: there is %q", c.set, glob(t, "results", "*"))
			continue
		}
		contains(t, read(t, dirs[0], "README.md"), "\n    go run ./runner -exp small -set "+c.command)
		check.Equal(t, "run.json", check.Must(store.ReadRun(dirs[0])).Overrides, strings.Split(c.set, ","))
		for _, again := range []string{"verify", "draw"} {
			mustRun(t, append([]string{again}, args...)...)
		}
		// The manifest among the results makes the same results in the same folder.
		contains(t, mustRun(t, "-exp", filepath.Join(dirs[0], "manifest.toml")), dirs[0]+" is up to date\n")
	}
	same(t, snapshot(t, filepath.Join("results", "small")), before)
}

// A clone runs, draws and verifies everything again, and its tree is clean.
func TestRerunLeavesTheTreeClean(t *testing.T) {
	inExperiments(t, map[string]string{"small.toml": edit(t, drawn, "threshold", "noted = true\nthreshold")})
	mustRun(t, "-exp", "small")
	write(t, "cells/\nindex.html\n*.pdf\n*.gz\n/results/*@*/\n", ".gitignore")
	git(t, "init", "-q")
	git(t, "add", ".")
	git(t, "commit", "-qm", "results")
	for _, args := range []string{"-all", "draw -all", "verify -all", "-all -set sweep.seed=2"} {
		git(t, "clean", "-qfdX")
		mustRun(t, strings.Fields(args)...)
		check.Equal(t, args+" changes", git(t, "status", "--porcelain"), "")
	}
	contains(t, mustRun(t, "-all"), "\nopen results/index.html\n")
}
