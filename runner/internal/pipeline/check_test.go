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
		{func() { write(t, "{", dir, "run.json") }, "behind: " + dir + "/run.json: unexpected end .*", "0s", "0s"},
		{func() { remove(t, dir, "summary.csv") }, "files differ", "0s", "0s"},
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

// replaceFile replaces the content of a published file and, as one who hides it would, its checksum.
func replaceFile(t testing.TB, dir, name, text string) {
	t.Helper()
	sum := func(text string) string { return fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name) }
	sums := edit(t, content(dir, "SHA256SUMS"), sum(content(dir, name)), sum(text))
	write(t, text, dir, name)
	write(t, sums, dir, "SHA256SUMS")
}

func TestVerify(t *testing.T) {
	m, out, dir := published(t, drawn)
	t.Setenv("TMPDIR", t.TempDir())
	verify := func(differ int, want string, flags ...string) { // want: pattern of the whole output
		t.Helper()
		before := snapshot(t, out)
		stdout, stderr, err := try(t, append([]string{"verify", "-exp", m, "-out", out, "-quiet"}, flags...)...)
		if !regexp.MustCompile("^"+want+"$").MatchString(stdout) || stderr != "" {
			t.Errorf("it prints\n%s%swant\n%s", stdout, stderr, want)
		}
		if differ > 0 {
			check.Refuses(t, "verify", err, fmt.Sprintf("%d files differ from the results", differ))
		} else {
			check.OK(t, err)
		}
		same(t, snapshot(t, out), before)
		check.Equal(t, "temporary files are left", len(glob(os.Getenv("TMPDIR"), "*")), 0)
	}
	for _, name := range []string{"cells", "runs.pdf", "walks.csv.gz"} { // as in a clone
		remove(t, dir, name)
	}
	verify(0, "small: same bytes\n")
	readme := content(dir, "README.md")
	write(t, edit(t, readme, "Where do they end?", "Where?"), dir, "README.md")
	verify(1, `small: README.md:3: "Where\?", and now "Where do they end\?"`+"\nsmall: differs\n")
	write(t, readme, dir, "README.md")
	// A last digit, a text and a figure, with their checksums.
	digit := regexp.MustCompile(`(joint,1,.*).\n`)
	replaceFile(t, dir, "runs.csv", digit.ReplaceAllString(content(dir, "runs.csv"), "${1}x\n"))
	replaceFile(t, dir, "manifest.toml", edit(t, content(dir, "manifest.toml"), `"Walks"`, `"Ways"`))
	replaceFile(t, dir, "runs.png", content(dir, "runs.png")+"\n")
	verify(3, `small: manifest.toml:7: "title = \\"Ways\\"", and now "title = \\"Walks\\""
small: runs.csv:2: "joint,1,\S+x", and now "joint,1,\S+"
small: runs.png: other bytes
small: differs
`)
	mustRun(t, "-exp", m, "-out", out)
	// Other values than those of the results: every file that follows from them.
	verify(2, `small: manifest.toml:4: .*
small: summary.csv:2: "joint,0", and now "joint,2"
small: differs
`, "-set", "threshold=-99")
	fails(t, "small: nothing to compare with: no results in ", "verify", "-exp", m, "-out", t.TempDir())
}

// A program of fused multiply-adds says so, and run.json does.
func TestFused(t *testing.T) {
	defer func(was bool) { fused = was }(fused)
	m, out := write(t, small), t.TempDir()
	for _, fused = range []bool{false, true} {
		_, stderr, err := try(t, "-exp", m, "-out", out)
		check.OK(t, err)
		check.Equal(t, "it warns", strings.Contains(stderr, "GOFLAGS=-gcflags=all=-d=fmahash=qn go run "), fused)
		contains(t, content(out, "small", "run.json"), fmt.Sprintf(`"fused_multiply_adds": %v,`, fused))
		remove(t, out, "small")
	}
}

func TestDraw(t *testing.T) {
	inExperiments(t, map[string]string{"small.toml": drawn, "other.toml": named("other")})
	mustRun(t, "-exp", "small")
	dir := filepath.Join("results", "small")
	want := checksummed(t, dir)
	for _, name := range []string{"cells", "runs.png", "runs.pdf", "walks.png", "walks.pdf"} {
		remove(t, dir, name)
	}
	contains(t, mustRun(t, "draw", "-all"), "other: no results in results/other", "small: 2 figures drawn\n")
	same(t, checksummed(t, dir), want)
	check.Equal(t, "it has computed something", exists("results", "other") || len(cellFiles(dir)) > 0, false)

	// Figures that are drawn otherwise have other sums, and a run draws them again.
	write(t, edit(t, drawn, `"Walks"`, `"Ways"`), "experiments", "small.toml")
	mustRun(t, "draw", "-exp", "small")
	other := checksummed(t, dir)
	changed := []any{other["runs.png"] != want["runs.png"], other["runs.csv"] != want["runs.csv"]}
	check.Equal(t, "another title changes the figure, not the table", changed, []any{true, false})
	write(t, drawn, "experiments", "small.toml")
	mustRun(t, "-exp", "small")
	same(t, checksummed(t, dir), want)

	remove(t, dir, "walks.csv.gz")
	remove(t, dir, "runs.png")
	const lack = "small: figure walks: needs walks.csv.gz, which is not committed; to make them: " +
		"go run ./runner -exp experiments/small.toml\n"
	const said = "small: 1 figures drawn\nopen results/index.html\n"
	stdout, _, err := try(t, "draw", "-exp", "other", "-exp", "small")
	check.Equal(t, "draw prints", stdout, said)
	check.Refuses(t, "draw", err, "other: no results in results/other", "\n"+strings.TrimSpace(lack))
	check.Equal(t, "runs.png is another", content(dir, "runs.png"), want["runs.png"])
	contains(t, mustRun(t, "draw", "-all"), "small: 1 figures drawn\n", "\n"+lack)
	write(t, "method,seed,end\n", dir, "runs.csv")
	fails(t, "checksum", "draw", "-exp", "small")
	contains(t, mustRun(t, "-exp", "small"), "small: 4 cells, 0 computed, ")

	// Tables of another manifest may lack what the manifest has.
	write(t, edit(t, drawn, `"joint"`, `"point"`), "experiments", "small.toml")
	fails(t, "small: the results in results/small are behind (of another "+
		"manifest); to make them: go run ./runner -exp experiments/small.toml", "draw", "small")
	const elsewhere = "; to make them: go run ./runner -exp experiments/small.toml -set seed=1 -out else"
	fails(t, elsewhere, "draw", "small", "-set", "seed=1", "-out", "else")
}
