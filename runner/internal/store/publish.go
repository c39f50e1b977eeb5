package store

import (
	"bytes"
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

// Publish replaces the content of the folder by the results of a complete run: it removes the other files of
// an earlier run, then writes the files, README.md, run.json, SHA256SUMS, and last the seal by which
// [Folder.Published] recognises the results of inputs, a line that identifies all that they follow from.
//
// A run of the same code that changes nothing leaves run.json as it is, since it describes the run that made the
// results. The function readme returns README.md for the run that run.json describes; nil: there is none.
//
// A run that is killed while publishing leaves checksums that do not match. The next one
// that publishes repairs the folder. Where several processes may publish, the caller holds the lock of the folder.
func (f *Folder) Publish(inputs string, files []File, run *Run, readme func(*Run) []byte) error {
	sums := checksums{}
	if err := sums.add(files); err != nil {
		return err
	}
	if made := f.unchanged(sums, run); made != nil {
		run = made
	}
	provenance, err := run.json()
	if err != nil {
		return err
	}
	earlier, err := readSums(f.Dir) // damaged ones, such as with marks of a merge conflict, are about to be replaced
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, ErrDamaged) {
		return err
	}
	for name := range earlier {
		if sums[name] == "" {
			if err := remove(filepath.Join(f.Dir, name)); err != nil {
				return err
			}
		}
	}
	own := []File{{runFile, provenance}, {sumsFile, sums.format()}}
	if readme != nil {
		own = append([]File{{readmeFile, readme(run)}}, own...)
	}
	if err := f.writeAll(append(slices.Clone(files), own...)...); err != nil {
		return err
	}
	return f.write(f.seal(), f.sealed(inputs))
}

// unchanged returns the run that made these sums if it had the same code.
func (f *Folder) unchanged(sums checksums, run *Run) *Run {
	old, err1 := readSums(f.Dir)
	was, err2 := ReadRun(f.Dir)
	if err1 != nil || err2 != nil || !maps.Equal(old, sums) ||
		was.SourceDigest != run.SourceDigest || was.ManifestDigest != run.ManifestDigest {
		return nil
	}
	return was
}

// Replace writes some of the published files again, such as figures, removes those of the others that are stale, and writes the checksums last.
func (f *Folder) Replace(files []File, stale func(name string) bool) error {
	f.lock.Lock()
	defer f.lock.Unlock()
	old, err := readSums(f.Dir)
	if err != nil {
		return err
	}
	for _, name := range slices.Collect(maps.Keys(old)) {
		if !stale(name) || slices.ContainsFunc(files, func(file File) bool { return file.Name == name }) {
			continue
		}
		if err := remove(filepath.Join(f.Dir, name)); err != nil {
			return err
		}
		delete(old, name)
	}
	if err := old.add(files); err != nil {
		return err
	}
	return f.writeAll(append(slices.Clone(files), File{sumsFile, old.format()})...)
}

// add adds the sums of files.
func (s checksums) add(files []File) error {
	seen := map[string]bool{}
	for _, file := range files {
		if seen[file.Name] {
			return fmt.Errorf("publish: two files are called %q", file.Name)
		}
		seen[file.Name] = true
		if !nameLine.MatchString(file.Name) || slices.Contains(ofRun, file.Name) {
			return fmt.Errorf("publish: file name %q", file.Name)
		}
		s[file.Name] = sumOf(file.Data)
	}
	return nil
}

func (f *Folder) writeAll(files ...File) error {
	for _, file := range files {
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
	sums, err2 := readSums(f.Dir)
	if err != nil || err2 != nil || !bytes.Equal(seal, f.sealed(inputs)) {
		return false
	}
	return len(sums.differing(f.Dir)) == 0
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
