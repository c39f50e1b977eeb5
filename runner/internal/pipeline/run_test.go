package pipeline

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
)

func TestResultsFolder(t *testing.T) {
	m, out := check.Write(t, edit(t, drawn, "threshold", "noted = true\nthreshold")), t.TempDir()
	stdout := program.Run(t, "-exp", m, "-out", out)
	dir := filepath.Join(out, "small")
	check.Begins(t, stdout, "small: 4 cells, 4 computed, 0 done before; "+dir+" has 6 files, in ")
	check.Contains(t, stdout, "\n  4 walks\n")
	files := checksummed(t, dir)
	const want = "SHA256SUMS manifest.toml runs.csv runs.pdf runs.png summary.csv walks.csv.gz"
	check.Equal(t, "files", strings.Join(slices.Sorted(maps.Keys(files)), " "), want)
	for name, start := range map[string]string{
		"runs.png": "\x89PNG", "runs.pdf": "%PDF-",
		"runs.csv": "method,seed,end\njoint,1,", "summary.csv": "method,above\njoint,",
	} {
		check.Begins(t, files[name], start)
	}
	readme := check.Read(dir, "README.md")
	check.Begins(t, readme, "# small\n\nWhere do they end?\n\n- 4 walks\n")
	check.Contains(t, readme, "`walks.csv.gz` is large", "- `above` (integers): how many end above the",
		"](runs.png)\n", "\n    go run ./runner -exp "+m+" -out "+out+" -quiet\n")

	run := check.Must(store.ReadRun(dir))
	check.Equal(t, "run.json has", []any{run.Command, run.Manifest, run.Seeds, run.Computed, run.Reused},
		[]any{[]string{"runner", "-exp", m, "-out", out, "-quiet"}, "small", []int{1, 2}, 4, 0})
	check.Equal(t, "and the versions", []string{run.Go, run.SourceDigest}, []string{runtime.Version(), "1"})
	check.True(t, run.Commit != "" && run.Seconds > 0, "run.json has %+v", run)
	check.Equal(t, "verify prints", program.Run(t, "verify", "-exp", m, "-out", out), "small: same bytes\n")

	before := snapshot(t, dir)
	const warm = "small: 4 cells, 0 computed, 4 done before; %s is up to date\nopen %s/index.html\n"
	check.Equal(t, "a warm run says", program.Run(t, "-exp", m, "-out", out), fmt.Sprintf(warm, dir, out))
	same(t, snapshot(t, dir), before)

	changeSources(t, "2")
	check.Begins(t, program.Run(t, "-exp", m, "-out", out), "small: 4 cells, 4 computed, 0 done before; ")
	check.Equal(t, "run.json has the sources", check.Must(store.ReadRun(dir)).SourceDigest, "2")
}

// A run recomputes the cells that a changed manifest concerns, no others, and
// writes what a run of the changed manifest in a new folder writes.
func TestChangedManifest(t *testing.T) {
	m, whole, dir := published(t, small)
	before := checksummed(t, dir)
	for _, c := range []struct {
		old, new string
		computed int
		changes  string // some file whose bytes change
	}{
		{"threshold = 0.5", "threshold = -9", 0, "summary.csv"},
		{`title = ""`, `title = "Walks"`, 0, "runs.png"},
		{"threshold = 0.5", "threshold = 0.5 # steps", 0, ""},
		{"threshold = 0.5", "threshold = 0.5\ngroup = 'paper'", 0, "manifest.toml"},
		{"scale  = 0.3", "scale = 0.25", 2, "runs.csv"}, // method total has its own
		{"seed = [1, 2]", "seed = [1, 2, 3]", 2, "runs.csv"},
		{"seed = [1, 2]", "seed = [2]", 0, "runs.csv"},
	} {
		out, fresh := t.TempDir(), t.TempDir()
		check.OK(t, os.CopyFS(out, os.DirFS(whole)))
		check.Write(t, edit(t, small, c.old, c.new), m)
		stdout := program.Run(t, "-exp", m, "-out", out)
		if c.changes != "" {
			check.Contains(t, stdout, fmt.Sprintf(" cells, %d computed, ", c.computed))
			check.Equal(t, c.new+" changes nothing", strings.Contains(stdout, "unchanged"), false)
		}
		program.Run(t, "-exp", m, "-out", fresh)
		after := checksummed(t, filepath.Join(out, "small"))
		same(t, after, checksummed(t, filepath.Join(fresh, "small")))
		changed := c.changes == "" || after[c.changes] != before[c.changes]
		check.True(t, changed, "%s: %s has not changed", c.new, c.changes)
	}
}

// A damaged cell is computed again, with a warning. Cells that are reused count with the time they took. If
// the results do not change, the date of their run is printed.
func TestResultsAreRestored(t *testing.T) {
	m, out, dir := published(t, small)
	want, before := checksummed(t, dir), check.Must(store.ReadRun(dir))
	check.Remove(t, dir, "run.json")
	again := program.Run(t, "-exp", m, "-out", out)
	check.Begins(t, again, "small: 4 cells, 0 computed, 4 done before; ")
	check.Equal(t, "without a run before, "+again, strings.Contains(again, "unchanged"), false)
	after := check.Must(store.ReadRun(dir))
	check.Equal(t, "reused", []any{after.Reused, after.CPUSeconds}, []any{4, before.CPUSeconds})
	cell := check.Glob(dir, "cells", "total_seed=1-*.cell")[0]
	check.Write(t, check.Read(cell)[1:], cell)
	check.Remove(t, dir, "summary.csv") // so that there is something to do
	date := after.Start.Format(time.DateOnly)
	check.Write(t, strings.Replace(check.Read(dir, "run.json"), date, "2020-02-02", 1), dir, "run.json")
	stdout, stderr, err := program.Try(t, "-exp", m, "-out", out, "-quiet")
	check.OK(t, err)
	check.Contains(t, stdout, "\n  unchanged: the results, and their seconds, are those of the run of 2020-02-02\n")
	check.Equal(t, "it warns", stderr, "small: cell total seed=1: "+cell+": damaged; computing it again\n")
	same(t, checksummed(t, dir), want)
}

// Every run leaves a page of all results in its folder. Those of the project have a README with their
// findings, too, which says nothing of other values, nor of your own runs.
func TestReport(t *testing.T) {
	found := "group = 'learning'\nfinding = 'Above: {summary method=joint above %.0f}.'\n" + drawn
	check.InExperiments(t, map[string]string{"small.toml": found})
	program.Run(t, "-exp", "small")
	list, readme := check.Read("results/README.md"), check.Read("results/small/README.md")
	check.Contains(t, list, "\n## Learning\n\n- [small](small/README.md): Above: 0.\n")
	check.Contains(t, readme, "\n\n**Above: 0.**\n\n", "\n![walks](walks.png)\n")
	program.Run(t, "-exp", "small", "-set", "sweep.seed=2")
	for file, without := range map[string]string{"README.md": "@", "small@sweep.seed=2/README.md": "Above"} {
		check.Equal(t, file+" has "+without, strings.Contains(check.Read("results", file), without), false)
	}
	check.Contains(t, check.Read("results", "index.html"), `id="small@sweep.seed=2"`, `id="small"`, "Above: 0.")

	check.Write(t, "mine", "elsewhere", "README.md")
	program.Run(t, "-exp", "small", "-out", "elsewhere")
	check.Contains(t, check.Read("elsewhere", "index.html"), `id="small"`)
	check.Equal(t, "a README in another folder", check.Read("elsewhere", "README.md"), "mine")
}

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

// However the folder of the published results is written, other values and manifests from elsewhere do not
// replace what is in it.
func TestPublishedIsKept(t *testing.T) {
	short := edit(t, drawn, "threshold", "short = ['sweep.seed=[2]']\nthreshold")
	check.InExperiments(t, map[string]string{"small.toml": short})
	program.Run(t, "-exp", "small")
	manifest := check.Write(t, small, "own", "small.toml")
	before := snapshot(t, "results")
	check.OK(t, os.Symlink("results", "link"))
	full := check.Must(filepath.Abs("results"))
	for _, out := range []string{"results", "results/", "./results", "own/../results", full, "link"} {
		for _, args := range []string{
			"-exp small -short", "-exp small -set seed=1", "draw small -set title=x", "-exp " + manifest,
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
	program.Run(t, "-exp", manifest)
	dir := filepath.Join("own", "closedform-results", "small")
	t.Chdir("experiments")
	check.Contains(t, program.Run(t, "-exp", "../own/small.toml"), "4 cells, 0 computed, ", dir+" is up to date")
	t.Chdir("..")
	check.OK(t, os.Symlink("own", "mine"))
	program.Fails(t, "would both write to ", "-exp", manifest, "-exp", "mine/small.toml")
	other := check.Write(t, small, "other", "small.toml")
	program.Fails(t, dir+" has the results of /", "-exp", other, "-out", filepath.Dir(dir))
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
