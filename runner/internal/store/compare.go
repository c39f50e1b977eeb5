package store

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Difference is a file that is not the same in two results folders.
type Difference struct {
	Name, Problem string
	Accepted      bool // the tolerance allows it
}

// String returns the difference as one line.
func (d Difference) String() string {
	if d.Accepted {
		return d.Name + ": " + d.Problem + " (accepted)"
	}
	return d.Name + ": " + d.Problem
}

// Compare names the files in which the results folder committed differs from
// fresh, the outcome of running it again, in the order of their names. Both
// lists of checksums are compared with each other and with the files beside
// them; what is not committed need not be there. For tables it tells how far
// their numbers are apart.
//
// Another processor may change last digits. A tolerance above zero accepts
// changed tables whose numbers differ by no more than that, relatively, and
// changed figures, which it cannot judge; they are in the list still, as
// accepted. A number that is smaller than a millionth of the largest in its
// column is measured against that millionth, since rounding leaves no digit of
// a residual about zero.
func Compare(committed, fresh string, tolerance float64) ([]Difference, error) {
	old, err := readSums(committed)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	now, err := readSums(fresh)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	there, err := os.ReadDir(committed)
	if err != nil {
		return nil, fmt.Errorf("compare: %w", err)
	}
	names := maps.Clone(old)
	maps.Copy(names, now)
	for _, e := range there {
		if name := e.Name(); !e.IsDir() && !Timed(name) && checkName(name) == nil {
			names[name] = ""
		}
	}
	var diffs []Difference
	for _, name := range slices.Sorted(maps.Keys(names)) {
		d, err := compareFile(name, committed, fresh, old[name], now[name], tolerance)
		if err != nil {
			return nil, fmt.Errorf("compare: %w", err)
		}
		if d.Problem != "" {
			diffs = append(diffs, d)
		}
	}
	return diffs, nil
}

// compareFile compares one file, whose checksums are given, empty where it is
// not listed. The result has no problem if there is no difference.
func compareFile(name, committed, fresh, oldSum, newSum string, tolerance float64) (Difference, error) {
	d := Difference{Name: name}
	oldData, problem, err := readSummed(committed, name, oldSum)
	if err != nil {
		return d, err
	}
	if problem == tampered || problem == absent && !uncommitted(name) {
		d.Problem = problem + ": in the committed folder"
		return d, nil
	}
	newData, problem, err := readSummed(fresh, name, newSum)
	switch {
	case err != nil:
		return d, err
	case problem != "":
		d.Problem = problem + ": in the fresh folder"
	case oldSum == "" && newSum == "":
		d.Problem = "unlisted: in the committed folder"
	case newSum == "":
		d.Problem = "missing: a fresh run does not make it"
	case oldSum == "":
		d.Problem = "extra: only a fresh run makes it"
	case oldSum != newSum:
		d.Problem, d.Accepted = judge(name, oldData, newData, tolerance)
	}
	return d, nil
}

const (
	tampered = "tampered" // it is not the file that its own folder's checksum is of
	absent   = "absent"   // its folder lists it but does not have it
)

// readSummed returns a file of a folder that lists it under this sum, or what is
// wrong with it; nothing if it is not listed.
func readSummed(dir, name, sum string) (data []byte, problem string, err error) {
	if sum == "" {
		return nil, "", nil
	}
	data, err = os.ReadFile(filepath.Join(dir, name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, absent, nil
	case err == nil && sumOf(data) != sum:
		return nil, tampered, nil
	}
	return data, "", err
}

// uncommitted reports whether files of this name are left out of commits.
func uncommitted(name string) bool {
	return strings.HasSuffix(name, ".svg") || strings.HasSuffix(name, ".pdf") || strings.HasSuffix(name, packed)
}

// judge says how far a changed file differs and whether this is accepted. A file
// that is not committed is nil.
func judge(name string, committed, fresh []byte, tolerance float64) (problem string, accepted bool) {
	switch filepath.Ext(name) {
	case ".png", ".svg", ".pdf":
		if tolerance > 0 {
			return "changed: a figure, skipped", true
		}
	case ".gz":
		if committed == nil {
			return "changed: not committed, nothing to compare", tolerance > 0
		}
		var err1, err2 error
		committed, err1 = unpack(committed)
		fresh, err2 = unpack(fresh)
		if err := errors.Join(err1, err2); err != nil {
			return "changed: " + err.Error(), false
		}
		fallthrough
	case ".csv":
		relative, problem := compareTables(committed, fresh)
		accepted := tolerance > 0 && relative <= tolerance
		if tolerance > 0 && !accepted {
			problem += fmt.Sprintf(", more than %g", tolerance)
		}
		return "changed: " + problem, accepted
	}
	return "changed", false
}
