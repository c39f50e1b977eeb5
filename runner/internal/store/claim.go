package store

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"
)

// A process holds a lock on a file in cells/at/ for each cell that it claims. The system releases the locks
// of a process that ends, in whatever way. On a file system without locks there are no claims: a cell may be
// computed twice, to the same bytes.

// newLock returns a lock of the file at path. It replaces a link there, which would make a file elsewhere.
func newLock(path string) *flock.Flock {
	if info, err := os.Lstat(path); err == nil && info.Mode()&os.ModeSymlink != 0 {
		os.Remove(path)
	}
	return flock.New(path, flock.SetPermissions(0o666))
}

// Claim claims a cell before it is computed and returns a function that gives up the claim.
// It returns nil if another process has claimed the cell.
func (f *Folder) Claim(key string) (release func()) {
	lock := newLock(f.claimFile(key))
	if ours, err := lock.TryLock(); !ours && err == nil {
		return nil
	}
	return func() { lock.Unlock() } // where nothing can be written, storing the cell will tell
}

func (f *Folder) claimFile(key string) string {
	return filepath.Join(f.claims(), filepath.Base(f.cellFile(key))+".claim")
}

// Hold locks the file at path for one process, which is doing what it says, such as "learned". The lock is a
// file beside it, which says who holds it since when. release removes that file; the system frees the lock of
// a process that was killed.
func Hold(path, doing string) (release func(), err error) {
	name := path + ".lock"
	lock := newLock(name)
	ours, err := lock.TryLock()
	if err != nil {
		return func() {}, nil // no locks: writing the file will tell if that is not possible
	}
	locked, _ := lock.Stat()
	if now, err := os.Stat(name); ours && (err != nil || !os.SameFile(now, locked)) { // it was just released
		lock.Unlock()
		return Hold(path, doing)
	} else if !ours {
		by, _ := os.ReadFile(name)
		return nil, fmt.Errorf("%s is being %s; wait until it ends", path, strings.TrimSpace(string(by)))
	}
	text := fmt.Sprintf("%s by process %d since %s\n", doing, os.Getpid(), time.Now().Format(time.DateTime))
	return func() { os.Remove(name); lock.Unlock() }, os.WriteFile(name, []byte(text), 0o666)
}
