package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// small is the manifest of these tests: 2 variants × 2 seeds, the cells of
// seed 2 the larger ones.
const small = `name  = "small"
study = "learn"
seed  = 2

[data]
generator = "wedges"
train     = 6

[model]
layers     = [2, 3]
lambda     = 0.3
prior_mean = [[1, 0], [0, 1], [1, 1]]

[evaluate]
snapshots = [1, 3, 6]
grid      = 9

[monte_carlo]
samples = 50

[sweep]
seed = [1, 2]

[[variant]]
name = "joint"

[[variant]]
name   = "total"
rule   = "total"
lambda = "slope"

[[claim]]
claim     = "indifference gets sharper"
statistic = "entropy_drop"
threshold = 0.0
`

// page is an addition to small: one page of maps.
const page = `
[[figure]]
kind    = "maps"
variant = "joint"
`

// drawn returns small with a small page of maps. Drawing takes longer than all
// else, so that most tests do without.
func drawn(t testing.TB) string {
	t.Helper()
	return edit(t, small, "snapshots = [1, 3, 6]", "snapshots = [6]") + page
}

// asProgram is the environment variable that makes this test binary the
// program, for what needs a process: signals and exit codes.
const asProgram = "RUNNER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// try runs the program within this process.
func try(t testing.TB, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	err = run(t.Context(), &out, &errs, args)
	return out.String(), errs.String(), err
}

// mustRun returns the standard output of a run that succeeds and has nothing
// to warn of.
func mustRun(t testing.TB, args ...string) string {
	t.Helper()
	stdout, stderr, err := try(t, append(args, "-progress", "off")...)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	if stderr != "" {
		t.Errorf("%q prints %q", args, stderr)
	}
	return stdout
}

// program is the program in a process of its own.
type program struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

func newProgram(t testing.TB, args ...string) *program {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &program{Cmd: exec.Command(path, args...)}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	return p
}

// exit runs the program to its end and returns what it leaves.
func exit(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	p := newProgram(t, args...)
	if err := p.Run(); p.ProcessState == nil {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String()
}

// edit returns the text with each old replaced by the new after it.
func edit(t testing.TB, text string, oldNew ...string) string {
	t.Helper()
	for i := 0; i < len(oldNew); i += 2 {
		if n := strings.Count(text, oldNew[i]); n != 1 {
			t.Fatalf("%q is there %d times, not once", oldNew[i], n)
		}
		text = strings.Replace(text, oldNew[i], oldNew[i+1], 1)
	}
	return text
}

// write writes a file into a new folder, or the named one, and returns its path.
func write(t testing.TB, text string, path ...string) string {
	t.Helper()
	if len(path) == 0 {
		path = []string{t.TempDir(), "m.toml"}
	}
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

func read(t testing.TB, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func exists(path ...string) bool {
	_, err := os.Lstat(filepath.Join(path...))
	return err == nil
}

func glob(t testing.TB, path ...string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// cellFiles returns the files of the finished cells of a results folder.
func cellFiles(t testing.TB, dir string) []string { return glob(t, dir, "cells", "*.json.gz") }

// results returns by name all files of a results folder that must be the same
// bytes on every run, after comparing them with SHA256SUMS.
func results(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	var sums strings.Builder
	for _, path := range glob(t, dir, "*") { // in the order of their names
		switch name := filepath.Base(path); {
		case name == "cells", name == "run.json", strings.HasPrefix(name, "timing"): // differ on every run
		case name == "SHA256SUMS":
			files[name] = read(t, path)
		default:
			files[name] = read(t, path)
			fmt.Fprintf(&sums, "%x  %s\n", sha256.Sum256([]byte(files[name])), name)
		}
	}
	if got := files["SHA256SUMS"]; got != sums.String() {
		t.Errorf("SHA256SUMS is\n%swant\n%s", got, &sums)
	}
	return files
}

// same compares two results, of which want must not be empty.
func same(t testing.TB, got, want map[string]string) {
	t.Helper()
	if len(want) == 0 {
		t.Error("nothing to compare with")
	}
	for name := range want {
		if text, ok := got[name]; !ok {
			t.Errorf("%s is not there", name)
		} else if text != want[name] {
			t.Errorf("%s: other bytes", name)
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is there and should not be", name)
		}
	}
}

// begins checks that a text is there and how it begins: the rest is a time.
func begins(t testing.TB, got, want string) {
	t.Helper()
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want it to begin %q", got, want)
	}
}

func contains(t testing.TB, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("got %q, want %q in it", got, w)
		}
	}
}
