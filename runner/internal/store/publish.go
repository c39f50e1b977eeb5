package store

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Publish replaces the content of the folder by the results of a complete run. It removes the
// other files of an earlier run, then writes the files, cells.sums and
// run.json, and last SHA256SUMS. [Folder.Published] recognises the results by
// inputs, a line that identifies all that they follow from.
//
// A run of the same code that changes nothing leaves run.json and the times as
// they are, since these describe the run that made the results. Measured times, files whose
// names begin with "timing_", stay if files does not contain them; [Folder.Replace]
// replaces them.
//
// A run that is killed while publishing leaves checksums that do not match. The next one
// that publishes repairs the folder.
func (f *Folder) Publish(inputs string, files []File, run *Run, cells *CellSums) error {
	defer f.locked()()
	provenance, err := run.json()
	if err != nil {
		return err
	}
	sums, err := f.sums(checksums{}, files)
	if err != nil {
		return err
	}
	if made := f.unchanged(sums, run); made != nil {
		provenance, files = made, f.withTimesThere(files)
	}
	own := []File{{cellsFile, cells.format()}, {runFile, provenance}, {sumsFile, sums}}
	seal, seen := checksums{}, map[string]bool{}
	for _, file := range slices.Concat(files, own) {
		if seen[file.Name] {
			return fmt.Errorf("publish: two files are named %s", file.Name)
		}
		if seen[file.Name] = true; !measured(file.Name) {
			seal[file.Name] = sumOf(file.Data)
		}
	}
	// The seal names the files before the first of them is written, and the
	// old seal goes when all that it alone names are gone.
	if err := f.removeEarlier(seal); err != nil {
		return err
	}
	if err := f.write(f.seal(), append([]byte(inputs+"\n"), seal.format()...)); err != nil {
		return err
	}
	return f.writeAll(files, own...)
}

// Restamp replaces run.json and cells.sums of published results, which say which code made them.
// The results stay as they are.
func (f *Folder) Restamp(run *Run, cells *CellSums) error {
	defer f.locked()()
	provenance, err := run.json()
	if err != nil {
		return err
	}
	// A run that is killed between the two leaves cells of the older code in cells.sums, which
	// the next one adopts; the other way round nothing would be left to adopt.
	return f.writeAll(nil, File{runFile, provenance}, File{cellsFile, cells.format()})
}

// unchanged returns run.json as it is if the folder has these sums by the same code.
func (f *Folder) unchanged(sums []byte, run *Run) []byte {
	old, _ := os.ReadFile(filepath.Join(f.dir, sumsFile))
	was, err := ReadRun(f.dir)
	if err != nil || !bytes.Equal(old, sums) || was.CodeVersion != run.CodeVersion {
		return nil
	}
	made, _ := os.ReadFile(filepath.Join(f.dir, runFile))
	return made
}

// withTimesThere returns the files with the times that the folder has in place of theirs.
func (f *Folder) withTimesThere(files []File) []File {
	files = slices.Clone(files)
	for i, file := range files {
		if data, err := os.ReadFile(filepath.Join(f.dir, file.Name)); err == nil && Timed(file.Name) {
			files[i].Data = data
		}
	}
	return files
}

// Replace writes some of the published files again, such as figures or
// measured times, removes those of the others that are stale, and writes the checksums last.
func (f *Folder) Replace(files []File, stale func(name string) bool) error {
	defer f.locked()()
	there, err1 := os.ReadDir(f.dir)
	old, err2 := readSums(f.dir)
	if err := cmp.Or(err1, err2); err != nil {
		return err
	}
	names := slices.Collect(maps.Keys(old))
	for _, file := range there {
		if measured(file.Name()) {
			names = append(names, file.Name())
		}
	}
	for _, name := range names {
		if !stale(name) || slices.ContainsFunc(files, func(file File) bool { return file.Name == name }) {
			continue
		}
		if err := remove(filepath.Join(f.dir, name)); err != nil {
			return err
		}
		delete(old, name)
	}
	sums, err := f.sums(old, files)
	if err != nil {
		return err
	}
	return f.writeAll(files, File{sumsFile, sums})
}

// sums adds those of the files, and returns SHA256SUMS.
func (f *Folder) sums(sums checksums, files []File) ([]byte, error) {
	for _, file := range files {
		if !nameLine.MatchString(file.Name) {
			return nil, fmt.Errorf("publish: file name %q", file.Name)
		}
		if !Timed(file.Name) {
			sums[file.Name] = sumOf(file.Data)
		}
	}
	return sums.format(), nil
}

func (f *Folder) writeAll(files []File, last ...File) error {
	for _, file := range slices.Concat(files, last) {
		if err := f.write(filepath.Join(f.dir, file.Name), file.Data); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
	}
	return nil
}

// removeEarlier removes the files that an earlier run published, or was killed
// while publishing, except those to keep. It ignores invalid lines of SHA256SUMS, such as
// marks of a merge conflict, since the file is about to be replaced.
func (f *Folder) removeEarlier(stay checksums) error {
	for _, path := range []string{filepath.Join(f.dir, sumsFile), f.seal()} {
		list, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		sums, _ := parseSums(list)
		for name := range sums {
			if _, stays := stay[name]; stays || measured(name) { // seals of older programs have measured times
				continue
			}
			if err := remove(filepath.Join(f.dir, name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Published reports whether the folder has the complete and undamaged results of
// these inputs.
func (f *Folder) Published(inputs string) bool {
	seal, err := os.ReadFile(f.seal())
	of, list, _ := strings.Cut(string(seal), "\n")
	sums, bad := parseSums([]byte(list))
	if err != nil || bad != nil || of != inputs {
		return false
	}
	for name, sum := range sums {
		data, err := os.ReadFile(filepath.Join(f.dir, name))
		if err != nil || sumOf(data) != sum {
			return false
		}
	}
	return true
}

// seal returns the path of the file that ties all published files to the inputs.
// It is not part of the results: a clone without cells has no seal, and computes
// them.
func (f *Folder) seal() string { return filepath.Join(f.cells(), "published") }
