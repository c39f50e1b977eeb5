package store

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kind says in which way a file differs between two results folders.
type Kind string

const (
	Changed  Kind = "changed"  // the folders' checksums differ
	Missing  Kind = "missing"  // only the committed folder lists it
	Extra    Kind = "extra"    // only the fresh folder lists it
	Absent   Kind = "absent"   // a folder lists it but does not have it
	Tampered Kind = "tampered" // it is not the file that its own folder's checksum is of
	Unlisted Kind = "unlisted" // the committed folder has it but does not list it
)

// Difference is a file that is not the same in two results folders.
type Difference struct {
	Name     string
	Kind     Kind
	Detail   string  // in words
	Relative float64 // Changed tables: largest relative difference of two numbers, +Inf if there is more to it
	Accepted bool    // the tolerance allows it
}

// String returns the difference as one line.
func (d Difference) String() string {
	s := fmt.Sprintf("%s: %s", d.Name, d.Kind)
	if d.Detail != "" {
		s += ": " + d.Detail
	}
	if d.Accepted {
		s += " (accepted)"
	}
	return s
}

// Compare names the files in which the results folder committed differs from
// fresh, the outcome of running it again, in the order of their names. Both
// lists of checksums are compared with each other and with the files beside
// them; SVG and PDF figures, which are not committed, need not be there. For
// tables it tells how far their numbers are apart.
//
// Another processor may change last digits. A tolerance above zero accepts
// changed tables whose numbers differ by no more than that, relatively, and
// changed figures, which it cannot judge; they are in the list still, as
// accepted. A number that is smaller than a millionth of the largest in its
// column is measured against that millionth, since rounding leaves no digit of
// a residual about zero.
func Compare(committed, fresh string, tolerance float64) ([]Difference, error) {
	if !(tolerance >= 0) {
		panic(fmt.Sprintf("store: tolerance %v is not positive or zero", tolerance))
	}
	old, err := readSums(committed)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	now, err := readSums(fresh)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	unlisted, err := unlistedFiles(committed, old)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}

	var diffs []Difference
	for _, name := range unlisted {
		diffs = append(diffs, Difference{Name: name, Kind: Unlisted, Detail: "in the committed folder"})
	}
	union := maps.Clone(old)
	maps.Copy(union, now)
	for name := range union {
		d, err := compareFile(name, committed, fresh, old[name], now[name], tolerance)
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		if d.Kind != "" {
			diffs = append(diffs, d)
		}
	}
	slices.SortFunc(diffs, func(a, b Difference) int { return strings.Compare(a.Name, b.Name) })
	return diffs, nil
}

// compareFile compares one file, whose checksums are given, empty where it is
// not listed. The Kind of its result is empty if there is no difference.
func compareFile(name, committed, fresh, oldSum, newSum string, tolerance float64) (Difference, error) {
	d := Difference{Name: name}
	oldData, kind, err := readSummed(committed, name, oldSum)
	if err != nil {
		return d, err
	}
	if kind == Tampered || kind == Absent && !uncommitted(name) {
		d.Kind, d.Detail = kind, "in the committed folder"
		return d, nil
	}
	newData, kind, err := readSummed(fresh, name, newSum)
	if err != nil {
		return d, err
	}
	if kind != "" {
		d.Kind, d.Detail = kind, "in the fresh folder"
		return d, nil
	}
	switch {
	case newSum == "":
		d.Kind = Missing
	case oldSum == "":
		d.Kind = Extra
	case oldSum != newSum:
		d.Kind = Changed
		judge(&d, oldData, newData, tolerance)
	}
	return d, nil
}

// judge says how far a changed file differs and whether this is accepted.
func judge(d *Difference, committed, fresh []byte, tolerance float64) {
	switch filepath.Ext(d.Name) {
	case ".gz":
		if committed == nil { // It is not committed: there is nothing to compare.
			d.Accepted = tolerance > 0
			return
		}
		committed, fresh = unpack(committed), unpack(fresh)
		fallthrough
	case ".csv":
		d.Relative, d.Detail = compareTables(committed, fresh)
		d.Accepted = tolerance > 0 && d.Relative <= tolerance
		if tolerance > 0 && !d.Accepted {
			d.Detail += fmt.Sprintf(", more than %g", tolerance)
		}
	case ".png", ".svg", ".pdf":
		d.Accepted = tolerance > 0
		if d.Accepted {
			d.Detail = "a figure, skipped"
		}
	}
}

// packed is the extension of packed tables.
const packed = ".csv.gz"

// unpack returns the content of a compressed file; of a damaged one, nothing.
func unpack(data []byte) []byte {
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		return nil
	}
	content, err := io.ReadAll(z)
	if err != nil {
		return nil
	}
	return content
}

// readSummed returns a file of a folder that lists it under this sum, or in
// which way it is not there; nothing if it is not listed.
func readSummed(dir, name, sum string) ([]byte, Kind, error) {
	if sum == "" {
		return nil, "", nil
	}
	data, err := os.ReadFile(filepath.Join(dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, Absent, nil
	case err != nil:
		return nil, "", err
	case sumOf(data) != sum:
		return data, Tampered, nil
	}
	return data, "", nil
}

// uncommitted reports whether files of this name are left out of commits.
func uncommitted(name string) bool {
	return strings.HasSuffix(name, ".svg") || strings.HasSuffix(name, ".pdf") || strings.HasSuffix(name, packed)
}

// unlistedFiles returns the files of a folder that its sums should list and do
// not, and times of which its run.json does not know. Hidden files are not ours.
func unlistedFiles(dir string, sums checksums) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var times []string
	switch run, err := readRun(dir); {
	case err == nil:
		times = run.Timings
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	var names []string
	for _, e := range entries {
		name := e.Name()
		_, listed := sums[name]
		if listed || e.IsDir() || strings.HasPrefix(name, ".") || name == sumsFile || slices.Contains(unsummed, name) || timed(name) && slices.Contains(times, name) {
			continue
		}
		names = append(names, name)
	}
	return names, nil
}
