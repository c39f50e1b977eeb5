package main

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// replaceFile replaces the content of a published file and, as one who hides
// it would, its checksum.
func replaceFile(t testing.TB, dir, name, text string) {
	t.Helper()
	old := read(t, dir, name)
	sums := edit(t, read(t, dir, "SHA256SUMS"), fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(old)), name),
		fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name))
	write(t, text, dir, name)
	write(t, sums, dir, "SHA256SUMS")
}

// scale returns the text of a table with one of its numbers multiplied: that
// of the first row in the named column.
func scale(t testing.TB, csv, column string, factor float64) string {
	t.Helper()
	lines := strings.SplitAfter(csv, "\n")
	names, fields := strings.Split(strings.TrimSpace(lines[0]), ","), strings.Split(strings.TrimSpace(lines[1]), ",")
	for i, name := range names {
		if name == column {
			var x float64
			if _, err := fmt.Sscan(fields[i], &x); err != nil || x == 0 {
				t.Fatalf("%s = %s, %v", column, fields[i], err)
			}
			fields[i] = fmt.Sprint(x * factor)
			lines[1] = strings.Join(fields, ",") + "\n"
			return strings.Join(lines, "")
		}
	}
	t.Fatalf("no column %s", column)
	return ""
}

func TestVerify(t *testing.T) {
	plain, maps := write(t, small), write(t, drawn(t))
	made := map[string]string{plain: t.TempDir(), maps: t.TempDir()}
	for m, out := range made {
		mustRun(t, "-exp", m, "-out", out)
	}
	foreign := func(t *testing.T, dir string) {
		write(t, regexp.MustCompile(`"goarch": "\w+"`).ReplaceAllString(read(t, dir, "run.json"), `"goarch": "s390x"`), dir, "run.json")
	}
	remove := func(t *testing.T, path ...string) {
		t.Helper()
		if err := os.RemoveAll(filepath.Join(path...)); err != nil {
			t.Fatal(err)
		}
	}
	const within = "small: made on s390x .*, verified on .*: numbers are compared within a relative tolerance of 1e-06, figures are not compared\n"
	for _, c := range []struct {
		name    string
		m       string
		change  func(t *testing.T, dir string)
		want    string // pattern of the whole output
		differs int
	}{
		{"equal", plain, func(*testing.T, string) {}, "small: verified\n", 0},
		{"a clone, without what is not committed", maps, func(t *testing.T, dir string) {
			remove(t, dir, "cells")
			remove(t, dir, "timing.csv")
			remove(t, dir, "maps_joint.svg")
			remove(t, dir, "maps_joint.pdf")
		}, "small: verified\n", 0},
		{"a number and its checksum", plain, func(t *testing.T, dir string) {
			replaceFile(t, dir, "summary.csv", scale(t, read(t, dir, "summary.csv"), "brier", 1+1e-12))
		}, `small: summary.csv: changed: first on line 2, brier: \S+, and now \S+; largest relative difference 1e-12` + "\n", 1},
		{"a number only", plain, func(t *testing.T, dir string) {
			write(t, scale(t, read(t, dir, "grid.csv"), "p1", 2), dir, "grid.csv")
		}, "small: grid.csv: tampered: in the committed folder\n", 1},
		{"several", maps, func(t *testing.T, dir string) {
			replaceFile(t, dir, "claims.csv", strings.Replace(read(t, dir, "claims.csv"), "sharper", "duller", 1))
			remove(t, dir, "steps.csv")
			remove(t, dir, "maps_joint.png")
			replaceFile(t, dir, "maps_joint.svg", read(t, dir, "maps_joint.svg")+"\n")
			write(t, "", dir, "train.csv")
			write(t, "", dir, "old.csv")
		}, `small: claims.csv: changed: first on line 2, claim: .* duller, and now .* sharper; not only by rounding
small: maps_joint.png: absent: in the committed folder
small: maps_joint.svg: changed
small: old.csv: unlisted: in the committed folder
small: steps.csv: absent: in the committed folder
small: train.csv: tampered: in the committed folder
`, 6},
		{"another architecture", plain, foreign, within + "small: verified\n", 0},
		{"another architecture, last digits", maps, func(t *testing.T, dir string) {
			foreign(t, dir)
			replaceFile(t, dir, "grid.csv", scale(t, read(t, dir, "grid.csv"), "p1", 1+1e-9))
			replaceFile(t, dir, "maps_joint.png", read(t, dir, "maps_joint.png")+"\n")
		}, within + `small: grid.csv: changed: first on line 2, p1: \S+, and now \S+; largest relative difference 1e-09 \(accepted\)
small: maps_joint.png: changed: a figure, skipped \(accepted\)
small: verified
`, 0},
		{"another architecture, first digits", plain, func(t *testing.T, dir string) {
			foreign(t, dir)
			replaceFile(t, dir, "grid.csv", scale(t, read(t, dir, "grid.csv"), "p1", 1+1e-5))
		}, within + `small: grid.csv: changed: first on line 2, p1: \S+, and now \S+; largest relative difference 1e-05, more than 1e-06` + "\n", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			out, temporary := t.TempDir(), t.TempDir()
			t.Setenv("TMPDIR", temporary)
			if err := os.CopyFS(out, os.DirFS(made[c.m])); err != nil {
				t.Fatal(err)
			}
			c.change(t, filepath.Join(out, "small"))
			before := snapshot(t, out)
			stdout, stderr, err := try(t, "-exp", c.m, "-out", out, "-verify", "-progress", "off")
			if !regexp.MustCompile("^" + c.want + "$").MatchString(stdout) {
				t.Errorf("it prints\n%swant\n%s", stdout, c.want)
			}
			if stderr != "" {
				t.Errorf("and on standard error %q", stderr)
			}
			want := fmt.Sprintf("%d files differ from the results in %s", c.differs, out)
			if c.differs == 0 && err != nil || c.differs > 0 && (err == nil || err.Error() != want) {
				t.Errorf("error %v; %d files differ", err, c.differs)
			}
			unchanged(t, out, before)
			if left := glob(t, temporary, "*"); len(left) > 0 {
				t.Errorf("temporary files are left: %q", left)
			}
		})
	}
}

func TestVerifyExitCodes(t *testing.T) {
	m, out := write(t, small), t.TempDir()
	code, stdout, stderr := exit(t, "-exp", m, "-out", out, "-verify")
	if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 {
		t.Errorf("without results: exit code %d; it prints %q", code, stdout+stderr)
	}
	begins(t, stderr, "runner: small: no results to compare with: ")
	if len(glob(t, out, "*")) > 0 {
		t.Error("-verify made a folder")
	}
	mustRun(t, "-exp", m, "-out", out)
	if code, stdout, _ := exit(t, "-exp", m, "-out", out, "-verify"); code != 0 || stdout != "small: verified\n" {
		t.Errorf("equal: exit code %d; it prints %q", code, stdout)
	}
	// Other values than those of the results: every file that follows from them.
	code, stdout, stderr = exit(t, "-exp", m, "-out", out, "-verify", "-set", "claim.1.threshold=0.7", "-progress", "off")
	if code != 1 || stderr != "runner: 2 files differ from the results in "+out+"\n" {
		t.Errorf("another threshold: exit code %d; it prints %q", code, stderr)
	}
	contains(t, stdout, "small: claims.csv: changed: ", "small: manifest.toml: changed\n")
}

func TestInterruptedVerify(t *testing.T) {
	m, out := write(t, small), t.TempDir()
	mustRun(t, "-exp", m, "-out", out)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	err := run(ctx, &stdout, &stderr, []string{"-exp", m, "-out", out, "-verify"})
	if !errors.Is(err, context.Canceled) || stdout.Len() > 0 {
		t.Fatalf("error %v, and it prints %q", err, &stdout)
	}
	if strings.Contains(err.Error(), "goes on from there") {
		t.Errorf("%q: its cells are gone with the temporary folder", err)
	}
}
