// Package store keeps what an experiment computes: finished cells, from which an interrupted run resumes, and
// the results folder of a complete run, with checksums and provenance.
//
//	manifest.toml *.csv *.png *.pdf   the results
//	SHA256SUMS         their checksums, as sha256sum(1) writes them
//	run.json           provenance, which differs from run to run and has no checksum
//	README.md          the results for a reader, with the command of the run; it has no checksum
//	cells/             finished cells, and the error of a failed run; not part of the results
//	cells/at/          temporary files, and the claims of running processes on cells
//
// Every file is written to a temporary file in cells/, synced and renamed, so that it appears whole or not
// at all. The system releases the locks of a process that ends, in whatever way. On a file system without
// locks, a cell may be computed twice, and results may be published twice, to the same bytes.
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
	users *flock.Flock // shared by all processes that have the folder open
}

// Open opens the results folder dir and creates it if necessary. Several processes may have it open. The text
// cells identifies the cells that the process computes; it is empty for a process that computes none. A
// process with other cells than those of the running processes gets an error. The first process removes the
// files that killed ones have left.
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
		return nil, fmt.Errorf("a run of other values or other code is using %s; wait until it ends, or name another "+
			"folder by -out", f.Dir)
	}
	return f, nil
}

// Close closes the folder. The last process removes all claims and temporary files.
func (f *Folder) Close() {
	f.users.Unlock()
	f.sweep("")
}

// sweep removes claims and temporary files, and notes which cells this process computes, unless another
// process has the folder open.
func (f *Folder) sweep(cells string) {
	if alone, _ := f.users.TryLock(); !alone {
		return
	}
	os.RemoveAll(f.cells("at"))
	os.Mkdir(f.cells("at"), 0o777) // if nothing can be written here, saving a cell will fail
	if run := f.cells("at", "run"); cells != "" && os.WriteFile(run, []byte(cells), 0o666) != nil {
		os.Remove(run) // on a full disk, a part of the text would identify other cells
	}
	f.users.Unlock()
}

// Failed keeps the error of a run for [Failure], until results are published.
func (f *Folder) Failed(err error) {
	line, _, _ := strings.Cut(err.Error(), "\n")
	_ = f.write(f.cells("failed"), []byte(line)) // the write may fail, too, for instance on a full disk
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

// Claim claims a cell. It returns a function that releases the claim, or nil if another process has claimed
// the cell.
func (f *Folder) Claim(key string) (release func()) {
	return hold(f.cells("at", filepath.Base(f.cellFile(key))+".claim"))
}

// Hold locks the file at path by a lock file beside it, which names the process and the time. The function
// release removes the lock file. The system releases the lock of a killed process.
func Hold(path string) (release func(), err error) {
	if release = hold(path + ".lock"); release == nil {
		by, _ := os.ReadFile(path + ".lock") // empty until the other process has written it
		err = fmt.Errorf("%s is held by %s; wait until it ends", path, cmp.Or(string(by), "another process"))
	}
	return release, err
}

// hold locks a file. If another process has locked it, release is nil. On a file system without locks, it
// returns a function that does nothing.
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
	if now, err := os.Stat(name); err != nil || !os.SameFile(now, locked) { // the last holder removed the file
		lock.Unlock()
		return hold(name)
	}
	by := fmt.Sprintf("process %d since %s", os.Getpid(), time.Now().Format(time.DateTime))
	os.WriteFile(name, []byte(by), 0o666)
	return func() { os.Remove(name); lock.Unlock() }
}

// newLock returns a lock of the file at path. It does not follow a link to another file.
func newLock(path string) *flock.Flock {
	return flock.New(path, flock.SetPermissions(0o666), flock.SetFlag(os.O_CREATE|syscall.O_NOFOLLOW))
}

// WriteFile replaces the file at path atomically. A device or a pipe is written to. An error names the path.
func WriteFile(path string, data []byte) error {
	if info, err := os.Stat(path); err == nil && !info.Mode().IsRegular() {
		return os.WriteFile(path, data, 0o666)
	}
	err := renameio.WriteFile(path, data, 0o666)
	if inner, ok := errors.AsType[*fs.PathError](err); ok { // err names the temporary file
		err = &fs.PathError{Op: "write", Path: path, Err: inner.Err}
	}
	return err
}
