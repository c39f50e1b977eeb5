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
	"slices"
)

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
	provenance, err := json.MarshalIndent(run, "", "  ")
	if err != nil {
		return false, err
	}
	unlock, err := f.Lock(ctx)
	if err != nil {
		return false, err
	}
	defer unlock()
	if f.Published(inputs) {
		return false, nil
	}
	ofRun := []File{{readmeFile, readme}, {runFile, append(provenance, '\n')}}
	if err := f.replace(checksums{}, files, ofRun...); err != nil {
		return false, err
	}
	os.Remove(f.cells("failed")) // may not exist
	return true, f.write(f.cells("published"), f.seal(inputs))
}

// Replace writes some of the published files again, such as figures, removes those of the others that are
// stale, and writes the checksums last.
func (f *Folder) Replace(ctx context.Context, files []File, stale func(name string) bool) error {
	unlock, err := f.Lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	sums, err := readSums(f.Dir)
	if err != nil {
		return err
	}
	maps.DeleteFunc(sums, func(name, _ string) bool { return stale(name) })
	return f.replace(sums, files)
}

// replace removes the published files that have no sum among those that stay, writes the files and those of
// the run, and last the sums of all but the latter.
func (f *Folder) replace(sums checksums, files []File, ofRun ...File) error {
	// Damaged sums, such as with marks of a merge conflict, are about to be replaced.
	earlier, err := readSums(f.Dir)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDamaged) {
		err = nil
	}
	if err := cmp.Or(err, sums.add(files)); err != nil {
		return err
	}
	for name := range earlier {
		if sums[name] != "" {
			continue
		}
		if err := os.Remove(filepath.Join(f.Dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	for _, file := range slices.Concat(files, ofRun, []File{{sumsFile, sums.format()}}) {
		if err := f.write(filepath.Join(f.Dir, file.Name), file.Data); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
	}
	return nil
}

// Published reports whether the folder has the complete and undamaged results of
// these inputs.
func (f *Folder) Published(inputs string) bool {
	seal, err := os.ReadFile(f.cells("published"))
	sums, unread := readSums(f.Dir)
	every := func(string) bool { return true }
	return cmp.Or(err, unread) == nil && bytes.Equal(seal, f.seal(inputs)) && sums.differing(f.Dir, every) == nil
}

// seal ties all files that are published now to the inputs. Its file is no part of the results: a clone
// without cells has none, and computes them.
func (f *Folder) seal(inputs string) []byte {
	for _, name := range ofRun {
		data, _ := os.ReadFile(filepath.Join(f.Dir, name)) // a missing file has another sum than any
		inputs += " " + sumOf(data)
	}
	return []byte(inputs + "\n")
}
