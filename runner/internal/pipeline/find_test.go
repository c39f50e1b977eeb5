package pipeline

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/data/fetch"
	"closedform/runner/internal/manifest"
)

func TestManifestIsFound(t *testing.T) {
	check.InExperiments(t, map[string]string{"small.toml": small, "second.toml": named("second")})
	own, out := check.Write(t, named("own")), t.TempDir()
	for exp, name := range map[string]string{
		"small": "small", "second.toml": "second", "experiments/small.toml": "small", own: "own",
	} {
		check.Begins(t, program.Run(t, "-exp", exp, "-out", out), name+": 4 cells, ")
	}
	program.Fails(t, "experiments/small.toml and experiments/small.toml would both write to results/small",
		"-exp", "small", "-exp", "small.toml")
	program.Fails(t, `no manifest "."`, "-exp", ".")
	program.Fails(t, "second, small", "-exp", "fourth")
	check.Write(t, small, "experiments", "third.toml")
	for _, exp := range []string{"-all", "-exp=third"} {
		program.Fails(t, `third.toml:1: name: "small" is not allowed; allowed: that of the file, "third"`, exp)
	}
	program.Fails(t, "short: missing; allowed: ", "-exp", own, "-short")
	bad := check.Write(t, edit(t, small, `"toy"`, `"toyota"`))
	program.Fails(t, bad+`:2: study: "toyota" is not allowed; allowed: "learn"`, "-exp", "small", "-exp", bad)
	program.Fails(t, "-set model.scale=0: model.scale: 0 is not", "-exp", "small", "-set", "model.scale=0")
	check.Equal(t, "an error made a folder", check.Exists("results"), false)
	stdout := program.Run(t, "-exp", "small", "-exp", own)
	check.True(t, check.Exists(filepath.Dir(own), "closedform-results", "own"), "no results beside their manifest")
	check.Contains(t, stdout, "small: 4 cells, 4 computed, 0 done before; results/small has 4 files", "own: 4 ")
	t.Chdir(t.TempDir())
	program.Fails(t, "no file missing.toml, and no folder experiments/ in ", "-exp", "missing.toml")
	program.Fails(t, "no folder experiments/ in ", "-all")
	check.Write(t, "mine", "file")
	program.Fails(t, "file", "-exp", own, "-out", "file")
	check.Equal(t, "a file as -out", check.Read("file"), "mine")
}

// A confirmation runs once, by name; its results keep their commit, whatever changes.
func TestConfirmation(t *testing.T) {
	confirm := strings.Replace(named("confirm"), "title", "confirmation = true\ntitle", 1)
	check.InExperiments(t, map[string]string{"small.toml": small, "confirm.toml": confirm})
	dir := filepath.Join("results", "confirm")
	program.Run(t, "-all")
	check.Equal(t, "-all runs it", check.Exists(dir), false)
	program.Run(t, "list", "-check")

	// One that ends before it is published goes on with its cells.
	check.Write(t, strings.Replace(confirm, "scale = 2", "fail = true", 1), "experiments", "confirm.toml")
	program.Fails(t, "confirm: cell total seed=", "-exp", "confirm", "-workers", "1")
	check.Write(t, confirm, "experiments", "confirm.toml")
	check.Contains(t, program.Run(t, "-exp", "confirm"), "confirm: a confirmation: it is run once",
		"confirm: 4 cells, 2 computed, 2 done before; ")
	const refused = "confirm: a confirmation, published in results/confirm, of the commit unknown; it is not run " +
		"again, unless by -confirm-again"
	changeSources(t, "2")
	check.Write(t, edit(t, confirm, "0.5", "0.25"), "experiments", "confirm.toml")
	before := snapshot(t, dir)
	program.Fails(t, refused, "-exp", "confirm")
	program.Fails(t, refused, "verify", "confirm")
	program.Fails(t, refused, "-exp", "confirm", "-set", "model.scale=1", "-out", "else")
	program.Run(t, "-all")
	program.Run(t, "list", "-check")
	check.Contains(t, program.Run(t, "list"), "confirm  confirmation, of commit unknown  4 ")
	same(t, snapshot(t, dir), before)
	check.Contains(t, program.Run(t, "-exp", "confirm", "-confirm-again"), "a confirmation", "4 computed")
	check.Contains(t, program.Run(t, "verify", "confirm", "-confirm-again"), "confirm: same bytes")
}

func TestData(t *testing.T) {
	hello := func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }
	server := httptest.NewServer(http.HandlerFunc(hello))
	defer server.Close()
	needy := edit(t, named("needy"), "threshold", "file = \"data/red.csv\"\nthreshold")
	sets := fmt.Sprintf("[[set]]\nname = 'red'\n[[set.file]]\npath = 'red.csv'\nurls = ['%s']\nsha256 = '%x'\n",
		server.URL, sha256.Sum256([]byte("hello")))
	check.InExperiments(t, map[string]string{"needy.toml": needy, "small.toml": small, "data/sets.toml": sets})
	line := "needy: no file experiments/data/red.csv; to get the data: go run ./runner fetch red"
	program.Fails(t, line, "-exp", "needy")
	check.Equal(t, "it made a folder", check.Exists("results"), false)
	check.Begins(t, program.Run(t, "-all"), line+"; skipped\nsmall: 4 cells, 4 computed, ")
	check.Equal(t, "what is skipped has a results folder", check.Exists("results", "needy"), false)
	list := filepath.Join(Folder, "data", fetch.File)
	words := check.Proposed(t, line)
	check.Equal(t, "the command", words[0], "fetch")
	check.OK(t, fetch.Get(t.Context(), list, words[1:], "", io.Discard))
	for _, want := range []int{1, 0} { // what a file has is said before a run, not where there is none
		_, stderr, err := program.Try(t, "-exp", "needy", "-out", "else")
		check.OK(t, err)
		check.Equal(t, "lines about the data", strings.Count(stderr, "data/red.csv: so many points\n"), want)
	}
	check.Contains(t, program.Run(t, "-all"), "needy: 4 cells, 4 computed, ")
	check.Equal(t, "verified", strings.Count(program.Run(t, "verify", "-all"), ": same bytes\n"), 2)
	// The manifest among the results is one that can be run, and that finds the data.
	check.Contains(t, program.Run(t, "-exp", "results/needy/manifest.toml"), " is up to date\n")
	// Other data are another experiment.
	check.Write(t, "other", "experiments", "data", "red.csv")
	check.Begins(t, program.Run(t, "-exp", "needy"), "needy: 4 cells, 4 computed, ")
}

// derived is a manifest that reads the results of small. Its name comes first.
const derived = `name  = "a_judge"
study = "toy"
seed  = 1
title = ""
sources = ["small"]
`

func TestDerivedExperiment(t *testing.T) {
	check.InExperiments(t, map[string]string{"a_judge.toml": derived, "small.toml": small})
	_, _, err := program.Try(t, "-exp", "a_judge")
	check.Refuses(t, "not yet", err, "a_judge: reads the results of small: no results in results/small",
		"; run it first: go run ./runner -exp small -out results")
	check.Equal(t, "it made a folder", check.Exists("results"), false)
	program.Run(t, check.Proposed(t, err.Error())...)
	check.Remove(t, "results")
	// With -all it runs after what it reads, although its name comes first.
	stdout := program.Run(t, "-all")
	check.Begins(t, stdout, "small: 4 cells, 4 computed, ")
	check.Contains(t, stdout, "\na_judge: 0 cells, 0 computed, 0 done before; ")
	dir := filepath.Join("results", "a_judge")
	first := checksummed(t, dir)
	check.Contains(t, program.Run(t, "-exp", "a_judge"), "is up to date")
	check.Equal(t, "verify prints", program.Run(t, "verify", "-all"), "a_judge: same bytes\nsmall: same bytes\n")
	check.Write(t, edit(t, small, "0.5", "-99"), "experiments", "small.toml")
	program.Run(t, "-exp", "small")
	stdout, _, err = program.Try(t, "verify", "-exp", "a_judge", "-quiet")
	check.Refuses(t, "verified with another source", err, "1 files differ")
	check.Contains(t, stdout, "a_judge: summary.csv:2: ")
	check.Contains(t, program.Run(t, "-exp", "a_judge"), " files, in ")
	check.True(t, checksummed(t, dir)["summary.csv"] != first["summary.csv"], "the summary has not changed")
	check.Write(t, "method,above\n", "results", "small", "summary.csv")
	program.Fails(t, "its checksum is not that of SHA256SUMS", "-exp", "a_judge")
	program.Fails(t, "a_judge, small", "-exp", "a_judge", "-set", `sources=["smal"]`)
}

// Every experiment of the repository that has cells has a short form with cells.
func TestShortForms(t *testing.T) {
	t.Chdir("../../..")
	all := check.Must((&Request{All: true}).Find(false))
	short := check.Must((&Request{All: true, Short: true}).Find(false))
	for i, e := range all {
		check.Equal(t, e.Name+" has cells in short", len(short[i].Study.Cells()) > 0, len(e.Study.Cells()) > 0)
	}
}

// An experiment with a program of its own is skipped by -all where the program is missing, and verified where
// the program has the version that made the results.
func TestOtherProgram(t *testing.T) {
	check.InExperiments(t, map[string]string{"small.toml": small, "other.toml": `
name = "other"
study = "learn"
seed = 1
evaluate = { reference = "half" }
set = [{ name = "moons", generator = "moons", train = 4, test = 3 }]
[[method]]
name = "half"
kind = "command"
command = ["sh", "half.sh"]
version = ["cat", "version"]
`})
	script := `while read -r word n; do
	if [ "$word" != learn ] && [ "$word" != predict ]; then continue; fi
	while [ "$n" -gt 0 ]; do
		read -r x
		if [ "$word" = predict ]; then echo 0.5,0.5; fi
		n=$((n-1))
	done
done
`
	check.Write(t, script, "experiments", "half.sh")
	check.Contains(t, program.Run(t, "-all"), "other.toml", "method.half.version: ", "; skipped\nsmall: 4 ")
	program.Run(t, "list", "-check") // of the other, none were made
	check.Write(t, "half 1.0\n", "experiments", "version")
	check.Contains(t, program.Run(t, "-all"), "other: 1 cells, 1 computed, ")
	check.Contains(t, check.Read("results", "other", "README.md"), "half 1.0")
	check.Contains(t, check.Read("results", "other", "runs.csv"), "0.6931471805599453")
	check.Contains(t, program.Run(t, "verify", "other"), "other: same bytes\n")
	program.Run(t, "list", "-check")
	check.Write(t, "half 2.0\n", "experiments", "version")
	skipped := "other: another version of its program computed it; skipped\n"
	check.Contains(t, program.Run(t, "verify", "-all"), skipped, "small: same bytes\n")
	program.Run(t, "list", "-check")
	// Without the program, or that version of it, the results may be of other sources; those of others may not,
	// and a manifest may not be another one.
	changeSources(t, "2")
	const want = "behind: of other sources; its program, or this version of it, is not installed"
	check.Contains(t, program.Run(t, "list"), want)
	program.Fails(t, " these lines\nsmall", "list", "-check")
	changeSources(t, "1")
	other := check.Read("experiments", "other.toml")
	check.Write(t, edit(t, other, "test = 3", "test = 4"), "experiments", "other.toml")
	program.Fails(t, " these lines\nother", "list", "-check")
	check.Write(t, other, "experiments", "other.toml")
	check.Write(t, "half 1.0\n", "experiments", "version")
	// Other bytes of the script are other cells, and the results are behind. What the script does wrong is the
	// error of its cell.
	check.Write(t, "echo no license >&2; exit 1\n", "experiments", "half.sh")
	program.Fails(t, "these lines\nother", "list", "-check")
	program.Fails(t, "cell set=moons method=half seed=1: sh half.sh: ended without an answer: exit status 1; "+
		"its last lines:\n  no",
		"-exp", "other")
}

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
		list := strings.Join(names, "\n")
		check.Remove(t, stale)
		stdout, _, err := program.Try(t, "list", "-check")
		check.Equal(t, "list -check prints", stdout, strings.Join(append(lines, ""), "\n"))
		if list == "" {
			check.OK(t, err)
		} else {
			check.Refuses(t, "STALE", err, stale+" must name what is behind, and no more: it needs these lines\n"+list)
		}
		check.Write(t, list+"\n", stale)
		program.Run(t, "list", "-check")
		check.Write(t, list+"\nmore\n", stale)
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

// Whatever a manifest and -set say, each line of the error says where, or there are
// cells, and the manifest as it is resolved is another one of the same experiment.
func FuzzManifest(f *testing.F) {
	files, _ := filepath.Glob("../../../experiments/*.toml")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), "sweep.seed=1..3")
	}
	f.Add(small, "method.joint.scale=1e300")
	f.Add(drawn, "sweep.seed=9223372036854775800..9223372036854775807")
	f.Add(small, "name=../x")
	f.Add(small+strings.Repeat("a.", 1e5)+"a=1\n", "x="+strings.Repeat("{a=", 1e5))
	f.Add(small, "x={"+strings.Repeat("a.", 1e5)+"a=1}")
	f.Add(small+"x="+strings.Repeat("[", 999)+strings.Repeat("]", 999)+"\n", strings.Repeat("a.", 1e4)+"a=1")
	f.Add(strings.Replace(small, `name = "joint"`, `name = "../joint"`, 1), "x")
	f.Add(small, "sweep={seed=[1,2]}")
	f.Add("\"a\\nb\" = 1\n"+small, "\"x\ny\"=2")
	f.Fuzz(func(t *testing.T, text, set string) {
		file := check.Write(t, text)
		check.Frugal(t, func() {
			e, err := (&Request{Overrides: []string{set}}).open(file)
			if err != nil {
				for line := range strings.SplitSeq(err.Error(), "\n") {
					if !strings.HasPrefix(line, file) && !strings.HasPrefix(line, "-set ") {
						t.Errorf("error %q", err)
					}
				}
				return
			}
			out := filepath.Base(filepath.Dir(e.Dir))
			check.True(t, out == Results || out == OwnResults, "folder %s", e.Dir)
			if cells := e.Study.Cells(); len(cells) > manifest.MaxCells {
				return
			}
			resolved := check.Must(e.resolved())
			again, err := read(check.Write(t, string(resolved)), nil)
			if err != nil {
				t.Fatalf("resolved to\n%s\n%v", resolved, err)
			}
			if twice, err := again.resolved(); err != nil || !bytes.Equal(twice, resolved) {
				t.Errorf("resolved to\n%s\nand then to\n%s\n%v", resolved, twice, err)
			}
		})
	})
}
