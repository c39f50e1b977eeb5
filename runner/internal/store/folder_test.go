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

// What processes that were killed left is removed by the next that has the folder for itself;
// while a process is alive nothing is.
func TestSweep(t *testing.T) {
	f := openTemp(t)
	foreign := filepath.Join(f.cells(), ".DS_Store")
	overwrite(t, "", foreign)
	release := f.Claim("k")
	leftover := filepath.Join(f.claims(), ".k-0123456789ab.cell1234567890123")
	overwrite(t, "half a c", leftover)
	other := mustOpen(t, f.Dir)
	if other.Close(); !exists(leftover) || !exists(f.claimFile("k")) {
		t.Error("a temporary file or a claim was removed while a process is alive")
	}
	release()
	f.Close()
	if exists(leftover) || exists(f.claimFile("k")) || !exists(foreign) {
		t.Error("the folder is closed, and what was there is still there, or a file that is none of ours is not")
	}
	overwrite(t, "half a c", leftover) // as a killed process leaves it
	mustOpen(t, f.Dir)
	check.Equal(t, "what a killed process left is still there", exists(leftover), false)
}

func TestOpenWithoutLocks(t *testing.T) {
	f := openTemp(t)
	f.Close()
	// A folder in place of the lock file stands for a file system that cannot lock.
	lock := filepath.Join(f.cells(), "lock")
	check.OK(t, errors.Join(os.RemoveAll(lock), os.Mkdir(lock, 0o777)))
	f = mustOpen(t, f.Dir)
	save(t, f, newCell("k", "f", 1))
	publish(t, f, "1", version(1)...)
}
