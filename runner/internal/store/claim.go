package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
)

// A process holds a lock on a file in cells/at/ for each cell that it claims, and for the folder of its temporary
// files. The system releases the locks of a process that ends, in whatever way. On a file system without
// locks there are no claims: a cell may be computed twice, to the same bytes.

// newLock returns a lock of the file at path. It replaces a link there, which would make a file elsewhere.
func newLock(path string) *flock.Flock {
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		os.Remove(path)
	}
	return flock.New(path, flock.SetPermissions(0o666))
}

// take locks a file and writes into it who has the lock. It returns a function that gives up the lock and removes
// the file and the folder of its temporary files, or nil if another process has the lock. With an error the file
// cannot be locked, and the function only removes.
func take(path string) (release func(), err error) {
	lock := newLock(path)
	ours, err := lock.TryLock()
	if !ours && err == nil {
		return nil, nil
	}
	if ours {
		locked, err1 := lock.Stat()
		there, err2 := os.Stat(path)
		if err1 != nil || err2 != nil || !os.SameFile(locked, there) { // another process has just removed the file
			lock.Unlock()
			return take(path)
		}
		host, _ := os.Hostname()
		os.WriteFile(path, fmt.Appendf(nil, "host %s, pid %d", host, os.Getpid()), 0o666) // for messages of others
	}
	return func() {
		os.RemoveAll(temporary(path))
		os.Remove(path)
		lock.Unlock()
	}, err
}

// Claim claims a cell before it is computed and returns a function that gives up the claim.
// It returns nil if another process has claimed the cell.
func (f *Folder) Claim(key, fingerprint string) (release func()) {
	release, _ = take(f.claimFile(key, fingerprint)) // where nothing can be written, storing the cell will tell
	return release
}

// Others returns an error if another process computes a cell of one of these
// keys under another fingerprint.
func (f *Folder) Others(keys, fingerprints []string) error {
	ours := map[string]string{}
	for i, key := range keys {
		claim := f.claimFile(key, fingerprints[i])
		ours[keyOf(claim)] = claim
	}
	for _, claim := range list(f.at(), ".claim") {
		if own, ok := ours[keyOf(claim)]; ok && own != claim && !abandoned(claim) {
			who, _ := os.ReadFile(claim)
			return fmt.Errorf("a run of other values or other code is using %s: %s", f.dir, who)
		}
	}
	return nil
}

// abandoned reports whether the process of a file in cells/at/ has ended, and then removes what it has left.
func abandoned(path string) bool {
	release, err := take(path)
	if release != nil && err == nil {
		release()
	}
	return release != nil
}

// sweep removes claims and temporary files of processes that have ended.
func (f *Folder) sweep() {
	for _, path := range append(list(f.at(), ".claim"), list(f.at(), ".owner")...) {
		abandoned(path)
	}
}

// locked waits for the lock of publishing, on a file system that has locks, and
// returns a function that releases it.
func (f *Folder) locked() (unlock func()) {
	f.mu.Lock()
	f.lock.Lock()
	return func() {
		f.lock.Unlock()
		f.mu.Unlock()
	}
}

// remove removes a file; a missing file is not an error.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// list returns the paths of the files of a folder with an extension.
func list(dir, extension string) (paths []string) {
	files, _ := os.ReadDir(dir)
	for _, file := range files {
		if filepath.Ext(file.Name()) == extension {
			paths = append(paths, filepath.Join(dir, file.Name()))
		}
	}
	return paths
}

func (f *Folder) at() string { return filepath.Join(f.cells(), "at") }

func (f *Folder) claimFile(key, fingerprint string) string {
	name := strings.TrimSuffix(filepath.Base(f.cellFile(key)), ".cell")
	return filepath.Join(f.at(), name+"."+fingerprint[:min(len(fingerprint), 8)]+".claim")
}

// keyOf returns the path of a claim without its fingerprint.
func keyOf(claim string) string {
	claim = strings.TrimSuffix(claim, ".claim")
	return strings.TrimSuffix(claim, filepath.Ext(claim))
}
