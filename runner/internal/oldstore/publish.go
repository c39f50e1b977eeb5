package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// File is a file to be published.
type File struct {
	Name string // without a folder
	Data []byte
}

// Publish makes the folder hold the results of a complete run. It removes the
// files of an earlier run that are not among these, then writes the files,
// run.json, timing.csv from the seconds of the cells, and last SHA256SUMS, which
// lists the files but those whose names begin with "timing_"; these are noted in run.json.
// Published recognises the results by inputs, which stands for all that the
// files follow from.
//
// A run that is killed in the middle leaves sums that do not match, and the
// next one that publishes leaves the folder as if nothing had happened.
func (f *Folder) Publish(inputs string, files []File, run *Run, cells []*Cell) error {
	sums, names := make(checksums), make(map[string]bool)
	noted := *run
	noted.Timings = []string{}
	for _, file := range files {
		if err := checkName(file.Name); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
		if names[file.Name] {
			return fmt.Errorf("publish: two files are named %s", file.Name)
		}
		names[file.Name] = true
		if timed(file.Name) {
			noted.Timings = append(noted.Timings, file.Name)
		} else {
			sums[file.Name] = sumOf(file.Data)
		}
	}
	list := sums.format()

	provenance, err := noted.json()
	if err != nil {
		return fmt.Errorf("publish: %s: %w", runFile, err)
	}
	all := append([]File{
		{runFile, provenance},
		{"timing.csv", timing(cells).CSV()},
	}, files...)
	// The seal names the files before the first of them is written, and the
	// old seal goes when all that it alone names are gone.
	if err := f.removeEarlier(names); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	if err := f.write(f.seal(), sealOf(inputs, list)); err != nil {
		return fmt.Errorf("publish: %w", err)
	}
	for _, file := range append(all, File{sumsFile, list}) {
		if err := f.write(filepath.Join(f.dir, file.Name), file.Data); err != nil {
			return fmt.Errorf("publish: %w", err)
		}
	}
	f.sweep()
	return nil
}

// removeEarlier removes the files that an earlier run published, or was
// killed while publishing, and that are not among names.
func (f *Folder) removeEarlier(names map[string]bool) error {
	var earlier []string
	for _, path := range []string{filepath.Join(f.dir, sumsFile), f.seal()} {
		list, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		// Lines that cannot be read, say the marks of a merge conflict, are
		// about to be replaced and must not stand in the way.
		sums, _ := parseSums(list)
		earlier = slices.AppendSeq(earlier, maps.Keys(sums))
	}
	// The same holds for a run.json that cannot be read.
	if run, err := readRun(f.dir); err == nil {
		for _, name := range run.Timings {
			if timed(name) && checkName(name) == nil {
				earlier = append(earlier, name)
			}
		}
	}
	for _, name := range earlier {
		if names[name] {
			continue
		}
		if err := os.Remove(filepath.Join(f.dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Published reports whether the folder holds, undamaged and complete, what
// was published from these inputs, so that nothing is left to do.
func (f *Folder) Published(inputs string) bool {
	list, err := os.ReadFile(filepath.Join(f.dir, sumsFile))
	if err != nil {
		return false
	}
	seal, err := os.ReadFile(f.seal())
	if err != nil || string(seal) != string(sealOf(inputs, list)) {
		return false
	}
	sums, err := parseSums(list)
	if err != nil {
		return false
	}
	for name, sum := range sums {
		data, err := os.ReadFile(filepath.Join(f.dir, name))
		if err != nil || sumOf(data) != sum {
			return false
		}
	}
	run, err := readRun(f.dir)
	if err != nil {
		return false
	}
	for _, name := range slices.Concat(unsummed, run.Timings) {
		if _, err := os.Stat(filepath.Join(f.dir, name)); err != nil {
			return false
		}
	}
	return true
}

// seal returns the path of the file that ties the published files to the
// inputs. It is not part of the results: a clone without cells has no seal, and
// computes them.
func (f *Folder) seal() string { return filepath.Join(f.cells(), "published") }

// sealOf returns the seal: a line for the inputs, and the sums.
func sealOf(inputs string, list []byte) []byte {
	return append([]byte(sumOf([]byte(inputs))+"\n"), list...)
}

// timing returns the table of the seconds that each cell took.
func timing(cells []*Cell) *Table {
	t := &Table{Name: "timing", Header: []string{"key", "seconds"}}
	for _, c := range cells {
		t.Rows = append(t.Rows, []string{c.Key, Float(c.Seconds)})
	}
	return t
}
