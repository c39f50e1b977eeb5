package store

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	check "closedform/internal/checktest"
)

// A cell is claimed by one process at a time.
func TestClaim(t *testing.T) {
	one := mustOpen(t, filepath.Join(t.TempDir(), "[x]")) // which is no pattern
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

// Where there are no locks, cells are computed unclaimed.
func TestClaimWithoutLocks(t *testing.T) {
	f := openTemp(t)
	claim := f.claimFile("k")
	check.OK(t, os.Mkdir(claim, 0o777)) // which cannot be locked
	if !exists(claim) || f.Claim("k") == nil {
		t.Error("the file was removed, or there is no claim")
	}
	// Where nothing can be written, computing goes on to an error that tells of it.
	os.RemoveAll(f.claims())
	overwrite(t, "", f.claims())
	if f.Claim("k") == nil || f.SaveCell(newCell("k", "f", 1)) == nil {
		t.Error("a claim that cannot be made is waited for, or the cell was kept")
	}
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
	left := check.Must(os.ReadDir(filepath.Dir(path)))
	check.Equal(t, "files left", len(left), 0)
}
