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

// Publish replaces the content of the folder by the results of a complete run: it removes the other files of
// an earlier run, then writes the files, README.md, run.json, SHA256SUMS, and last the seal by which
// [Folder.Published] recognises the results of inputs, a line that identifies all that they follow from.
// It reports false if another process has published these results already.
//
// The run that run.json and README.md describe is the one that made the files that are published now if
// these are the same, and its code was, too. A run that is killed while publishing leaves checksums that do
// not match. The next one that publishes repairs the folder.
func (f *Folder) Publish(
	ctx context.Context, inputs string, files []File, run *Run, readme func(*Run) []byte,
) (bool, error) {
	unlock, err := f.lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	if f.Published(inputs) {
		return false, nil
	}
	old, err := OpenResults(f.Dir)
	sums := sumsOf(files)
	if was, unread := ReadRun(f.Dir); cmp.Or(err, unread) == nil && maps.Equal(old.sums, sums) &&
		was.SourceDigest == run.SourceDigest {
		run = was
	}
	provenance, err := json.MarshalIndent(run, "", "  ")
	if err != nil {
		return false, err
	}
	for name := range old.sums {
		if sums[name] != "" {
			continue
		}
		if err := os.Remove(filepath.Join(f.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return false, err
		}
	}
	files = append(files, File{readmeFile, readme(run)}, File{runFile, append(provenance, '\n')})
	if err := f.writeAll(files, sums); err != nil {
		return false, err
	}
	os.Remove(f.cells("failed")) // may not exist
	return true, f.write(f.cells("published"), f.seal(inputs))
}

// Replace rewrites some published files, such as figures, and writes checksums last.
func (f *Folder) Replace(ctx context.Context, files []File) error {
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

// seal ties all files that are published now to the inputs. Its file is no part of the results: a clone
// without cells has none, and computes them.
func (f *Folder) seal(inputs string) []byte {
	for _, name := range []string{sumsFile, runFile, readmeFile} {
		data, _ := os.ReadFile(filepath.Join(f.Dir, name)) // a missing file has another sum than any
		inputs += " " + sumOf(data)
	}
	return []byte(inputs + "\n")
}
