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
//	cells/at/          the cells that running processes claim, temporary files
//
// Every file appears under its name whole or not at all: it is written to a
// temporary file in cells/, synced and renamed. For this, cells/ must lie on
// the file system of its folder.
package store

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

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
func Open(dir string) (*Folder, error) {
	f := &Folder{Dir: dir}
	if err := os.MkdirAll(f.at(), 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	f.lock, f.users = newLock(filepath.Join(f.cells(), "lock")), newLock(filepath.Join(f.cells(), "users"))
	f.sweep()
	f.users.RLock()
	return f, nil
}

// Close gives up the folder. The last process removes all claims and temporary files.
func (f *Folder) Close() {
	f.users.Unlock()
	f.sweep()
}

// sweep removes claims and temporary files, unless a process has the folder open.
func (f *Folder) sweep() {
	if alone, _ := f.users.TryLock(); !alone {
		return
	}
	files, _ := os.ReadDir(f.at())
	for _, file := range files {
		os.RemoveAll(filepath.Join(f.at(), file.Name()))
	}
	f.users.Unlock()
}

func (f *Folder) cells() string { return filepath.Join(f.Dir, "cells") }

// WriteFile replaces the file at path atomically. If path is not a regular file, such as a pipe, it
// writes to it. An error names the path.
func WriteFile(path string, data []byte) error {
	if at, err := os.Stat(path); err == nil && !at.Mode().IsRegular() {
		return os.WriteFile(path, data, 0o666)
	}
	err := renameio.WriteFile(path, data, 0o666)
	if of, ok := errors.AsType[*fs.PathError](err); ok { // of a temporary file beside it
		err = &fs.PathError{Op: "write", Path: path, Err: of.Err}
	}
	return err
}

// ReadJSON returns what a file holds as JSON. An error names the file.
func ReadJSON[T any](path string) (*T, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	t := new(T)
	if err := json.Unmarshal(data, t); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// write puts a file at path atomically.
func (f *Folder) write(path string, data []byte) error {
	return renameio.WriteFile(path, data, 0o666, renameio.WithTempDir(f.at()))
}

// remove removes a file; a missing file is not an error.
func remove(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
