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
	lock  *flock.Flock // of those who publish or sweep
	mu    sync.Mutex   // within the process
	owner owner
	packs packs
}

// Open opens the results folder dir and creates it if necessary. Several processes may have it
// open: each computes the cells that it claims, and one publishes at a time. Open removes
// unfinished files of killed runs. Close the folder when the work is done.
func Open(dir string) (*Folder, error) {
	f := &Folder{dir: dir}
	if err := os.MkdirAll(f.at(), 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	lock := filepath.Join(f.cells(), "lock")
	if info, err := os.Lstat(lock); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		os.Remove(lock) // it would make a file elsewhere
	}
	f.lock = flock.New(lock, flock.SetPermissions(0o666))
	f.sweep()
	return f, nil
}

// Close gives up the folder and all claims in it.
func (f *Folder) Close() error {
	f.owner.mu.Lock()
	defer f.owner.mu.Unlock()
	if f.owner.stop == nil {
		return nil
	}
	close(f.owner.stop)
	f.owner.stop = nil
	for _, claim := range list(f.at(), ".claim") {
		if line, _ := os.ReadFile(claim); string(line) == f.owner.line {
			os.Remove(claim)
		}
	}
	return errors.Join(os.RemoveAll(temporary(f.owner.path)), os.Remove(f.owner.path))
}

// Dir returns the path of the folder.
func (f *Folder) Dir() string { return f.dir }

func (f *Folder) cells() string { return filepath.Join(f.dir, "cells") }

// temporary returns the folder for the temporary files of an owner.
func temporary(owner string) string { return strings.TrimSuffix(owner, ".owner") + ".tmp" }

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
		owner, _, err := f.enter()
		if err == nil {
			err = os.MkdirAll(temporary(owner), 0o777)
		}
		if err == nil {
			err = renameio.WriteFile(path, data, 0o666, renameio.WithTempDir(temporary(owner)))
		}
		// Others sweep what is there of a process that has slept for too long.
		if !again || !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
}
