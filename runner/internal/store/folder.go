// Package store keeps what an experiment computes: finished cells, from which an
// interrupted run resumes, and the results folder of a complete run, with checksums
// and provenance.
//
// A results folder has:
//
//	manifest.toml *.csv *.png *.pdf   what was published
//	SHA256SUMS         their checksums, as sha256sum(1) writes them
//	run.json           provenance, which differs and is not summed
//	README.md          the results for a reader, with the command of the run; not summed
//	cells/             finished cells; not part of the results
//	cells/failed       the error of a run that has failed
//	cells/at/          the cells that running processes claim, temporary files
//
// Every file is written to a temporary file in cells/, synced and renamed, so that it appears whole or not
// at all. For this, cells/ must be on the file system of its folder.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// Folder is an open results folder. Cells may be claimed, loaded and saved by several goroutines.
type Folder struct {
	Dir   string
	users *flock.Flock // shared by the processes that have it open
	lock  *flock.Flock // of those who publish, on a file system that has locks
}

// Open opens the results folder dir and creates it if necessary. Several processes may have it
// open: each computes the cells that it claims, and one publishes at a time. The first of them removes
// what killed ones have left. Close the folder when the work is done.
//
// Processes that compute must have the same cells, which the text identifies; it is empty for others.
func Open(dir, cells string) (*Folder, error) {
	f := &Folder{Dir: dir}
	if err := os.MkdirAll(f.claims(), 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	f.lock, f.users = newLock(filepath.Join(f.cells(), "lock")), newLock(filepath.Join(f.cells(), "users"))
	f.sweep(cells)
	f.users.RLock()
	if others, _ := os.ReadFile(f.run()); len(others) > 0 && cells != "" && string(others) != cells {
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

// sweep removes claims and temporary files, unless a process has the folder open, and writes what identifies
// the cells.
func (f *Folder) sweep(cells string) {
	if alone, _ := f.users.TryLock(); !alone {
		return
	}
	files, _ := os.ReadDir(f.claims())
	for _, file := range files {
		os.RemoveAll(filepath.Join(f.claims(), file.Name()))
	}
	if cells != "" {
		_ = os.WriteFile(f.run(), []byte(cells), 0o666) // where nothing can be written, storing a cell will tell
	}
	f.users.Unlock()
}

// run returns the path of the file that identifies the cells that are computed.
func (f *Folder) run() string { return filepath.Join(f.claims(), "run") }

// Failed keeps the error of a run for [Failure], until results are published.
func (f *Folder) Failed(err error) {
	line, _, _ := strings.Cut(err.Error(), "\n")
	_ = f.write(filepath.Join(f.cells(), failedFile), []byte(line)) // a full disk may be the error
}

// Failure returns the error of the last run into a results folder, "" if it was published.
func Failure(dir string) string {
	line, _ := os.ReadFile(filepath.Join(dir, "cells", failedFile))
	return string(line)
}

const failedFile = "failed"

func (f *Folder) cells() string { return filepath.Join(f.Dir, "cells") }

// claims returns the folder of claims and temporary files.
func (f *Folder) claims() string { return filepath.Join(f.cells(), "at") }

// WriteFile replaces the file at path atomically. If path is not a regular file, such as a pipe, it
// writes to it. An error names the path.
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

// StaleFile is the file beside the results folders that lists the experiments whose results are behind the
// code or their manifest, a name on each line. It is absent if there are none.
const StaleFile = "STALE"

// ReadStale returns the names that are listed in the folder out.
func ReadStale(out string) ([]string, error) {
	text, err := os.ReadFile(filepath.Join(out, StaleFile))
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return strings.Fields(string(text)), err
}

// write puts a file at path atomically.
func (f *Folder) write(path string, data []byte) error {
	return renameio.WriteFile(path, data, 0o666, renameio.WithTempDir(f.claims()))
}
