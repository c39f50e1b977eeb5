package store

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Lock waits until no other process publishes into the folder, and returns what ends the lock. Where
// files cannot be locked, several processes may publish at a time: the same bytes.
func (f *Folder) Lock(ctx context.Context) (unlock func(), err error) {
	f.lock.TryLockContext(ctx, 20*time.Millisecond)
	if err := ctx.Err(); err != nil {
		f.lock.Unlock()
		return nil, err
	}
	return func() { f.lock.Unlock() }, nil
}

// Made returns the run that run.json should describe once the files are published: the one that made the
// files that are published now if these are the same and its code was, too, and else run.
func (f *Folder) Made(files []File, run *Run) *Run {
	sums := checksums{}
	old, err := readSums(f.Dir)
	was, unread := ReadRun(f.Dir)
	if cmp.Or(err, unread, sums.add(files)) != nil || !maps.Equal(old, sums) ||
		was.SourceDigest != run.SourceDigest || was.ManifestDigest != run.ManifestDigest {
		return run
	}
	return was
}

// Publish replaces the content of the folder by the results of a complete run: it removes the other files of
// an earlier run, then writes the files, README.md, run.json, SHA256SUMS, and last the seal by which
// [Folder.Published] recognises the results of inputs, a line that identifies all that they follow from.
// It reports false if another process has published these results already.
//
// A run that is killed while publishing leaves checksums that do not match. The next one
// that publishes repairs the folder.
func (f *Folder) Publish(ctx context.Context, inputs string, files []File, run *Run, readme []byte) (bool,
	error,
) {
	unlock, err := f.Lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	if f.Published(inputs) {
		return false, nil
	}
	sums := checksums{}
	provenance, err := run.json()
	if err := cmp.Or(err, sums.add(files)); err != nil {
		return false, err
	}
	// Damaged sums, such as with marks of a merge conflict, are about to be replaced.
	earlier, err := readSums(f.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrDamaged) {
		return false, err
	}
	files = append(slices.Clone(files), File{readmeFile, readme}, File{runFile, provenance})
	if err := f.replace(earlier, sums, files); err != nil {
		return false, err
	}
	os.Remove(filepath.Join(f.cells(), failedFile)) // may not exist
	return true, f.write(f.seal(), f.sealed(inputs))
}

// Replace writes some of the published files again, such as figures, removes those of the others that are
// stale, and writes the checksums last.
func (f *Folder) Replace(ctx context.Context, files []File, stale func(name string) bool) error {
	unlock, err := f.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	earlier, err := readSums(f.Dir)
	if err != nil {
		return err
	}
	sums := maps.Clone(earlier)
	maps.DeleteFunc(sums, func(name, _ string) bool { return stale(name) })
	if err := sums.add(files); err != nil {
		return err
	}
	return f.replace(earlier, sums, files)
}

// replace removes the earlier files that have no sum any more and writes the others, the sums last.
func (f *Folder) replace(earlier, sums checksums, files []File) error {
	for name := range earlier {
		if sums[name] != "" {
			continue
		}
		if err := os.Remove(filepath.Join(f.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, file := range append(slices.Clone(files), File{sumsFile, sums.format()}) {
		if err := f.write(filepath.Join(f.Dir, file.Name), file.Data); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
	}
	return nil
}

// Published reports whether the folder has the complete and undamaged results of
// these inputs.
func (f *Folder) Published(inputs string) bool {
	seal, err := os.ReadFile(f.seal())
	sums, unread := readSums(f.Dir)
	return err == nil && unread == nil && bytes.Equal(seal, f.sealed(inputs)) && len(sums.differing(f.Dir)) == 0
}

// seal returns the path of the file that ties all published files to the inputs.
// It is not part of the results: a clone without cells has no seal, and computes
// them.
func (f *Folder) seal() string { return filepath.Join(f.cells(), "published") }

// sealed returns the content of the seal of what is published now.
func (f *Folder) sealed(inputs string) []byte {
	for _, name := range ofRun {
		data, _ := os.ReadFile(filepath.Join(f.Dir, name)) // a missing file has another sum than any
		inputs += " " + sumOf(data)
	}
	return []byte(inputs + "\n")
}
