package store

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

func openTemp(t testing.TB) *Folder {
	t.Helper()
	return mustOpen(t, filepath.Join(t.TempDir(), "results", "[x]")) // which is no pattern
}

func mustOpen(t testing.TB, dir string) *Folder {
	t.Helper()
	f := check.Must(Open(dir, "cells"))
	t.Cleanup(func() { f.Close() })
	return f
}

// fileNames returns the files below dir, in order, but for the locks.
func fileNames(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !slices.Contains([]string{"lock", "users", "run"}, e.Name()) {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	check.OK(t, err)
	return strings.Join(names, " ")
}

// Where there are no locks, cells are computed unclaimed, and results are published. A folder in place of the
// lock stands for that, and a link, of which the target is left alone.
func TestWithoutLocks(t *testing.T) {
	f := openTemp(t)
	f.Close()
	target := filepath.Join(t.TempDir(), "target")
	lock, users := f.cells("lock"), f.cells("users")
	check.OK(t, errors.Join(os.Mkdir(lock, 0o777), os.Remove(users), os.Symlink(target, users)))
	f = mustOpen(t, f.Dir)
	check.OK(t, os.Mkdir(f.cells("at", filepath.Base(f.cellFile("k"))+".claim"), 0o777))
	check.Equal(t, "a claim", f.Claim("k") != nil, true)
	check.OK(t, f.SaveCell(newCell("k", "f", 1)))
	publish(t, f, "1", version(1)...)
	check.Refuses(t, "the target", check.Err(os.Stat(target)))
	// Where nothing can be written, computing goes on to an error that tells of it.
	os.RemoveAll(f.cells("at"))
	check.Write(t, "", f.cells("at"))
	check.Equal(t, "a claim", f.Claim("k") != nil, true)
	check.Refuses(t, "a cell", f.SaveCell(newCell("k", "f", 1)))
}
