package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
)

// asProgram is the environment variable that makes this test binary the
// program, for what needs a process: signals and exit codes.
const asProgram = "RUNNER_TEST_AS_PROGRAM"

// studyVersion is the code version of studies that are not tests.
var studyVersion = codeVersion

func TestMain(m *testing.M) {
	codeVersion = func(study.Experiment, []string) (string, error) { return "1", nil }
	if os.Getenv(asProgram) != "" {
		if limitFiles(); os.Geteuid() == 65534 { // which may not read this binary
			executable = func() ([]byte, error) { return nil, nil }
		}
		if d, err := time.ParseDuration(os.Getenv("RUNNER_TEST_EXPIRY")); err == nil {
			store.Expiry = d
		}
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
	stdout, stderr, err := try(t, append(args, "-quiet")...)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	if stderr != "" {
		t.Errorf("%q prints %q", args, stderr)
	}
	return stdout
}

// process is the program in a process of its own.
type process struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

func newProcess(t testing.TB, args ...string) *process {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{Cmd: exec.Command(path, args...)}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	return p
}

// exit runs the program to its end and returns what it leaves.
func exit(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	p := newProcess(t, args...)
	if err := p.Run(); p.ProcessState == nil {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String()
}

// edit returns the text with each old, which is there once, replaced by the new
// after it.
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

func remove(t testing.TB, path ...string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(path...)); err != nil {
		t.Fatal(err)
	}
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
func cellFiles(t testing.TB, dir string) []string { return glob(t, dir, "cells", "*.cell") }

// results returns by name all files of a results folder that must be the same
// bytes on every run, after comparing them with SHA256SUMS.
func results(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	var sums strings.Builder
	for _, path := range glob(t, dir, "*") { // in the order of their names
		switch name := filepath.Base(path); {
		case name == "cells", name == "cells.sums", name == "run.json", strings.HasPrefix(name, "timing"): // tell of the run
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

// same compares two sets of files, of which want must not be empty.
func same(t testing.TB, got, want map[string]string) {
	t.Helper()
	if len(want) == 0 {
		t.Error("nothing to compare with")
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
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

// snapshot returns all that is under a folder, with its time, to compare by same.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			files[path] = ""
			return err
		}
		info, err := e.Info()
		if err == nil {
			files[path] = info.ModTime().String() + read(t, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// inExperiments goes to a new folder with these manifests in experiments/.
func inExperiments(t *testing.T, manifests map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range manifests {
		write(t, text, "experiments", name)
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

func TestHelp(t *testing.T) {
	code, stdout, stderr := exit(t, "-h")
	if code != 0 || stderr != "" {
		t.Errorf("-h: exit code %d, and %q", code, stderr)
	}
	for _, flag := range []string{"exp", "all", "list", "effort", "out", "workers", "set", "shard", "engine", "chunk", "limit", "slurm-args", "wait", "dry-run", "quiet", "verify", "draw", "fetch", "mirror", "predict", "data", "to", "unknown", "wrong", "familiar", "diff", "stale", "check"} {
		contains(t, stdout, "\n  -"+flag)
	}
}

func TestWrongUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, small, "M")
	for _, args := range []string{
		"", "-workers 2", "-experiment M", "-exp", "-exp M -workers 0", "-exp M -workers two",
		"-exp M -shard 0/3", "-exp M -shard 4/3", "-exp M -shard x", "-exp M -shard 1/2/3",
		"-exp M -quiet=maybe", "-exp M -out=", "-exp M -quiet yes", "M",
		"-all -effort slow", "-exp M -effort quick", "-all -exp M", "-list -exp M",
		"-fetch iris -all", "-fetch iris -exp M", "-fetch iris -list", "-exp M -mirror /",
		"-predict n.npz", "-data M", "-predict n.npz -data M -exp M", "-predict n.npz -data M -unknown 1.5", "-exp M -to x", "-exp M -unknown 0.5",
		"-exp M -wrong 0.1", "-exp M -familiar 0.1", "-predict n.npz -data M -wrong 1", "-predict n.npz -data M -familiar 2", "-predict n.npz -data M -wrong 0.1 -unknown 0.9",
		"-exp M -verify -shard 1/2", "-exp M -draw -verify", "-exp M -draw -shard 1/2",
		"-exp M -engine cloud", "-exp M -wait", "-exp M -chunk 3", "-exp M -engine slurm -chunk -1", "-list -engine slurm",
		"-exp M -engine slurm -verify", "-exp M -engine slurm -shard 1/2", "-exp M -engine slurm -workers 2",
		"-diff HEAD -all", "-diff HEAD -list", "-diff HEAD -exp M -set a=1", "-stale -exp M", "-stale -list", "-check", "-diff HEAD -stale",
		"-exp M -task p/1 -merge p/2", "-exp M -task p/1 -shard 1/2", "-task p/1",
	} {
		var stdout, stderr bytes.Buffer
		err := run(t.Context(), &stdout, &stderr, strings.Fields(args))
		if !errors.Is(err, errUsage) || stdout.Len() > 0 {
			t.Errorf("%s: error %v, and it prints %q", args, err, &stdout)
		}
	}
	if code, stdout, stderr := exit(t, "-exp", "M", "-workers", "-1"); code != 2 || stdout != "" ||
		stderr != "runner: usage: -workers -1: need at least 1\nrunner: -h tells what is allowed\n" {
		t.Errorf("exit code %d, %q and %q", code, stdout, stderr)
	}
	if exists("results") {
		t.Error("wrong usage made a folder")
	}
}
