package main

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

// replaceFile replaces the content of a published file and, as one who hides it would, its checksum.
func replaceFile(t testing.TB, dir, name, text string) {
	t.Helper()
	sums := edit(t, read(t, dir, "SHA256SUMS"), fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(read(t, dir, name))), name),
		fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name))
	write(t, text, dir, name)
	write(t, sums, dir, "SHA256SUMS")
}

// scaled returns the runs of a results folder with their first number multiplied.
func scaled(t testing.TB, dir string, factor float64) string {
	t.Helper()
	lines := strings.SplitAfter(read(t, dir, "runs.csv"), "\n")
	fields := strings.Split(strings.TrimSpace(lines[1]), ",")
	var x float64
	check.Must(fmt.Sscan(fields[2], &x))
	lines[1] = fmt.Sprintf("%s,%s,%v\n", fields[0], fields[1], x*factor)
	return strings.Join(lines, "")
}

func TestVerify(t *testing.T) {
	if testing.Short() {
		t.Skip("many runs")
	}
	m, made := write(t, drawn), t.TempDir()
	mustRun(t, "-exp", m, "-out", made)
	for _, c := range []struct {
		name    string
		change  func(t *testing.T, dir string)
		want    string // pattern of the whole output
		differs int
	}{
		{"a clone, without what is not committed", func(t *testing.T, dir string) {
			for _, name := range []string{"cells", "runs.pdf", "walks.csv.gz"} {
				remove(t, dir, name)
			}
		}, "small: same bytes\n", 0},
		{"a last digit, a text and a figure, with their checksums", func(t *testing.T, dir string) {
			replaceFile(t, dir, "runs.csv", scaled(t, dir, 1+1e-12))
			replaceFile(t, dir, "manifest.toml", edit(t, read(t, dir, "manifest.toml"), `"Walks"`, `"Ways"`))
			replaceFile(t, dir, "runs.png", read(t, dir, "runs.png")+"\n")
		}, `small: manifest.toml:8: "title = \\"Ways\\"", and now "title = \\"Walks\\""
small: runs.csv:2: "joint,1,\S+", and now "joint,1,\S+"
small: runs.png: other bytes
small: differs
`, 3},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, temporary := t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", temporary)
			check.OK(t, os.CopyFS(out, os.DirFS(made)))
			c.change(t, filepath.Join(out, "small"))
			before := snapshot(t, out)
			stdout, stderr, err := try(t, "verify", "-exp", m, "-out", out, "-quiet")
			if !regexp.MustCompile("^" + c.want + "$").MatchString(stdout) {
				t.Errorf("it prints\n%swant\n%s", stdout, c.want)
			}
			want := fmt.Sprintf("%d files differ from the results in %s", c.differs, out)
			if c.differs == 0 && err != nil || c.differs > 0 && (err == nil || err.Error() != want) || stderr != "" {
				t.Errorf("error %v, and %q; %d files differ", err, stderr, c.differs)
			}
			same(t, snapshot(t, out), before)
			if left := glob(t, temporary, "*"); len(left) > 0 {
				t.Errorf("temporary files are left: %q", left)
			}
		})
	}
}

// A program of fused multiply-adds says so, and run.json does.
func TestFused(t *testing.T) {
	defer func(was bool) { fused = was }(fused)
	m, out := write(t, small), t.TempDir()
	for _, fused = range []bool{false, true} {
		_, stderr, err := try(t, "-exp", m, "-out", out)
		check.OK(t, err)
		check.Equal(t, "told of fused operations", strings.Contains(stderr, "GOFLAGS="+unfused+" go run "), fused)
		contains(t, read(t, out, "small", "run.json"), fmt.Sprintf(`"fused_multiply_adds": %v,`, fused))
		remove(t, out, "small")
	}
}

func TestVerifyExitCodes(t *testing.T) {
	m, out := write(t, small), t.TempDir()
	code, stdout, stderr := exit(t, "verify", "-exp", m, "-out", out)
	if code != 1 || stdout != "" || len(glob(t, out, "*")) > 0 {
		t.Errorf("without results: exit code %d; it prints %q, and there is %q", code, stdout+stderr, glob(t, out, "*"))
	}
	begins(t, stderr, "runner: small: no results to compare with: ")
	mustRun(t, "-exp", m, "-out", out)
	// Other values than those of the results: every file that follows from them.
	code, stdout, stderr = exit(t, "verify", "-exp", m, "-out", out, "-set", "threshold=-99", "-quiet")
	check.Equal(t, "another threshold: exit code", []any{code, stderr}, []any{1, "runner: 2 files differ from the results in " + out + "\n"})
	contains(t, stdout, "small: manifest.toml:5: ", `small: summary.csv:2: "joint,0", and now "joint,2"`, "\nsmall: differs\n")
}

func TestDraw(t *testing.T) {
	if testing.Short() {
		t.Skip("many figures")
	}
	inExperiments(t, map[string]string{"small.toml": drawn, "other.toml": edit(t, small, `"small"`, `"other"`)})
	mustRun(t, "-exp", "small")
	dir := filepath.Join("results", "small")
	want := results(t, dir)
	for name := range want {
		if strings.HasPrefix(name, "runs.") && name != "runs.csv" || strings.HasPrefix(name, "walks.") && name != "walks.csv.gz" {
			remove(t, dir, name)
		}
	}
	remove(t, dir, "cells")
	// A figure that the experiment had once goes, with its sum.
	write(t, want["runs.png"], dir, "gone.png")
	for line := range strings.Lines(want["SHA256SUMS"]) {
		if name, ok := strings.CutSuffix(line, "runs.png\n"); ok {
			write(t, want["SHA256SUMS"]+name+"gone.png\n", dir, "SHA256SUMS")
		}
	}
	check.Equal(t, "it prints", mustRun(t, "draw", "-all"), "other: no results in results/other: run it\nsmall: 2 figures drawn\n")
	same(t, results(t, dir), want)
	if exists("results", "other") || len(cellFiles(t, dir)) > 0 {
		t.Error("it has computed something")
	}

	// Figures that are drawn otherwise have other sums, and a run draws them again.
	mustRun(t, "draw", "-exp", "small", "-set", "title=Ways", "-out", "results")
	if other := results(t, dir); other["runs.png"] == want["runs.png"] || other["runs.csv"] != want["runs.csv"] {
		t.Error("another title draws the same figures, or makes other tables")
	}
	mustRun(t, "-exp", "small")
	same(t, results(t, dir), want)

	remove(t, dir, "walks.csv.gz")
	remove(t, dir, "runs.png")
	const lack = "small: figure walks needs walks.csv.gz, which is not committed; to make it: go run ./runner -exp small\n"
	if got := mustRun(t, "draw", "-all"); !strings.HasSuffix(got, "small: 1 figures drawn\n"+lack) {
		t.Errorf("without a packed table it prints %q", got)
	}
	remove(t, dir, "runs.png")
	code, stdout, stderr := exit(t, "draw", "-exp", "other", "-exp", "small")
	check.Equal(t, "asked for by name: exit code", []any{code, stdout, stderr}, []any{1, "small: 1 figures drawn\n", "runner: other: no results in results/other: run it\n" + lack})
	check.Equal(t, "runs.png is another", read(t, dir, "runs.png"), want["runs.png"])
	write(t, "method,seed,end\n", dir, "runs.csv")
	fails(t, "checksum", "draw", "-exp", "small")
	contains(t, mustRun(t, "-exp", "small"), "small: 4 cells, 0 computed, ")
}

// Tables of another manifest may lack what a figure shows.
func TestDrawOfAnotherManifest(t *testing.T) {
	inExperiments(t, map[string]string{"stability.toml": read(t, "..", "experiments", "stability.toml")})
	mustRun(t, "-exp", "stability", "-short", "-out", "out")
	_, _, err := try(t, "draw", "stability", "-out", "out")
	check.Refuses(t, "draw", err, "stability: the results in out/stability are behind (of another manifest): ", "to make them: go run ./runner -exp stability")
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has a stack: %v", err)
	}
}
