package pipeline

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

// list says whether the results are complete and up to date, and what they cost.
func TestList(t *testing.T) {
	long := "# In need: " + strings.Repeat("very, ", 30) + "very.\n"
	check.InExperiments(t, map[string]string{
		"a_longer_name.toml": edit(t, named("a_longer_name"), "[1, 2]", `"1..50"`),
		"needy.toml":         long + "#\n" + edit(t, named("needy"), "threshold", "file = \"data/red.csv\"\nthreshold"),
		"small.toml":         "# How far do\n# they go, after 3.5 steps? Nobody knows.\n" + small,
		"notes.text":         "no manifest",
	})
	dir := filepath.Join("results", "small")
	for _, c := range []struct {
		change           func()
		state, cpu, time string // of small, and the sum
	}{
		{func() {}, "not run", "0s", "0s"},
		{func() { check.Write(t, "", dir, "cells", "one.cell") }, "partly computed: 1 of 4 cells", "0s", "0s"},
		{func() { program.Run(t, "-exp", "small") }, "computed", `\S+s`, `\S+s`},
		{func() { check.Write(t, "{", dir, "run.json") }, "behind: .*/run.json: unexpected end .*", "0s", "0s"},
		{func() { check.Remove(t, dir, "summary.csv") }, "files differ", "0s", "0s"},
	} {
		c.change()
		want := "NAME +STATE +CELLS +CPU +ABOUT\n" +
			"a_longer_name +not run +100 +0s +Where do they end\\?\n" +
			"needy +needs data +4 +0s +In need\n" +
			"small +" + c.state + " +4 +" + c.cpu + " +How far do they go, after 3.5 steps\\?\n" +
			"sum +108 +" + c.time + "\n"
		got := program.Run(t, "list")
		check.True(t, regexp.MustCompile("^"+want+"$").MatchString(got), "list prints\n%s", got)
	}
	check.Write(t, "name = 3\nstudy = 'toy'\n", "experiments", "a.toml")
	stdout, _, err := program.Try(t, "list")
	check.Refuses(t, "a bad manifest", err, filepath.Join("experiments", "a.toml")+":1: name: ")
	check.Equal(t, "lines beside a bad manifest", strings.Count(stdout, "\n"), 5)
	t.Chdir(t.TempDir())
	stdout, _, err = program.Try(t, "list")
	check.Refuses(t, "list outside of the repository", err, "no folder experiments/ in ")
	check.Equal(t, "it prints", stdout, "")
}

// list says what is behind and why, and list -check fails unless results/STALE names it.
func TestBehind(t *testing.T) {
	check.InExperiments(t, map[string]string{"small.toml": small, "a_judge.toml": derived})
	program.Run(t, "-all")
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
		check.Remove(t, stale)
		stdout, _, err := program.Try(t, "list", "-check")
		check.Equal(t, "list -check prints", stdout, strings.Join(append(lines, ""), "\n"))
		if all == "" {
			check.OK(t, err)
		} else {
			check.Refuses(t, "STALE", err, stale+" must name what is behind, and no more: it needs these lines\n"+all)
		}
		check.Write(t, all+"\n", stale)
		program.Run(t, "list", "-check")
		check.Write(t, all+"\nmore\n", stale)
		program.Fails(t, stale, "list", "-check")
	}
	is()
	check.Contains(t, program.Run(t, "list"), "small    computed  4 ")

	// Texts of another version of the program, which draw writes again.
	dir := filepath.Join("results", "small")
	readme := check.Read(dir, "README.md")
	for _, other := range []string{
		edit(t, readme, "## Command", "## Typed"), strings.Replace(readme, "(words): who", "(word): who", 1),
		edit(t, readme, "Where do they end?", "Where?"), "",
	} {
		check.Write(t, other, dir, "README.md")
		stdout, _, err := program.Try(t, "list", "-check")
		check.Refuses(t, "another README", err, stale)
		check.Begins(t, stdout, "small: behind: ")
	}
	check.Write(t, edit(t, readme, "Where do they end?", "Where?"), dir, "README.md")
	check.Write(t, "another list", "results", "README.md")
	program.Fails(t, stale, "list", "-check")
	program.Run(t, "draw", "small")
	check.Equal(t, "README.md as draw writes it", check.Read(dir, "README.md"), readme)
	is()
	check.Remove(t, stale)
	check.Write(t, "another list", "results", "README.md")
	program.Fails(t, "results/README.md is not what the program writes today", "list", "-check")
	program.Run(t, "draw", "-all")

	changeSources(t, "2")
	is("a_judge: behind: of other sources", "small: behind: of other sources")
	check.Contains(t, program.Run(t, "list"), "small    behind: of other sources  4 ")
	changeSources(t, "1")

	check.Write(t, edit(t, small, "0.5", "0.25"), "experiments", "small.toml")
	is("small: behind: of another manifest")
	check.Write(t, small, "experiments", "small.toml")

	replaceFile(t, dir, "summary.csv", strings.Replace(check.Read(dir, "summary.csv"), "joint,0", "joint,7", 1))
	is("a_judge: behind: derived of other results")

	// No results, no manifest, other values, and a run that has not ended.
	check.Write(t, named("new"), "experiments", "new.toml")
	check.Write(t, "", "results", "old", "manifest.toml")
	check.Write(t, "", "results", "small@seed=1", "manifest.toml")
	check.Write(t, "", "results", "gone", "cells", "a.cell")
	is("a_judge: behind: derived of other results", "new: behind: no results",
		"old: behind: no manifest in experiments")
}

// replaceFile replaces the content of a published file and, as one who hides it would, its checksum.
func replaceFile(t testing.TB, dir, name, text string) {
	t.Helper()
	sum := func(text string) string { return fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name) }
	sums := edit(t, check.Read(dir, "SHA256SUMS"), sum(check.Read(dir, name)), sum(text))
	check.Write(t, text, dir, name)
	check.Write(t, sums, dir, "SHA256SUMS")
}

func TestVerify(t *testing.T) {
	m, out, dir := published(t, drawn)
	t.Setenv("TMPDIR", t.TempDir())
	verify := func(differ int, want string) { // want: pattern of the whole output
		t.Helper()
		before := snapshot(t, out)
		stdout, stderr, err := program.Try(t, "verify", "-exp", m, "-out", out, "-quiet")
		matches := regexp.MustCompile("^" + want + "$").MatchString(stdout + stderr)
		check.True(t, matches, "it prints\n%s%swant\n%s", stdout, stderr, want)
		if differ > 0 {
			check.Refuses(t, "verify", err, fmt.Sprintf("%d files differ from the results", differ))
		} else {
			check.OK(t, err)
		}
		same(t, snapshot(t, out), before)
		check.Equal(t, "temporary files are left", len(check.Glob(os.Getenv("TMPDIR"), "*")), 0)
	}
	for _, name := range []string{"cells", "runs.pdf", "walks.csv.gz"} { // as in a clone
		check.Remove(t, dir, name)
	}
	verify(0, "small: same bytes\n")
	readme := check.Read(dir, "README.md")
	check.Write(t, edit(t, readme, "Where do they end?", "Where?"), dir, "README.md")
	verify(1, `small: README.md:3: "Where\?", and now "Where do they end\?"`+"\nsmall: differs\n")
	check.Write(t, readme, dir, "README.md")
	replaceFile(t, dir, "runs.png", check.Read(dir, "runs.png")+"\n") // with its checksum
	verify(1, "small: runs.png: other bytes\nsmall: differs\n")
	program.Fails(t, "small: nothing to compare with: no results in ", "verify", "-exp", m, "-out", t.TempDir())
}

// A program of fused multiply-adds says so, and run.json does.
func TestFused(t *testing.T) {
	defer func(was bool, name func() string) { fused, Program = was, name }(fused, Program)
	Program = func() string { return "closedform" } // which cannot rebuild itself
	m, out := check.Write(t, small), t.TempDir()
	for _, fused = range []bool{false, true} {
		_, stderr, err := program.Try(t, "-exp", m, "-out", out)
		check.OK(t, err)
		check.Equal(t, "it warns", strings.Contains(stderr, "GOFLAGS=-gcflags=all=-d=fmahash=qn go run "), fused)
		check.Contains(t, check.Read(out, "small", "run.json"), fmt.Sprintf(`"fused_multiply_adds": %v,`, fused))
		check.Remove(t, out, "small")
	}
}

func TestDraw(t *testing.T) {
	check.InExperiments(t, map[string]string{"small.toml": drawn, "other.toml": named("other")})
	program.Run(t, "-exp", "small")
	dir := filepath.Join("results", "small")
	want := checksummed(t, dir)
	for _, name := range []string{"cells", "runs.png", "runs.pdf", "walks.png", "walks.pdf"} {
		check.Remove(t, dir, name)
	}
	check.Contains(t, program.Run(t, "draw", "-all"), "other: no results in ", "small: 2 figures drawn\n")
	same(t, checksummed(t, dir), want)
	check.True(t, !check.Exists("results", "other") && len(cellFiles(dir)) == 0, "it has computed something")

	// Figures that are drawn otherwise have other sums, and a run draws them again.
	check.Write(t, edit(t, drawn, `"Walks"`, `"Ways"`), "experiments", "small.toml")
	program.Run(t, "draw", "-exp", "small")
	other := checksummed(t, dir)
	changed := []any{other["runs.png"] != want["runs.png"], other["runs.csv"] != want["runs.csv"]}
	check.Equal(t, "another title changes the figure, not the table", changed, []any{true, false})
	check.Write(t, drawn, "experiments", "small.toml")
	program.Run(t, "-exp", "small")
	same(t, checksummed(t, dir), want)

	check.Remove(t, dir, "walks.csv.gz")
	check.Remove(t, dir, "runs.png")
	const lack = "small: figure walks: needs walks.csv.gz, which is not committed; to make them: " +
		"go run ./runner -exp experiments/small.toml\n"
	stdout, _, err := program.Try(t, "draw", "-exp", "other", "-exp", "small")
	check.Equal(t, "draw prints", stdout, "small: 1 figures drawn\n")
	check.Refuses(t, "draw", err, "other: no results in results/other", "\n"+strings.TrimSpace(lack))
	check.Equal(t, "runs.png is another", check.Read(dir, "runs.png"), want["runs.png"])
	check.Contains(t, program.Run(t, "draw", "-all"), "small: 1 figures drawn\n", "\n"+lack)
	check.Write(t, "method,seed,end\n", dir, "runs.csv")
	program.Fails(t, "checksum", "draw", "-exp", "small")
	check.Contains(t, program.Run(t, check.Proposed(t, lack)...), "small: 4 cells, 0 computed, ")

	// Tables of another manifest may lack what the manifest has.
	check.Write(t, edit(t, drawn, `"joint"`, `"point"`), "experiments", "small.toml")
	program.Fails(t, "small: the results in results/small are behind (of another "+
		"manifest); to make them: go run ./runner -exp experiments/small.toml", "draw", "small")
	lacking := strings.NewReplacer(`"joint"`, `"point"`, `"Walks"`, `""`, "threshold", "noted = true\nthreshold")
	check.Write(t, lacking.Replace(drawn), "experiments", "small.toml")
	program.Fails(t, "small: the results in results/small are behind", "draw", "small")
	const elsewhere = "; to make them: go run ./runner -exp experiments/small.toml -set seed=1 -out else"
	program.Fails(t, elsewhere, "draw", "small", "-set", "seed=1", "-out", "else")
}
