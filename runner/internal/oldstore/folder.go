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

// Folder is an open results folder. Its methods may be called from several
// goroutines, and several processes may have the same folder open.
type Folder struct {
	dir  string
	lock *flock.Flock // shared while the folder is open, where the file system can lock
}

// Open opens the results folder dir, creating it and its folder for cells if
// necessary, and removes the temporary files of runs that were killed, unless
// another process has the folder open. Close it when the work is done.
func Open(dir string) (*Folder, error) {
	f := &Folder{dir: dir}
	if err := os.MkdirAll(f.cells(), 0o777); err != nil {
		return nil, fmt.Errorf("results folder: %w", err)
	}
	f.lock = flock.New(filepath.Join(f.cells(), "lock"), flock.SetPermissions(0o666))
	f.sweep()
	return f, nil
}

// Close gives the folder up. Cells that are still being saved must be waited
// for first.
func (f *Folder) Close() error {
	return f.lock.Unlock()
}

func (f *Folder) cells() string { return filepath.Join(f.dir, "cells") }

// sweep removes temporary files that were left in cells/ if no other process
// has the folder open, and takes the shared lock in any case. Errors are of no
// consequence: where locks are not supported nothing is removed, and a
// leftover that cannot be removed does no harm.
func (f *Folder) sweep() {
	// Trading a shared lock for an exclusive one is not atomic in flock(2)
	// either, so it is dropped first.
	f.lock.Unlock()
	if alone, err := f.lock.TryLock(); err == nil && alone {
		f.removeTemporary()
		f.lock.Unlock()
	}
	f.lock.RLock()
}

func (f *Folder) removeTemporary() {
	entries, err := os.ReadDir(f.cells())
	if err != nil {
		return
	}
	for _, e := range entries {
		if isTemporary(e.Name()) {
			os.Remove(filepath.Join(f.cells(), e.Name()))
		}
	}
}

// isTemporary tells the names that renameio gives to temporary files: a dot,
// the name that the file will have, a random number.
func isTemporary(name string) bool {
	last := name[len(name)-1]
	return strings.HasPrefix(name, ".") && '0' <= last && last <= '9'
}

// write puts a file at path atomically.
func (f *Folder) write(path string, data []byte) error {
	err := renameio.WriteFile(path, data, 0o666, renameio.WithTempDir(f.cells()))
	if errors.Is(err, fs.ErrNotExist) {
		// Locks that hold on one machine only, as some network file systems
		// have them, let another machine sweep our temporary file away.
		err = renameio.WriteFile(path, data, 0o666, renameio.WithTempDir(f.cells()))
	}
	return err
}
