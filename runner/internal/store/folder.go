// Package store keeps what an experiment computes: finished cells, so that an
// interrupted run goes on where it stopped, and the results folder that a
// complete run leaves behind, with checksums and provenance.
//
// A results folder looks so:
//
//	README.md manifest.toml *.csv *.png *.svg *.pdf   what was published
//	SHA256SUMS         their checksums, as sha256sum(1) writes them
//	run.json timing*   provenance and times, which differ from run to run and are not summed
//	cells/             finished cells, the lock and temporary files; not part of the results
//
// Every file appears under its name whole or not at all: it is written to a
// temporary file in cells/, synced and renamed. For this, cells/ must lie on
// the file system of its folder.
package store

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"
)

// Folder is an open results folder. Its methods may be called from several
// goroutines.
type Folder struct {
	dir  string
	lock *flock.Flock
}

// Open opens the results folder dir, creating it if necessary, for a run that is the
// only one there, or for one of several runs that share out the cells of an experiment:
// it is an error if another process has it open, but for shared by both. What runs that
// were killed left half-written is removed. Close it when the work is done.
func Open(dir string, shared bool) (*Folder, error) {
	f := &Folder{dir: dir}
	if err := os.MkdirAll(f.cells(), 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	lock := filepath.Join(f.cells(), "lock")
	if info, err := os.Lstat(lock); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		os.Remove(lock) // it would make a file elsewhere
	}
	f.lock = flock.New(lock, flock.SetPermissions(0o666))
	free, err := f.lock.TryLock()
	if err != nil {
		return f, nil // a file system that cannot lock: whoever works there takes care
	}
	if free {
		f.sweep()
	}
	if shared {
		// A lock cannot be traded for a shared one in one step, and those who open
		// the folder at the same time hold it alone for a moment.
		f.lock.Unlock()
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		free, _ = f.lock.TryRLockContext(ctx, 10*time.Millisecond)
	}
	if !free {
		return nil, fmt.Errorf("another run is at work in %s", dir)
	}
	return f, nil
}

// Close gives the folder up.
func (f *Folder) Close() error { return f.lock.Close() }

func (f *Folder) cells() string { return filepath.Join(f.dir, "cells") }

// sweep removes temporary files: renameio calls them by a dot, the name that the
// file will have, and a random number. One that cannot be removed does no harm.
func (f *Folder) sweep() {
	left, _ := filepath.Glob(filepath.Join(f.cells(), ".*[0-9]"))
	for _, path := range left {
		os.Remove(path)
	}
}

// write puts a file at path atomically.
func (f *Folder) write(path string, data []byte) error {
	return renameio.WriteFile(path, data, 0o666, renameio.WithTempDir(f.cells()))
}
