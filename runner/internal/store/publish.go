package store

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"time"
)

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
