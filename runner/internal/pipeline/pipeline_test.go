package pipeline

import (
	"context"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
)

func TestMain(m *testing.M) {
	SourceDigest = func() string { return "1" }
	if os.Getenv(check.AsProgram) == "" {
		os.Exit(m.Run())
	}
	limitFiles()
	if err := command(context.Background(), os.Stdout, os.Stderr, os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

var program = check.Program(command)

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
	f.BoolVar(&r.Again, "confirm-again", false, "")
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

// published is a run of a manifest of the name small.
func published(t *testing.T, manifest string) (m, out, dir string) {
	t.Helper()
	m, out = check.Write(t, manifest), t.TempDir()
	program.Run(t, "-exp", m, "-out", out)
	return m, out, filepath.Join(out, "small")
}

// changeSources makes the program one of other sources, until the end of the test.
func changeSources(t *testing.T, digest string) {
	t.Helper()
	was := SourceDigest
	SourceDigest = func() string { return digest }
	t.Cleanup(func() { SourceDigest = was })
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

// cellFiles returns the files of the finished cells of a results folder.
func cellFiles(dir string) []string { return check.Glob(dir, "cells", "*.cell") }

// checksummed returns by name all files of a results folder that must be the same bytes on every run, after
// comparing them with SHA256SUMS.
func checksummed(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	for _, path := range check.Glob(dir, "*") {
		if name := filepath.Base(path); !slices.Contains([]string{"cells", "run.json", "README.md"}, name) {
			files[name] = check.Read(path)
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
		check.True(t, got[name] == text, "%s: other bytes", name)
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
			files[path] = info.ModTime().String() + check.Read(path)
		}
		return err
	})
	check.OK(t, err)
	return files
}
