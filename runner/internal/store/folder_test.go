package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	check "closedform/internal/checktest"
)

func TestMain(m *testing.M) {
	if dir := os.Getenv("STORE_TEST_CLAIM"); dir != "" {
		f, err := Open(dir)
		if err != nil || f.Claim("k", "f") == nil {
			panic("no claim")
		}
		fmt.Println()
		time.Sleep(time.Hour)
	}
	os.Exit(m.Run())
}

// startClaim starts this test as a child process that claims the cell k of a folder, and waits until it has.
func startClaim(t *testing.T, dir string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_CLAIM="+dir)
	out := check.Must(cmd.StdoutPipe())
	cmd.Stderr = os.Stderr
	check.OK(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	check.Must(out.Read(make([]byte, 1)))
	return cmd
}

// fileNames returns the files below dir, in order, but for the locks.
func fileNames(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() != "lock" && e.Name() != "users" {
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
	release := f.Claim("k", "f")
	leftover := filepath.Join(f.claims(), ".k-0123456789ab.cell1234567890123")
	overwrite(t, "half a c", leftover)
	other := mustOpen(t, f.Dir)
	if other.Close(); !exists(leftover) || !exists(f.claimFile("k", "f")) {
		t.Error("a temporary file or a claim was removed while a process is alive")
	}
	release()
	f.Close()
	if exists(leftover) || exists(f.claimFile("k", "f")) || !exists(foreign) {
		t.Error("the folder is closed, and what was there is still there, or a file that is none of ours is not")
	}
	child := startClaim(t, f.Dir)
	overwrite(t, "half a c", leftover)
	check.OK(t, child.Process.Kill())
	child.Wait() // reports the kill
	if mustOpen(t, f.Dir); exists(leftover) || exists(f.claimFile("k", "f")) {
		t.Error("what a killed process left is still there")
	}
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
