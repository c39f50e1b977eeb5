package pipeline

import (
	"os"
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
	check.InExperiments(t, map[string]string{"small.toml": small})
	program.Run(t, "-exp", "small")
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
		program.Run(t, args...)
		dirs := check.Glob("results", c.folder)
		if len(dirs) != 1 {
			t.Errorf("%s: there is %q", c.set, check.Glob("results", "*"))
			continue
		}
		check.Contains(t, check.Read(dirs[0], "README.md"), "\n    go run ./runner -exp small -set "+c.command)
		check.Equal(t, "run.json", check.Must(store.ReadRun(dirs[0])).Overrides, strings.Split(c.set, ","))
		for _, again := range []string{"verify", "draw"} {
			program.Run(t, append([]string{again}, args...)...)
		}
		// The manifest among the results makes the same results in the same folder.
		check.Contains(t, program.Run(t, "-exp", dirs[0]+"/manifest.toml"), dirs[0]+" is up to date\n")
	}
	same(t, snapshot(t, filepath.Join("results", "small")), before)
}

// A clone runs, draws and verifies everything again, and its tree is clean.
func TestRerunLeavesTheTreeClean(t *testing.T) {
	noted := edit(t, drawn, "threshold", "noted = true\nthreshold")
	check.InExperiments(t, map[string]string{"small.toml": noted})
	program.Run(t, "-exp", "small")
	check.Write(t, "cells/\nindex.html\n*.pdf\n*.gz\n/results/*@*/\n", ".gitignore")
	git(t, "init", "-q")
	git(t, "add", ".")
	git(t, "commit", "-qm", "results")
	for _, args := range []string{"-all", "draw -all", "verify -all", "-all -set sweep.seed=2"} {
		git(t, "clean", "-qfdX")
		program.Run(t, strings.Fields(args)...)
		check.Equal(t, args+" changes", git(t, "status", "--porcelain"), "")
	}
	check.Contains(t, program.Run(t, "-all"), "\nopen results/index.html\n")
	// Provenance has the state of the code, which new results do not change.
	dir := filepath.Join("results", "small@sweep.seed=2")
	head := strings.TrimSpace(git(t, "rev-parse", "HEAD"))
	run := check.Must(store.ReadRun(dir))
	check.Equal(t, "commit and tree", []string{run.Commit, run.Tree}, []string{head, "clean"})
	check.Write(t, "package x", "new.go")
	check.Remove(t, dir)
	program.Run(t, "-all", "-set", "sweep.seed=2")
	check.Equal(t, "with another file", check.Must(store.ReadRun(dir)).Tree, "dirty")
}

// No results are written where the inputs are, and no two manifests write into one folder.
func TestInputsStayOutOfResults(t *testing.T) {
	t.Chdir(t.TempDir())
	m := check.Write(t, small, "mine", "small", "manifest.toml")
	check.OK(t, os.Symlink("mine", "link"))
	for _, out := range []string{"mine", "link"} {
		program.Fails(t, out+"/small has the input "+m+", which the results could replace", "-exp", m, "-out", out)
	}
	check.Equal(t, "the manifest", check.Read(m), small)
	a, b := check.Write(t, small, "mine", "a.toml"), check.Write(t, small, "mine", "b.toml")
	program.Fails(t, "would both write to ", "-exp", a, "-exp", "link/b.toml")
	program.Run(t, "-exp", a)
	before := snapshot(t, filepath.Join("mine", "closedform-results", "small"))
	program.Fails(t, "closedform-results/small has the results of ", "-exp", b)
	program.Fails(t, "a.toml, not of link/b.toml", "-exp", "link/b.toml")
	same(t, snapshot(t, filepath.Join("mine", "closedform-results", "small")), before)
}

// Where to look is said only after success; the page is written all the same.
func TestOpenAfterSuccess(t *testing.T) {
	check.InExperiments(t, map[string]string{"small.toml": small, "z.toml": named("z")})
	program.Run(t, "-exp", "small")
	check.Remove(t, "results", "index.html")
	check.Write(t, edit(t, named("z"), "points = 5", "points = 5\nfail = true"), "experiments", "z.toml")
	stdout, _, err := program.Try(t, "-all", "-quiet")
	check.Refuses(t, "z", err, "z: ")
	check.Equal(t, "it says what to open", strings.Contains(stdout, "open "), false)
	check.Equal(t, "there is a page", check.Exists("results", "index.html"), true)
}

// However the folder of the published results is written, other values and manifests from elsewhere do not
// replace what is in it.
func TestPublishedIsKept(t *testing.T) {
	short := edit(t, drawn, "threshold", "short = ['sweep.seed=[2]']\nthreshold")
	check.InExperiments(t, map[string]string{"small.toml": short})
	program.Run(t, "-exp", "small")
	own := check.Write(t, small, "own", "small.toml")
	before := snapshot(t, "results")
	check.OK(t, os.Symlink("results", "link"))
	full := check.Must(filepath.Abs("results"))
	for _, out := range []string{"results", "results/", "./results", "own/../results", full, "link"} {
		for _, args := range []string{
			"-exp small -short", "-exp small -set seed=1", "draw small -set title=x", "-exp " + own,
		} {
			program.Fails(t, "has the published results; results of other values, or of a manifest outside of "+
				"experiments/, need another folder", append(strings.Fields(args), "-out", out)...)
		}
	}
	// A copy of the manifest among the results is a manifest of your own.
	check.Write(t, edit(t, check.Read("results", "small", "manifest.toml"), "0.5", "-9"), "copies", "copy.toml")
	program.Run(t, "-exp", filepath.Join("copies", "copy.toml"))
	same(t, snapshot(t, "results"), before)
	check.Remove(t, "copies")
	program.Run(t, "-exp", "small", "-short", "-set", "title=Ways")
	dirs := check.Glob("results", "small@sweep.seed=_2_,title=Ways-*")
	check.Equal(t, "the short form has a folder", len(dirs), 1)

	// The same folder by another path is the same manifest; another one with its name is not.
	program.Run(t, "-exp", own)
	dir := filepath.Join("own", "closedform-results", "small")
	t.Chdir("experiments")
	check.Contains(t, program.Run(t, "-exp", "../own/small.toml"), "4 cells, 0 computed, ", dir+" is up to date")
	t.Chdir("..")
	other := check.Write(t, small, "other", "small.toml")
	program.Fails(t, dir+" has the results of /", "-exp", other, "-out", filepath.Dir(dir))
}
