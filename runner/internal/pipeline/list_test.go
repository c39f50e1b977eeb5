package pipeline

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

// list says whether the results are complete and up to date, and what they cost.
func TestList(t *testing.T) {
	inExperiments(t, map[string]string{
		"a_longer_name.toml": edit(t, named("a_longer_name"), "[1, 2]", `"1..50"`),
		"needy.toml":         edit(t, named("needy"), "threshold", "file = \"data/red.csv\"\nthreshold"),
		"small.toml":         small,
		"notes.text":         "no manifest",
	})
	dir := filepath.Join("results", "small")
	for _, c := range []struct {
		change           func()
		state, cpu, time string // of small, and the sum
	}{
		{func() {}, "not run", "0s", "0s"},
		{func() { write(t, "", dir, "cells", "one.cell") }, "partly computed: 1 of 4 cells", "0s", "0s"},
		{func() { mustRun(t, "-exp", "small") }, "computed", `\S+s`, `\S+s`},
		{func() { remove(t, dir, "summary.csv") }, "files differ", `\S+s`, `\S+s`},
		{func() { write(t, "{", dir, "run.json") }, "cannot be read", "0s", "0s"},
	} {
		c.change()
		want := "NAME +STATE +CELLS +CPU +QUESTION\n" +
			"a_longer_name +not run +100 +0s +Where do they end\\?\n" +
			"needy +needs data +4 +0s +Where do they end\\?\n" +
			"small +" + c.state + " +4 +" + c.cpu + " +Where do they end\\?\n" +
			"sum +108 +" + c.time + "\n"
		if got := mustRun(t, "list"); !regexp.MustCompile("^" + want + "$").MatchString(got) {
			t.Errorf("list prints\n%s", got)
		}
	}
	write(t, "name = 3\nstudy = 'toy'\n", "experiments", "a.toml")
	stdout, _, err := try(t, "list")
	check.Refuses(t, "a bad manifest", err, filepath.Join("experiments", "a.toml")+":1: name: ")
	check.Equal(t, "lines beside a bad manifest", strings.Count(stdout, "\n"), 5)
	t.Chdir(t.TempDir())
	stdout, _, err = try(t, "list")
	check.Refuses(t, "list outside of the repository", err, "no folder experiments/ in ")
	check.Equal(t, "it prints", stdout, "")
}

// list says what is behind and why, and list -check fails unless results/STALE names it.
func TestBehind(t *testing.T) {
	inExperiments(t, map[string]string{"small.toml": small, "a_judge.toml": derived})
	mustRun(t, "-all")
	stale := filepath.Join("results", "STALE")
	// is checks what list -check prints, where STALE names nothing, all of it, or more.
	is := func(lines ...string) {
		t.Helper()
		var names []string
		for _, line := range lines {
			name, _, _ := strings.Cut(line, ":")
			names = append(names, name)
		}
		all := strings.Join(names, "\n")
		remove(t, stale)
		stdout, _, err := try(t, "list", "-check")
		check.Equal(t, "list -check prints", stdout, strings.Join(append(lines, ""), "\n"))
		if all == "" {
			check.OK(t, err)
		} else {
			check.Refuses(t, "STALE", err, stale+" must name what is behind, and no more: it needs these lines\n"+all)
		}
		write(t, all+"\n", stale)
		mustRun(t, "list", "-check")
		write(t, all+"\nmore\n", stale)
		fails(t, stale, "list", "-check")
	}
	is()
	contains(t, mustRun(t, "list"), "small    computed  4 ")

	// Texts of another version of the program, which draw writes again.
	dir := filepath.Join("results", "small")
	readme := content(dir, "README.md")
	for _, other := range []string{
		edit(t, readme, "## Command", "## Typed"), strings.Replace(readme, "(words): who", "(word): who", 1),
		edit(t, readme, "Where do they end?", "Where?"), "",
	} {
		write(t, other, dir, "README.md")
		stdout, _, err := try(t, "list", "-check")
		check.Refuses(t, "another README", err, stale)
		begins(t, stdout, "small: behind: ")
	}
	write(t, edit(t, readme, "Where do they end?", "Where?"), dir, "README.md")
	write(t, "another list", "results", "README.md")
	fails(t, stale, "list", "-check")
	mustRun(t, "draw", "small")
	check.Equal(t, "README.md as draw writes it", content(dir, "README.md"), readme)
	is()
	remove(t, stale)
	write(t, "another list", "results", "README.md")
	fails(t, "results/README.md is not what the program writes today; to write it: go run ./runner draw -all",
		"list", "-check")
	mustRun(t, "draw", "-all")

	changeSources(t, "2")
	is("a_judge: behind: of other sources", "small: behind: of other sources")
	contains(t, mustRun(t, "list"), "small    behind: of other sources  4 ")
	changeSources(t, "1")

	write(t, edit(t, small, "0.5", "0.25"), "experiments", "small.toml")
	is("small: behind: of another manifest")
	write(t, small, "experiments", "small.toml")

	replaceFile(t, dir, "summary.csv", strings.Replace(content(dir, "summary.csv"), "joint,0", "joint,7", 1))
	is("a_judge: behind: derived of other results")

	// No results, no manifest, other values, and a run that has not ended.
	write(t, named("new"), "experiments", "new.toml")
	write(t, "", "results", "old", "manifest.toml")
	write(t, "", "results", "small@seed=1", "manifest.toml")
	write(t, "", "results", "gone", "cells", "a.cell")
	is("a_judge: behind: derived of other results", "new: behind: no results",
		"old: behind: no manifest in experiments")
}
