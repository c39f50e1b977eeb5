package store

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"closedform/internal/check"
)

// A cell is claimed by one process at a time.
func TestClaim(t *testing.T) {
	one := mustOpen(t, filepath.Join(t.TempDir(), "[x]")) // which is no pattern
	two := mustOpen(t, one.dir)
	release := one.Claim("k", "f")
	if release == nil || two.Claim("k", "f") != nil {
		t.Fatal("it is claimed by none, or by both")
	}
	check.OK(t, errors.Join(one.Others([]string{"k"}, []string{"f"}), two.Others([]string{"k"}, []string{"f"})))
	want := fmt.Sprintf("a run of other values or other code is using %s: host %s, pid %d",
		one.dir, strings.Fields(machine())[0], os.Getpid())
	if err := two.Others([]string{"k"}, []string{"g"}); err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	if again := two.Claim("b", "f"); again == nil {
		t.Error("another cell cannot be claimed")
	}
	release()
	if release = two.Claim("k", "f"); release == nil {
		t.Fatal("it was given up, and cannot be claimed")
	}
	two.Close()
	if one.Claim("k", "f") == nil {
		t.Error("who had it has closed the folder, and it cannot be claimed")
	}
}

// Of many that want a cell at the same time, of a dead process or not, one gets it.
func TestClaimRace(t *testing.T) {
	dir := openTemp(t).dir
	folders := make([]*Folder, 8)
	for i := range folders {
		folders[i] = mustOpen(t, dir)
	}
	for round := range 50 {
		key := fmt.Sprint(round)
		if round%2 == 1 {
			overwrite(t, "elsewhere\npid 1\n", folders[0].claimFile(key, "f"))
			age(t, folders[0].claimFile(key, "f"), time.Hour)
		}
		var got sync.Map
		var group sync.WaitGroup
		for i, f := range folders {
			group.Go(func() {
				if f.Claim(key, "f") != nil {
					got.Store(i, true)
				}
			})
		}
		group.Wait()
		n := 0
		got.Range(func(any, any) bool { n++; return true })
		check.Equal(t, "round", n, 1)
	}
}

func age(t *testing.T, path string, by time.Duration) {
	t.Helper()
	then := time.Now().Add(-by)
	check.OK(t, os.Chtimes(path, then, then))
}

// What a dead process has claimed is free: at once on the same machine, elsewhere when no
// sign of life was seen for a while. A time in the future is none of a living process.
func TestClaimExpires(t *testing.T) {
	f := openTemp(t)
	child := startClaim(t, f.dir)
	if f.Claim("k", "f") != nil {
		t.Error("a process that is alive has lost its cell")
	}
	check.OK(t, child.Process.Kill())
	child.Wait() // reports the kill
	if f.Claim("k", "f") == nil {
		t.Error("a dead process keeps its cell")
	}
	for by, free := range map[time.Duration]bool{0: false, Expiry / 2: false, -Expiry / 2: false, 2 * Expiry: true, -2 * Expiry: true} {
		key := by.String()
		overwrite(t, "elsewhere\npid 1\n", f.claimFile(key, "f"))
		age(t, f.claimFile(key, "f"), by)
		check.Equal(t, fmt.Sprintf("a claim that is %v old: free", by), f.Claim(key, "f") != nil, free)
	}
}

// A process that lives renews what it has claimed. One that is declared dead while it
// sleeps goes on, and leaves the claims of others alone.
func TestClaimIsRenewed(t *testing.T) {
	defer func(d time.Duration) { Expiry = d }(Expiry)
	Expiry = 2 * time.Second
	f := openTemp(t)
	release := f.Claim("k", "f")
	time.Sleep(Expiry + Expiry/2)
	if info, err := os.Stat(f.claimFile("k", "f")); err != nil || time.Since(info.ModTime()) > Expiry {
		t.Errorf("not renewed: %v", err)
	}
	os.RemoveAll(f.at()) // as those do that take it for dead
	two := mustOpen(t, f.dir)
	os.MkdirAll(f.at(), 0o777)
	if two.Claim("k", "f") == nil {
		t.Fatal("the cell is not free")
	}
	save(t, f, newCell("k", "f", 1))
	release()
	if f.Claim("k", "f") != nil {
		t.Error("the claim of another was given up")
	}
	if f.Claim("b", "f") == nil {
		t.Error("it cannot claim any more")
	}
}

// Where there are no hard links, cells are computed unclaimed.
func TestClaimWithoutLinks(t *testing.T) {
	f := openTemp(t)
	_, _, err := f.enter()
	check.OK(t, err)
	os.Remove(f.owner.path)
	f.owner.path = filepath.Dir(f.owner.path) // which cannot be linked to
	if f.Claim("k", "f") == nil {
		t.Error("no claim")
	}
	// Where nothing can be written, computing goes on to an error that tells of it.
	os.RemoveAll(f.at())
	overwrite(t, "", f.at())
	f.owner.path = ""
	if f.Claim("k", "f") == nil || f.SaveCell(newCell("k", "f", 1)) == nil {
		t.Error("a claim that cannot be made is waited for, or the cell was kept")
	}
}

// A process that was killed before it wrote into its file leaves nothing, one that is about to write keeps it.
func TestEmptyOwner(t *testing.T) {
	f := openTemp(t)
	check.OK(t, os.MkdirAll(f.at(), 0o777))
	ended := exec.Command("true")
	check.OK(t, ended.Run())
	for pid, stays := range map[int]bool{ended.Process.Pid: false, os.Getppid(): true} {
		path := filepath.Join(f.at(), fmt.Sprintf("%d-7.owner", pid))
		check.OK(t, os.WriteFile(path, nil, 0o666))
		f.sweep()
		if _, err := os.Stat(path); stays != (err == nil) {
			t.Errorf("the process is there: %t; its file: %v", stays, err)
		}
	}
}
