// Package store keeps what an experiment computes: finished cells, from which an
// interrupted run resumes, and the results folder of a complete run, with checksums
// and provenance.
//
// A results folder has:
//
//	README.md manifest.toml *.csv *.png *.svg *.pdf   what was published
//	SHA256SUMS         their checksums, as sha256sum(1) writes them
//	run.json timing*   provenance and times, which differ from run to run and are not summed
//	cells/             finished cells, some in packs; not part of the results
//	cells/at/          running processes, the cells that they claim, temporary files
//
// Every file appears under its name whole or not at all: it is written to a
// temporary file in cells/, synced and renamed. For this, cells/ must lie on
// the file system of its folder.
package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// Folder is an open results folder. Its methods may be called from several
// goroutines.
type Folder struct {
	dir   string
	lock  *flock.Flock // of those who publish
	mu    sync.Mutex   // within the process
	packs packs

	entering sync.Mutex // guards:
	temp     string     // the folder of temporary files; empty: not yet
	leave    func()     // removes it
}

// Open opens the results folder dir and creates it if necessary. Several processes may have it
// open: each computes the cells that it claims, and one publishes at a time. Open removes
// unfinished files of killed runs. Close the folder when the work is done.
func Open(dir string) (*Folder, error) {
	f := &Folder{dir: dir, leave: func() {}}
	if err := os.MkdirAll(f.at(), 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	f.lock = newLock(filepath.Join(f.cells(), "lock"))
	f.sweep()
	return f, nil
}

// Close gives up the folder and removes the temporary files of this process.
func (f *Folder) Close() {
	f.entering.Lock()
	defer f.entering.Unlock()
	f.leave()
}

// Dir returns the path of the folder.
func (f *Folder) Dir() string { return f.dir }

func (f *Folder) cells() string { return filepath.Join(f.dir, "cells") }

// temporary returns the folder of the temporary files of an owner.
func temporary(owner string) string { return strings.TrimSuffix(owner, ".owner") + ".tmp" }

// enter returns the folder for the temporary files of this process, which others remove when the process has ended.
func (f *Folder) enter() (string, error) {
	f.entering.Lock()
	defer f.entering.Unlock()
	if _, err := os.Stat(f.temp); err == nil {
		return f.temp, nil
	}
	if err := os.MkdirAll(f.at(), 0o777); err != nil {
		return "", err
	}
	owner, err := os.CreateTemp(f.at(), "*.owner")
	if err != nil {
		return "", err
	}
	owner.Close()
	f.temp = temporary(owner.Name())
	leave, _ := take(owner.Name())
	if leave == nil {
		return "", fs.ErrNotExist // another process took it for abandoned
	}
	f.leave = leave
	return f.temp, os.MkdirAll(f.temp, 0o777)
}

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

// write puts a file at path atomically.
func (f *Folder) write(path string, data []byte) error {
	for again := true; ; again = false {
		temp, err := f.enter()
		if err == nil {
			err = renameio.WriteFile(path, data, 0o666, renameio.WithTempDir(temp))
		}
		// Others sweep what this process has not locked yet.
		if !again || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
}
