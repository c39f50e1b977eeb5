package pipeline

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	check "closedform/internal/checktest"
)

// tortured is a manifest with figures whose cells, publishing and page take about as long.
func tortured(t testing.TB) (manifest, whole string, want map[string]string) {
	t.Helper()
	manifest = check.Write(t, edit(t, drawn, "[1, 2]", `"1..6"`, "points = 5", "points = 5\nsleep = 1"))
	whole = t.TempDir()
	program.Run(t, "-exp", manifest, "-out", whole)
	return manifest, whole, checksummed(t, filepath.Join(whole, "small"))
}

// complete runs the manifest to its end and compares what is there with the undisturbed run.
func complete(t *testing.T, manifest, out string, want map[string]string) {
	t.Helper()
	program.Run(t, "-exp", manifest, "-out", out)
	dir := filepath.Join(out, "small")
	same(t, checksummed(t, dir), want)
	left := slices.Concat(check.Glob(dir, "cells", "at", "*"), check.Glob(dir, ".*"), check.Glob(out, ".*"))
	check.Equal(t, "temporary files are left", len(left), 0)
}

// wholeFiles fails unless each published file that is there is whole.
func wholeFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	for name, text := range want {
		whole := !check.Exists(dir, name) || check.Read(dir, name) == text
		check.True(t, whole, "%s is there and has other bytes", name)
	}
}

// files returns the files of the results and of the cells.
func files(out string) []string {
	return slices.Concat(check.Glob(out, "small", "*"), check.Glob(out, "small", "cells", "*"))
}

// fileLimit is the environment variable that limits the size of files of a program.
const fileLimit = "RUNNER_TEST_FILE_LIMIT"

// limitFiles makes writing beyond the limit an error, as on a full disk.
func limitFiles() {
	if limit, err := strconv.ParseUint(os.Getenv(fileLimit), 10, 64); err == nil {
		signal.Ignore(syscall.SIGXFSZ)
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
			panic(err)
		}
	}
}

// Each size of a file is once too much for the disk: the run says which file, and the next one goes on.
func TestTortureFullDisk(t *testing.T) {
	rounds := check.Torture(t, 3, 10, 1000)
	manifest, whole, want := tortured(t)
	var sizes []uint64
	for _, path := range files(whole) {
		if info, err := os.Stat(path); err == nil && !info.IsDir() && info.Size() > 0 {
			sizes = append(sizes, uint64(info.Size()))
		}
	}
	slices.Sort(sizes)
	sizes = slices.Compact(sizes)
	limits := []uint64{0, 28} // nothing, and a part of the digest that names a run
	for i := range min(rounds, len(sizes)) {
		limits = append(limits, sizes[i*len(sizes)/min(rounds, len(sizes))]-1)
	}
	for _, limit := range limits {
		out := t.TempDir()
		p := check.NewProcess("-exp", manifest, "-out", out, "-quiet")
		p.Env = append(p.Env, fmt.Sprintf("%s=%d", fileLimit, limit))
		p.Run()
		code, said := p.ProcessState.ExitCode(), p.Err.String()
		if code != 1 || !strings.Contains(said, "write /") || strings.Contains(said, "goroutine") {
			t.Errorf("files of %d bytes: %v: %s", limit, p.ProcessState, said)
		}
		wholeFiles(t, filepath.Join(out, "small"), want)
		complete(t, manifest, out, want)
	}
}

// damages are what may happen to a file. The links are to one outside of the results, which is there or not.
var damages = map[string]func(path, outside string) error{
	"vanishes": func(path, _ string) error { return os.Remove(path) },
	"is cut":   func(path, _ string) error { return os.Truncate(path, 100) },
	"has another byte": func(path, _ string) error {
		data, err := os.ReadFile(path)
		if len(data) > 0 {
			data[len(data)/2] ^= 1
		}
		return cmp.Or(err, os.WriteFile(path, data, 0o666))
	},
	"is a link": func(path, outside string) error {
		return cmp.Or(os.WriteFile(outside, []byte("mine"), 0o666), os.Remove(path), os.Symlink(outside, path))
	},
	"is a link to nothing": func(path, outside string) error {
		return cmp.Or(os.Remove(path), os.Symlink(outside, path))
	},
}

// Whatever happens to a file of the results or of the cells, the same command puts it right, and writes
// nowhere else.
func TestTortureDamage(t *testing.T) {
	stride := check.Torture(t, 11, 2, 1)
	manifest, whole, want := tortured(t)
	for i, path := range files(whole) {
		for k, name := range slices.Sorted(maps.Keys(damages)) {
			if info, err := os.Stat(path); err != nil || info.IsDir() || (i*len(damages)+k)%stride > 0 {
				continue
			}
			t.Run(filepath.Base(path)+" "+name, func(t *testing.T) {
				out, outside := t.TempDir(), filepath.Join(t.TempDir(), "outside")
				check.OK(t, os.CopyFS(out, os.DirFS(whole)))
				if strings.HasSuffix(path, ".cell") {
					check.Remove(t, out, "small", "cells", "published") // or nobody reads the cells
				}
				check.OK(t, damages[name](out+strings.TrimPrefix(path, whole), outside))
				_, _, err := program.Try(t, "-exp", manifest, "-out", out, "-quiet")
				check.OK(t, err)
				complete(t, manifest, out, want)
				mine, err := os.ReadFile(outside)
				if name == "is a link" && string(mine) != "mine" || name != "is a link" && err == nil {
					t.Errorf("outside of the results there is %q", mine)
				}
			})
		}
	}
}

// slow returns the manifest small with as many seeds, whose cells take five times so many milliseconds.
func slow(t *testing.T, seeds, sleep int) string {
	t.Helper()
	long := fmt.Sprintf("points = 5\nsleep = %d", sleep)
	return edit(t, small, "[1, 2]", fmt.Sprintf(`"1..%d"`, seeds), "points = 5", long)
}

// A run, or one of two in a folder, is killed at moments of computing and publishing and at random; what is
// published is whole at any time, and in the end the same as without.
func TestTortureKills(t *testing.T) {
	m, whole := check.Write(t, slow(t, 4, 2)), t.TempDir()
	program.Run(t, "-exp", m, "-out", whole)
	want := checksummed(t, filepath.Join(whole, "small"))
	moments := []func(dir string) bool{
		func(dir string) bool { return len(cellFiles(dir)) >= 4 },
		func(dir string) bool { return check.Exists(dir, "manifest.toml") },
	}
	for range check.Torture(t, 1, 20, 200) {
		end := time.Now().Add(time.Duration(rand.Int64N(int64(150 * time.Millisecond))))
		moments = append(moments, func(string) bool { return time.Now().After(end) })
	}
	incomplete := 0
	for k, ready := range moments {
		out := t.TempDir()
		dir := filepath.Join(out, "small")
		args := []string{"-exp", m, "-out", out, "-quiet", "-workers", "2"}
		others := make(chan error, 1)
		others <- nil
		if k%2 == 1 {
			_, other := check.Start(t, func() bool { return true }, args...)
			<-others
			go func() { others <- <-other }()
		}
		p, ended := check.Start(t, func() bool { return ready(dir) }, args...)
		p.Process.Kill()
		<-ended
		wholeFiles(t, dir, want)
		if !check.Exists(dir, "SHA256SUMS") {
			incomplete++
		}
		check.OK(t, <-others)
		complete(t, m, out, want)
	}
	check.Equal(t, "runs were killed in the middle", incomplete > 0, true)
}

// Runs of one command share its folder, as the tasks of a job array do: each cell is computed once, also if
// one of them is killed and started again, and one run publishes. Of other values there is one run at a time.
func TestRunsInOneFolder(t *testing.T) {
	m, whole, out := check.Write(t, slow(t, 8, 10)), t.TempDir(), t.TempDir()
	program.Run(t, "-exp", m, "-out", whole, "-workers", "8")
	want := checksummed(t, filepath.Join(whole, "small"))
	dir := filepath.Join(out, "small")
	var runs []*check.Process
	var ends []<-chan error
	start := func(ready func() bool) {
		p, ended := check.Start(t, ready, "-exp", m, "-out", out, "-workers", "1")
		runs, ends = append(runs, p), append(ends, ended)
	}
	computed := func() int { return len(cellFiles(dir)) }
	for range 3 {
		start(func() bool { return len(check.Glob(dir, "cells", "at", "*.claim")) > 0 })
	}
	busy := "small: a run of other values or other code is using " + dir
	program.Fails(t, busy, "-exp", m, "-out", out, "-set", "model.scale=0.4")
	for computed() < 4 {
		time.Sleep(time.Millisecond)
	}
	check.OK(t, runs[0].Process.Kill())
	<-ends[0]

	start(func() bool { return computed() == 16 })
	cells, published := 0, 0
	for i := 1; i < len(runs); i++ {
		if err := <-ends[i]; err != nil {
			t.Errorf("%v: %s", err, &runs[i].Err)
		}
		var n int
		said := runs[i].Out.String()
		fmt.Sscanf(said, "small: 16 cells, %d computed", &n)
		cells += n
		published += strings.Count(said, " files, in ")
		ended := strings.Contains(said, " files, in ") != strings.Contains(said, "is up to date")
		check.Equal(t, said+": it ends up to date", ended, true)
	}
	check.True(t, published == 1 && cells >= 12 && cells <= 16,
		"%d published, and %d cells were computed by those that were not killed", published, cells)
	same(t, checksummed(t, dir), want)
	check.Begins(t, program.Run(t, "-exp", m, "-out", out), "small: 16 cells, 0 computed, 16 done before; ")
}

// A cell that fails ends the run with its error alone. Its cells, earlier results and those of others are
// kept, and experiments whose cells were done are published. Where to look is said only after success; the page
// is written all the same.
func TestFailureTogether(t *testing.T) {
	bad := strings.Replace(named("bad"), "scale = 2", "fail = true\nsleep = 1", 1)
	check.InExperiments(t, map[string]string{"a.toml": named("a"), "bad.toml": bad})
	program.Run(t, "-exp", "a")
	check.Remove(t, "results", "a", "summary.csv") // to be published again
	check.Remove(t, "results", "index.html")
	stdout, stderr, err := program.Try(t, "-all", "-quiet", "-workers", "1")
	check.Refuses(t, "a cell that fails", err, "bad: cell total seed=")
	check.Equal(t, "it prints, and lines", stderr+fmt.Sprint(strings.Count(err.Error(), "\n")), "0")
	check.Contains(t, stdout, "a: 4 cells, 0 computed, 4 done before; ")
	opens := []bool{strings.Contains(stdout, "open "), check.Exists("results", "index.html")}
	check.Equal(t, "it says what to open, and there is a page", opens, []bool{false, true})
	check.Equal(t, "what failed is published", check.Exists("results", "bad", "SHA256SUMS"), false)
	check.Contains(t, program.Run(t, "list"), "bad   not finished: cell total seed=1: lost its way  4 ")
	for _, command := range []string{"verify", "draw"} {
		program.Fails(t, "results/bad is not finished: cell total seed=1: lost its way", command, "bad")
	}
	check.Write(t, named("bad"), "experiments", "bad.toml")
	check.Contains(t, program.Run(t, "-all"), "bad: 4 cells, 2 computed, 2 done before; ")
	check.Contains(t, program.Run(t, "list"), "bad   computed  4 ")
	dir := filepath.Join("results", "bad")
	before := checksummed(t, dir)
	check.Write(t, bad, "experiments", "bad.toml")
	check.Remove(t, dir, "cells")
	program.Fails(t, "bad: cell total seed=1: lost its way", "-exp", "bad", "-workers", "1")
	same(t, checksummed(t, dir), before)
}
