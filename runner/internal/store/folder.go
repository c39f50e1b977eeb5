// Package store keeps what an experiment computes: finished cells, from which an interrupted run resumes, and
// the results folder of a complete run, with checksums and provenance.
//
//	manifest.toml *.csv *.png *.pdf   what was published
//	SHA256SUMS         their checksums, as sha256sum(1) writes them
//	run.json           provenance, which differs and is not summed
//	README.md          the results for a reader, with the command of the run; not summed
//	cells/             finished cells, and the error of a failed run; not part of the results
//	cells/at/          the cells that running processes claim, temporary files
//
// Every file is written to a temporary file in cells/, synced and renamed, so that it appears whole or not
// at all. The system releases the locks of a process that ends, in whatever way. Without locks a cell may be
// computed twice, and results may be published twice, to the same bytes.
package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// Folder is an open results folder. Cells may be claimed, loaded and saved by several goroutines.
type Folder struct {
	Dir   string
	users *flock.Flock // shared by the processes that have it open
}

// Open opens the results folder dir and creates it if necessary. Several processes may have it open, if those
// that compute have the same cells, which the text identifies; it is empty for others. The first one removes
// what killed ones have left.
func Open(dir, cells string) (*Folder, error) {
	f := &Folder{Dir: dir}
	if err := os.MkdirAll(f.cells("at"), 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	f.users = newLock(f.cells("users"))
	f.sweep(cells)
	f.users.RLock()
	others, _ := os.ReadFile(f.cells("at", "run"))
	if len(others) > 0 && cells != "" && string(others) != cells {
		f.Close()
		return nil, fmt.Errorf("a run of other values or other code is using %s", f.Dir)
	}
	return f, nil
}

// Close gives up the folder. The last process removes all claims and temporary files.
func (f *Folder) Close() {
	f.users.Unlock()
	f.sweep("")
}

// sweep removes claims and temporary files, and writes cells, unless another process has the folder open.
func (f *Folder) sweep(cells string) {
	if alone, _ := f.users.TryLock(); !alone {
		return
	}
	os.RemoveAll(f.cells("at"))
	os.Mkdir(f.cells("at"), 0o777) // where nothing can be written, storing a cell will tell
	if run := f.cells("at", "run"); cells != "" && os.WriteFile(run, []byte(cells), 0o666) != nil {
		os.Remove(run) // a part of it on a full disk would name another run
	}
	f.users.Unlock()
}

// Failed keeps the error of a run for [Failure], until results are published.
func (f *Folder) Failed(err error) {
	line, _, _ := strings.Cut(err.Error(), "\n")
	_ = f.write(f.cells("failed"), []byte(line)) // a full disk may be the error
}

// Failure returns the error of the last run into a results folder, "" if it was published.
func Failure(dir string) string {
	line, _ := os.ReadFile(filepath.Join(dir, "cells", "failed"))
	return string(line)
}

func (f *Folder) cells(names ...string) string {
	return filepath.Join(f.Dir, "cells", filepath.Join(names...))
}

func (f *Folder) write(path string, data []byte) error {
	return renameio.WriteFile(path, data, 0o666, renameio.WithTempDir(f.cells("at")))
}

// Claim claims a cell and returns what gives up the claim, nil if another process has claimed the cell.
func (f *Folder) Claim(key string) (release func()) {
	return hold(f.cells("at", filepath.Base(f.cellFile(key))+".claim"))
}

// Hold locks the file at path, by a file beside it that says who holds it since when. release removes that
// file; the system frees the lock of a killed process.
func Hold(path string) (release func(), err error) {
	if release = hold(path + ".lock"); release == nil {
		by, _ := os.ReadFile(path + ".lock") // empty until the other one has written it
		err = fmt.Errorf("%s is held by %s; wait until it ends", path, cmp.Or(string(by), "another process"))
	}
	return release, err
}

// hold locks a file. If another process has locked it, release is nil. Where there are no locks, writing what
// is locked will tell if that is not possible.
func hold(name string) (release func()) {
	lock := newLock(name)
	ours, err := lock.TryLock()
	if err != nil {
		return func() {}
	}
	if !ours {
		return nil
	}
	locked, _ := lock.Stat()
	if now, err := os.Stat(name); err != nil || !os.SameFile(now, locked) { // it was just released
		lock.Unlock()
		return hold(name)
	}
	by := fmt.Sprintf("process %d since %s", os.Getpid(), time.Now().Format(time.DateTime))
	os.WriteFile(name, []byte(by), 0o666)
	return func() { os.Remove(name); lock.Unlock() }
}

// newLock returns a lock of the file at path, but not of one elsewhere that a link leads to.
func newLock(path string) *flock.Flock {
	return flock.New(path, flock.SetPermissions(0o666), flock.SetFlag(os.O_CREATE|syscall.O_NOFOLLOW))
}

// WriteFile replaces the file at path atomically, or writes to it if not regular. An error names the path.
func WriteFile(path string, data []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, data, 0o666)
	}
	err := renameio.WriteFile(path, data, 0o666)
	if inner, ok := errors.AsType[*fs.PathError](err); ok { // of a temporary file beside it
		err = &fs.PathError{Op: "write", Path: path, Err: inner.Err}
	}
	return err
}
