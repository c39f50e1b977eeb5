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
	sums := checksums{}
	sums.add(files)
	old, err := readSums(f.Dir)
	was, unread := ReadRun(f.Dir)
	if cmp.Or(err, unread) == nil && maps.Equal(old, sums) &&
		was.SourceDigest == run.SourceDigest && was.ManifestDigest == run.ManifestDigest {
		run = was
	}
	provenance, err := json.MarshalIndent(run, "", "  ")
	if err != nil {
		return false, err
	}
	err = f.replace(sums, files, File{readmeFile, readme(run)}, File{runFile, append(provenance, '\n')})
	if err != nil {
		return false, err
	}
	os.Remove(f.cells("failed")) // may not exist
	return true, f.write(f.cells("published"), f.seal(inputs))
}

// Replace rewrites some published files, such as figures, removes stale others, and writes checksums last.
func (f *Folder) Replace(ctx context.Context, files []File, stale func(name string) bool) error {
	unlock, err := f.lock(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	sums, err := readSums(f.Dir)
	if err != nil {
		return err
	}
	maps.DeleteFunc(sums, func(name, _ string) bool { return stale(name) })
	sums.add(files)
	return f.replace(sums, files)
}

// replace removes published files without a sum, writes the files and those of the run, and last the sums.
func (f *Folder) replace(sums checksums, files []File, ofRun ...File) error {
	earlier, err := readSums(f.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrDamaged) { // such as by a conflict
		return err
	}
	for name := range earlier {
		if sums[name] == "" {
			err := os.Remove(filepath.Join(f.Dir, name))
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
	}
	for _, file := range slices.Concat(files, ofRun, []File{{sumsFile, sums.format()}}) {
		if err := f.write(filepath.Join(f.Dir, file.Name), file.Data); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
	}
	return nil
}

// Published reports whether the folder has the complete and undamaged results of these inputs.
func (f *Folder) Published(inputs string) bool {
	seal, err := os.ReadFile(f.cells("published"))
	sums, unread := readSums(f.Dir)
	return cmp.Or(err, unread) == nil && bytes.Equal(seal, f.seal(inputs)) &&
		sums.differing(f.Dir, func(string) bool { return true }) == nil
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
