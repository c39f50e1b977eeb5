package pipeline

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
)

// asProgram is the environment variable that makes this test binary a program, which tests can kill.
const asProgram = "PIPELINE_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	SourceDigest = func() string { return "1" }
	if os.Getenv(asProgram) == "" {
		os.Exit(m.Run())
	}
	limitFiles()
	if err := command(context.Background(), os.Stdout, os.Stderr, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// command does what the program does with these arguments.
func command(ctx context.Context, stdout, stderr io.Writer, args []string) error {
	r := &Request{Words: args, Stdout: stdout, Stderr: stderr}
	name := "run"
	if !strings.HasPrefix(args[0], "-") {
		name, args = args[0], args[1:]
	}
	f := flag.NewFlagSet(name, flag.PanicOnError)
	for name, list := range map[string]*[]string{"exp": &r.Names, "set": &r.Overrides} {
		f.Func(name, "", func(s string) error {
			*list = append(*list, s)
			return nil
		})
	}
	f.BoolVar(&r.All, "all", false, "")
	f.BoolVar(&r.Short, "short", false, "")
	f.StringVar(&r.Out, "out", "", "")
	f.UintVar(&r.Workers, "workers", 2, "")
	f.BoolVar(&r.Quiet, "quiet", false, "")
	behind := f.Bool("check", false, "")
	for f.Parse(args); f.NArg() > 0; f.Parse(f.Args()[1:]) {
		r.Names = append(r.Names, f.Arg(0))
	}
	switch {
	case *behind:
		return Check(stdout)
	case name == "list":
		return List(stdout)
	case name == "verify":
		return r.Verify(ctx)
	case name == "draw":
		return r.Draw(ctx)
	}
	return check.Err(r.Run(ctx))
}

func try(t testing.TB, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	err = command(t.Context(), &out, &errs, args)
	return out.String(), errs.String(), err
}

// mustRun returns the standard output of a command that succeeds without warnings.
func mustRun(t testing.TB, args ...string) string {
	t.Helper()
	if args[0] == "verify" || strings.HasPrefix(args[0], "-") {
		args = append(args, "-quiet")
	}
	stdout, stderr, err := try(t, args...)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	check.Equal(t, fmt.Sprintf("%q prints", args), stderr, "")
	return stdout
}

// fails checks that a command has an error that says this.
func fails(t testing.TB, want string, args ...string) {
	t.Helper()
	_, _, err := try(t, args...)
	check.Refuses(t, strings.Join(args, " "), err, want)
}

// published is a run of a manifest of the name small.
func published(t *testing.T, manifest string) (m, out, dir string) {
	t.Helper()
	m, out = write(t, manifest), t.TempDir()
	mustRun(t, "-exp", m, "-out", out)
	return m, out, filepath.Join(out, "small")
}

// changeSources makes the program one of other sources, until the end of the test.
func changeSources(t *testing.T, digest string) {
	t.Helper()
	was := SourceDigest
	SourceDigest = func() string { return digest }
	t.Cleanup(func() { SourceDigest = was })
}

// process is a command in a process of its own.
type process struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

func newProcess(args ...string) *process {
	p := &process{Cmd: exec.Command(os.Args[0], args...)}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	return p
}

// edit returns the text with each old, which is there once, replaced by the new after it.
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
	check.OK(t, os.MkdirAll(filepath.Dir(file), 0o777))
	check.OK(t, os.WriteFile(file, []byte(text), 0o666))
	return file
}

func content(path ...string) string {
	return string(check.Must(os.ReadFile(filepath.Join(path...))))
}

func remove(t testing.TB, path ...string) {
	t.Helper()
	check.OK(t, os.RemoveAll(filepath.Join(path...)))
}

func exists(path ...string) bool {
	_, err := os.Lstat(filepath.Join(path...))
	return err == nil
}

func glob(path ...string) []string {
	return check.Must(filepath.Glob(filepath.Join(path...)))
}

// cellFiles returns the files of the finished cells of a results folder.
func cellFiles(dir string) []string { return glob(dir, "cells", "*.cell") }

// checksummed returns by name all files of a results folder that must be the same bytes on every run, after
// comparing them with SHA256SUMS.
func checksummed(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, path := range glob(dir, "*") {
		if name := filepath.Base(path); !slices.Contains([]string{"cells", "run.json", "README.md"}, name) {
			files[name] = content(path)
		}
	}
	differing := check.Must(store.OpenResults(dir)).Differing(true)
	check.Equal(t, "files that differ from SHA256SUMS", len(differing), 0)
	return files
}

// same compares two sets of files, of which want must not be empty.
func same(t testing.TB, got, want map[string]string) {
	t.Helper()
	check.Equal(t, "files", slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s: other bytes", name)
		}
	}
	check.Equal(t, "nothing to compare with", len(want) == 0, false)
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
			files[path] = info.ModTime().String() + content(path)
		}
		return err
	})
	check.OK(t, err)
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

// begins checks that a text begins as wanted: the rest is a time.
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
