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
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/gofrs/flock"
	"github.com/google/renameio/v2"

	"closedform/runner/internal/table"
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

// Cell is a finished cell. Its file is packed by gzip, which adds a checksum; the fingerprint is in the
// header.
type Cell struct {
	Key         string       // names the cell within its experiment
	Fingerprint string       // digest of the source code and of the spec, which determine its tables and files
	Tables      table.Tables // the cell's part of the experiment's tables
	Files       []File       // files that are published as they are
	CPU         float64      // processor seconds that the cell took
}

// LoadCell returns the cell of this key and fingerprint, or nil. The error says that its file is damaged; the
// cell can then be computed again.
func (f *Folder) LoadCell(key, fingerprint string) (*Cell, error) {
	path := f.cellFile(key)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	z, bad := gzip.NewReader(bytes.NewReader(data))
	if bad == nil && z.Comment != fingerprint {
		return nil, nil
	}
	if bad == nil {
		data, bad = io.ReadAll(z)
	}
	c := new(Cell)
	if bad != nil || gob.NewDecoder(bytes.NewReader(data)).Decode(c) != nil || c.Key != key {
		return nil, fmt.Errorf("cell %s: %s: %w", key, path, cmp.Or(err, errDamaged))
	}
	return c, nil
}

// SaveCell writes the cell in place of any other cell with its key.
func (f *Folder) SaveCell(c *Cell) error {
	var file bytes.Buffer
	z, _ := gzip.NewWriterLevel(&file, gzip.BestSpeed) // the error is for an invalid level
	z.Comment = c.Fingerprint
	if err := errors.Join(gob.NewEncoder(z).Encode(c), z.Close()); err != nil {
		return err
	}
	return f.write(f.cellFile(c.Key), file.Bytes())
}

func (f *Folder) cellFile(key string) string { return f.cells(FileName(key) + ".cell") }

var notPlain = regexp.MustCompile(`[^A-Za-z0-9_+=@,.-]`)

// FileName returns a text as the name of a file or folder that is valid on any system. If it changes the text,
// it adds a hash, so that different texts have different names.
func FileName(text string) string {
	name := notPlain.ReplaceAllString(text, "_")
	if name != text || len(name) > 100 {
		name = fmt.Sprintf("%.100s-%.8s", name, sumOf([]byte(text)))
	}
	return name
}

// Maker returns the run that made these files: the earlier run that published them, if it had the code of
// run, or else run itself.
func (f *Folder) Maker(files []File, run *Run) *Run {
	old, err := OpenResults(f.Dir)
	was, unread := ReadRun(f.Dir)
	same := maps.Equal(old.sums, sumsOf(files)) && was.SourceDigest == run.SourceDigest
	if cmp.Or(err, unread) == nil && same {
		return was
	}
	return run
}

// Publish replaces the content of the folder by the results of a complete run: it removes the other files of
// an earlier run, then writes the files, README.md, run.json, SHA256SUMS, and last the seal by which
// [Folder.Published] recognises the results. The text inputs identifies all that the results follow from.
// Publish reports false if another process has published the results of these inputs already.
//
// A run that is killed while publishing leaves checksums that do not match. The next run that publishes
// repairs the folder.
func (f *Folder) Publish(
	ctx context.Context, inputs string, files []File, readme []byte, run *Run,
) (published bool, err error) {
	unlock, err := f.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	if f.Published(inputs) {
		return false, nil
	}
	old, _ := OpenResults(f.Dir) // even damaged checksums name files
	sums := sumsOf(files)
	provenance, _ := json.MarshalIndent(run, "", "  ") // no error: it has text and finite numbers
	for name := range old.sums {
		if sums[name] != "" {
			continue
		}
		if err := os.Remove(filepath.Join(f.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	files = append(files, File{readmeFile, readme}, File{runFile, append(provenance, '\n')})
	if err := f.writeAll(files, sums); err != nil {
		return false, err
	}
	os.Remove(f.cells("failed")) // the file may not exist
	return true, f.write(f.cells("published"), f.seal(inputs))
}

// Replace writes some published files again, such as figures, README.md unless it is nil, and the checksums
// last.
func (f *Folder) Replace(ctx context.Context, files []File, readme []byte) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	r, err := OpenResults(f.Dir)
	if err != nil {
		return err
	}
	maps.Copy(r.sums, sumsOf(files))
	if readme != nil {
		files = append(files, File{readmeFile, readme})
	}
	return f.writeAll(files, r.sums)
}

func (f *Folder) lock(ctx context.Context) (unlock func(), err error) {
	lock := newLock(f.cells("lock"))
	lock.TryLockContext(ctx, 20*time.Millisecond)
	return func() { lock.Unlock() }, ctx.Err()
}

func (f *Folder) writeAll(files []File, sums checksums) error {
	for _, file := range append(files, File{sumsFile, sums.format()}) {
		if err := f.write(filepath.Join(f.Dir, file.Name), file.Data); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
	}
	return nil
}

// Published reports whether the folder has the complete and undamaged results of these inputs.
func (f *Folder) Published(inputs string) bool {
	seal, err := os.ReadFile(f.cells("published"))
	r, unread := OpenResults(f.Dir)
	return cmp.Or(err, unread) == nil && bytes.Equal(seal, f.seal(inputs)) && r.Differing(true) == nil
}

// seal returns a line that identifies the inputs and all published files. It is kept in cells/, which a clone
// does not have, so a clone computes the cells.
func (f *Folder) seal(inputs string) []byte {
	for _, name := range []string{sumsFile, runFile, readmeFile} {
		data, _ := os.ReadFile(filepath.Join(f.Dir, name)) // a missing file counts as an empty one
		inputs += " " + sumOf(data)
	}
	return []byte(inputs + "\n")
}
