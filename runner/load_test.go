package main

import (
	"crypto/sha256"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

func TestManifestIsFound(t *testing.T) {
	inExperiments(t, map[string]string{"first.toml": small, "second.toml": edit(t, small, `"small"`, `"other"`)})
	own := write(t, edit(t, small, `"small"`, `"own"`))
	for _, c := range []struct{ exp, name string }{{"first", "small"}, {"second.toml", "other"}, {filepath.Join("experiments", "first.toml"), "small"}, {own, "own"}} {
		out := t.TempDir()
		begins(t, mustRun(t, "-exp", c.exp, "-out", out), c.name+": 4 cells, 4 computed, ")
	}
	stdout := mustRun(t, "-exp", "first", "-exp", own)
	contains(t, stdout, "small: 4 cells, 4 computed, 0 done before; 4 files in "+filepath.Join("results", "small")+", in ",
		"own: 4 cells, 4 computed, ")
	contains(t, mustRun(t, "-all"), "small: 4 cells, all done before; ", "other: 4 cells, 4 computed, ")
	fails(t, `no manifest "."`, "-exp", ".")
	fails(t, "first, second", "-exp", "third")
}

func TestTwoManifestsOfOneName(t *testing.T) {
	inExperiments(t, map[string]string{"first.toml": small, "second.toml": small})
	for _, args := range [][]string{{"-all"}, {"-exp", "first", "-exp", "first.toml"}} {
		_, _, err := try(t, args...)
		if err == nil || !strings.Contains(err.Error(), "experiments/first.toml has the same, and both would write to one folder") || exists("results") {
			t.Fatalf("%q: error %v", args, err)
		}
	}
}

func TestBadManifestTouchesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, small, "good.toml")
	for _, c := range []struct{ old, new, want string }{
		{"scale  = 0.3", "scael = 0.3", "x.toml:8: model.scael: not a key; did you mean scale? allowed: deaf, fail, points, scale, sleep"},
		{"scale  = 0.3", "scale = -0.3", "x.toml:8: model.scale: -0.3 is not allowed"},
		{`"toy"`, `"toyota"`, `x.toml:2: study: "toyota" is not a study; allowed: `},
		{"study = \"toy\"\n", "", "x.toml: study: missing; allowed: one of learn, ablation, "},
		{`"small"`, `"../small"`, `x.toml:1: name: "../small" is not allowed`},
		{"seed  = 2", "seed  = ", "x.toml:3: "},
		{"seed  = 2", "seed = 7", "x.toml:3: seed: 7 is not allowed; allowed: one of sweep.seed"},
		{"seed  = 2", "", "x.toml: seed: missing; allowed: one of sweep.seed"},
	} {
		write(t, edit(t, small, c.old, c.new), "x.toml")
		// The good one, though before it, must not be run.
		code, stdout, stderr := exit(t, "-exp", "good.toml", "-exp", "x.toml")
		begins(t, stderr, "runner: "+c.want)
		if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 || exists("results") {
			t.Errorf("%s: exit code %d, want 1; it prints %q", c.want, code, stdout+stderr)
		}
	}
	for args, want := range map[string]string{
		"-exp good.toml -set model.scale=0": "-set model.scale=0: model.scale: 0 is not allowed",
		"-exp missing.toml":                 "no file missing.toml, and no folder experiments/ in ",
		"-exp .":                            "no file ., and no folder experiments/ in ",
		"-all":                              "no folder experiments/ in ",
	} {
		_, stdout, err := try(t, strings.Fields(args)...)
		if err == nil || !strings.HasPrefix(err.Error(), want) || stdout != "" || exists("results") {
			t.Errorf("%s: error %v, want %s", args, err, want)
		}
	}
	write(t, "mine", "file")
	if _, _, err := try(t, "-exp", "good.toml", "-out", "file"); err == nil || read(t, "file") != "mine" {
		t.Errorf("a file as -out: %v", err)
	}
}

func TestList(t *testing.T) {
	inExperiments(t, map[string]string{
		"wide.toml":  edit(t, small, `"small"`, `"a_longer_name"`, "[1, 2]", `"1..50"`, "seed  = 2", "seed = 2\neffort = \"quick\""),
		"needy.toml": edit(t, small, `"small"`, `"needy"`, "threshold", "file = \"data/red.csv\"\nthreshold"),
		"b.toml":     small,
		"notes.text": "no manifest",
	})
	const header, wide = "NAME           EFFORT  STATE       CELLS  DATA     CPU  MEMORY  QUESTION\n",
		"a_longer_name  quick   not run     100    none     -    -       Where do they end?\n"
	const want = header +
		"small          full    not run     4      none     -    -       Where do they end?\n" +
		"needy          full    needs data  4      missing  -    -       Where do they end?\n" + wide +
		"sum                                108             -\n"
	if got := mustRun(t, "list"); got != want {
		t.Errorf("list prints\n%swant\n%s", got, want)
	}
	check.Equal(t, "list made a folder", exists("results"), false)
	if got := mustRun(t, "list", "-effort", "quick"); strings.Count(got, "\n") != 3 || !strings.Contains(got, "a_longer_name  quick") {
		t.Errorf("list -effort quick prints\n%s", got)
	}
	mustRun(t, "-exp", "b")
	write(t, "1", "experiments", "data", "red.csv")
	if got := mustRun(t, "list"); !regexp.MustCompile(`none +\d+ms +\d+ MB `).MatchString(got) || !strings.Contains(got, "there  -  ") {
		t.Errorf("list prints\n%s", got)
	}
	write(t, "name = 3\n", "experiments", "a.toml")
	stdout, _, err := try(t, "list")
	if err == nil || !strings.HasPrefix(err.Error(), filepath.Join("experiments", "a.toml")+":1: name: ") || strings.Count(stdout, "\n") != 5 {
		t.Errorf("beside a bad manifest list prints\n%s and %v", stdout, err)
	}
}

func TestEffort(t *testing.T) {
	inExperiments(t, map[string]string{"slow.toml": small, "fast.toml": edit(t, small, `"small"`, "\"fast\"\neffort = \"quick\"")})
	stdout := mustRun(t, "-all", "-effort", "quick")
	begins(t, stdout, "fast: 4 cells, 4 computed, ")
	check.Equal(t, "-all -effort quick says", strings.Contains(stdout, "small") || exists("results", "small"), false)
	check.Equal(t, "verify -effort quick says", mustRun(t, "verify", "-all", "-effort", "quick"), "fast: same bytes\n")
	// The label is no part of a cell: a manifest that only gets another one keeps its cells.
	stdout = mustRun(t, "-all", "-set", "effort=full", "-effort", "full", "-out", "results")
	begins(t, stdout, "fast: 4 cells, 0 computed, 4 done before; ")
	contains(t, stdout, "\nsmall: 4 cells, 4 computed, ")
	if _, _, err := try(t, "-all", "-set", "effort=full", "-effort", "quick"); err == nil {
		t.Error("nothing was run, without an error")
	}
}

func TestData(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "hello") }))
	defer server.Close()
	needy := edit(t, small, `"small"`, `"needy"`, "threshold", "file = \"data/red.csv\"\nthreshold")
	sets := fmt.Sprintf("[[set]]\nname = \"red\"\n\n[[set.file]]\npath = \"red.csv\"\nurls = [%q]\nsha256 = \"%x\"\n", server.URL, sha256.Sum256([]byte("hello")))
	inExperiments(t, map[string]string{"needy.toml": needy, "small.toml": small, "data/sets.toml": sets})
	line := "needy: no file experiments/data/red.csv; to get the data: go run ./runner fetch red"
	if code, stdout, stderr := exit(t, "-exp", "needy"); code != 1 || stderr != "runner: "+line+"\n" || stdout != "" || exists("results") {
		t.Errorf("exit code %d, %q and %q", code, stdout, stderr)
	}
	begins(t, mustRun(t, "-all"), line+"; skipped\nsmall: 4 cells, 4 computed, ")
	check.Equal(t, "what is skipped has a results folder", exists("results", "needy"), false)
	fails(t, "red", "fetch", "blue")
	_, _, err := try(t, "fetch", "red")
	check.OK(t, err)
	for _, want := range []int{1, 0} { // what a file has is said before a run, not where there is none
		if _, stderr, err := try(t, "-exp", "needy", "-out", "else"); err != nil || strings.Count(stderr, "data/red.csv: so many points\n") != want {
			t.Errorf("%q, %v; want %d lines about the data", stderr, err, want)
		}
	}
	contains(t, mustRun(t, "-all"), "needy: 4 cells, 4 computed, ")
	if got := mustRun(t, "verify", "-all"); !strings.Contains(got, "needy: same bytes\n") || strings.Count(got, ": same bytes\n") != 2 {
		t.Errorf("verify prints %q", got)
	}
	// The manifest among the results is one that can be run, and that finds the data.
	resolved := filepath.Join("results", "needy", "manifest.toml")
	contains(t, mustRun(t, "-exp", resolved), " is up to date\n")
	// Other data are another experiment.
	write(t, "other", "experiments", "data", "red.csv")
	begins(t, mustRun(t, "-exp", "needy"), "needy: 4 cells, 4 computed, ")
}

// derived is a manifest that reads the results of small. Its name comes first.
const derived = `name  = "a_judge"
study = "toy"
seed  = 1
title = ""
sources = ["small"]
`

func TestDerivedExperiment(t *testing.T) {
	inExperiments(t, map[string]string{"a_judge.toml": derived, "small.toml": small})
	_, _, err := try(t, "-exp", "a_judge")
	want := "a_judge: reads the results of small: none in results: run it first: -exp small -out results"
	if err == nil || err.Error() != want || exists("results") {
		t.Errorf("error %v, want %s", err, want)
	}
	// With -all it runs after what it reads, although its name comes first.
	stdout := mustRun(t, "-all")
	begins(t, stdout, "small: 4 cells, 4 computed, ")
	contains(t, stdout, "\na_judge: 0 cells, 0 computed, 0 done before; ")
	dir := filepath.Join("results", "a_judge")
	first := results(t, dir)
	contains(t, mustRun(t, "-exp", "a_judge"), "is up to date")
	check.Equal(t, "verify prints", mustRun(t, "verify", "-all"), "small: same bytes\na_judge: same bytes\n")
	mustRun(t, "-exp", "small", "-set", "threshold=-99", "-out", "results")
	if stdout, _, err := try(t, "verify", "-exp", "a_judge", "-quiet"); err == nil || !strings.Contains(stdout, "a_judge: summary.csv:2: ") {
		t.Errorf("verified with another source: %v, %q", err, stdout)
	}
	contains(t, mustRun(t, "-exp", "a_judge"), " files in ")
	if results(t, dir)["summary.csv"] == first["summary.csv"] {
		t.Error("the summary is the old one")
	}
	write(t, "method,above\n", "results", "small", "summary.csv")
	fails(t, "its checksum is not that of SHA256SUMS", "-exp", "a_judge")
	_, _, err = try(t, "-exp", "a_judge", "-set", `sources=["smal"]`)
	check.Refuses(t, "a source that has no manifest", err, "a_judge, small")
}

// -short runs the short form, and needs a folder that is not that of the results.
func TestShort(t *testing.T) {
	m, out := write(t, edit(t, small, "threshold", "short = ['sweep.seed=[2]']\nthreshold")), t.TempDir()
	contains(t, mustRun(t, "-exp", m, "-short", "-out", out), "small: 2 cells, 2 computed")
	if _, _, err := try(t, "-exp", m, "-short"); exitCode(err) != 2 {
		t.Errorf("-short without -out: %v", err)
	}
	_, _, err := try(t, "-exp", write(t, small), "-short", "-out", out)
	contains(t, fmt.Sprint(err), "short: missing; allowed: ")
}

// An experiment with a program of its own is skipped by -all where the program is missing, and verified where the program has the
// version that made the results.
func TestOtherProgram(t *testing.T) {
	inExperiments(t, map[string]string{"first.toml": small, "other.toml": `
name = "other"
study = "compare"
seed = 1
compare = { budget = 1, reference = "half" }
set = [{ name = "moons", generator = "moons", train = 4, test = 3 }]
[[method]]
name = "half"
kind = "command"
command = ["sh", "half.sh"]
version = ["cat", "version"]
`})
	program := `while read -r word n; do
	if [ "$word" != learn ] && [ "$word" != predict ]; then continue; fi
	while [ "$n" -gt 0 ]; do
		read -r x
		if [ "$word" = predict ]; then echo 0.5,0.5; fi
		n=$((n-1))
	done
done
`
	write(t, program, "experiments", "half.sh")
	contains(t, mustRun(t, "-all"), "other.toml", "method.half.version: cat version: ", "; skipped\nsmall: 4 cells, 4 computed, ")
	mustRun(t, "list", "-check") // of the other, none were made
	write(t, "half 1.0\n", "experiments", "version")
	contains(t, mustRun(t, "-all"), "other: 1 cells, 1 computed, ")
	contains(t, read(t, "results", "other", "README.md"), "half 1.0")
	contains(t, read(t, "results", "other", "runs.csv"), "0.6931471805599453")
	contains(t, mustRun(t, "verify", "other"), "other: same bytes\n")
	mustRun(t, "list", "-check")
	write(t, "half 2.0\n", "experiments", "version")
	contains(t, mustRun(t, "verify", "-all"), "other: computed by half 1.0, not by half 2.0; skipped\n", "small: same bytes\n")
	mustRun(t, "list", "-check")
	// Without the program, or that version of it, the results may be behind; those of others may not.
	changeSources(t, "2")
	for range 2 {
		const want = "behind: of other sources; its program, or this version of it, is not installed"
		contains(t, mustRun(t, "list"), want)
		if _, _, err := try(t, "list", "-check"); err == nil || !strings.HasSuffix(err.Error(), " these lines:\nsmall") {
			t.Errorf("list -check: %v", err)
		}
		remove(t, "experiments", "version")
	}
	changeSources(t, "1")
	write(t, "half 1.0\n", "experiments", "version")
	// Other bytes of the script are other cells, and the results are behind; what it does wrong is the error of its cell, not a learner that breaks down.
	write(t, "echo no license >&2; exit 1\n", "experiments", "half.sh")
	_, _, err := try(t, "list", "-check")
	check.Refuses(t, "another script", err, "these lines:\nother")
	_, _, err = try(t, "-exp", "other")
	check.Refuses(t, "a program that fails", err, "cell half moons seed=1: sh half.sh: ended without an answer: exit status 1; its last lines:\n  no license")
}
