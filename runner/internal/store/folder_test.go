package store

import (
	"errors"
	"fmt"
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

func overwrite(t testing.TB, text string, path ...string) {
	t.Helper()
	check.OK(t, os.WriteFile(filepath.Join(path...), []byte(text), 0o666))
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

// A cell is claimed by one process at a time, of those that compute the same cells.
func TestClaim(t *testing.T) {
	one := openTemp(t)
	two := mustOpen(t, one.Dir)
	release := one.Claim("k")
	if release == nil || two.Claim("k") != nil {
		t.Fatal("it is claimed by none, or by both")
	}
	_, err := Open(one.Dir, "others")
	check.Refuses(t, "other values", err, "a run of other values or other code is using "+one.Dir)
	check.Must(Open(one.Dir, "")).Close() // which computes nothing
	if again := two.Claim("b"); again == nil {
		t.Error("another cell cannot be claimed")
	}
	release()
	if two.Claim("k") == nil {
		t.Error("it was given up, and cannot be claimed")
	}
	one.Close()
	two.Close()
	check.Must(Open(one.Dir, "others")).Close()
}

// What killed processes left is removed by the next that has the folder for itself; while a process is
// alive nothing is.
func TestSweep(t *testing.T) {
	f := openTemp(t)
	overwrite(t, "", f.cells(".DS_Store"))
	leftover := f.cells("at", ".k-0123456789ab.cell1234567890123")
	overwrite(t, "half a c", leftover)
	mustOpen(t, f.Dir).Close()
	check.Equal(t, "while it is open", fileNames(t, f.cells()), ".DS_Store at/"+filepath.Base(leftover))
	f.Close()
	check.Equal(t, "closed", fileNames(t, f.cells()), ".DS_Store")
	overwrite(t, "half a c", leftover)
	mustOpen(t, f.Dir)
	check.Equal(t, "after a kill", fileNames(t, f.cells()), ".DS_Store")
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
	overwrite(t, "", f.cells("at"))
	check.Equal(t, "a claim", f.Claim("k") != nil, true)
	check.Refuses(t, "a cell", f.SaveCell(newCell("k", "f", 1)))
}

// A file is held by one, who is named to others until it is released.
func TestHold(t *testing.T) {
	path := filepath.Join(t.TempDir(), "network.npz")
	for range 2 {
		release := check.Must(Hold(path, "learned"))
		_, err := Hold(path, "replaced")
		check.Refuses(t, "held", err, fmt.Sprintf("%s is being learned by process %d since 2", path, os.Getpid()))
		release()
	}
	check.Equal(t, "files left", fileNames(t, filepath.Dir(path)), "")
}
