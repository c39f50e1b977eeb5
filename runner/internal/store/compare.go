package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Compare returns a line for each file in which the results folder committed differs
// from fresh, the outcome of running it again, in the order of their names, and how
// many of these are not accepted. Both lists of checksums are compared with each
// other and with the files beside them; what is not committed need not be there.
//
// Another processor may change last digits. A tolerance above zero accepts
// changed tables whose numbers differ by no more than that, relatively, and
// changed figures, which it cannot judge; their lines say so. A number that is smaller than a millionth of the largest in its
// column is measured against that millionth, since rounding leaves no digit of
// a residual about zero.
func Compare(committed, fresh string, tolerance float64) (lines []string, bad int, err error) {
	old, err1 := readSums(committed)
	now, err2 := readSums(fresh)
	there, err3 := os.ReadDir(committed)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, 0, fmt.Errorf("compare: %w", err)
	}
	names := maps.Clone(old)
	maps.Copy(names, now)
	for _, e := range there {
		name := e.Name()
		if !e.IsDir() && !Timed(name) && name[0] != '.' && name != sumsFile && name != runFile {
			names[name] = ""
		}
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		problem, accepted := "", false
		oldFile, newFile := File{Name: name}, File{Name: name}
		oldProblem, err1 := oldFile.read(committed, old[name])
		newProblem, err2 := newFile.read(fresh, now[name])
		notCommitted := strings.HasSuffix(name, packed) || slices.Contains([]string{".svg", ".pdf", ".npz"}, filepath.Ext(name))
		switch {
		case err1 != nil || err2 != nil:
			return nil, 0, fmt.Errorf("compare: %w", errors.Join(err1, err2))
		case oldProblem == tampered || oldProblem == absent && !notCommitted:
			problem = oldProblem + ": in the committed folder"
		case newProblem != "":
			problem = newProblem + ": in the fresh folder"
		case old[name] == "" && now[name] == "":
			problem = "unlisted: in the committed folder"
		case now[name] == "":
			problem = "missing: a fresh run does not make it"
		case old[name] == "":
			problem = "extra: only a fresh run makes it"
		case old[name] != now[name]:
			problem, accepted = judge(oldFile, newFile, tolerance)
		default:
			continue
		}
		if accepted {
			problem += " (accepted)"
		} else {
			bad++
		}
		lines = append(lines, name+": "+problem)
	}
	return lines, bad, nil
}

const (
	tampered = "tampered" // it is not the file that its own folder's checksum is of
	absent   = "absent"   // its folder lists it but does not have it
)

// read reads the file from a folder that lists it under this sum, and returns what
// is wrong with it. It does nothing if the file is not listed.
func (f *File) read(dir, sum string) (problem string, err error) {
	if sum == "" {
		return "", nil
	}
	f.Data, err = os.ReadFile(filepath.Join(dir, f.Name))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return absent, nil
	case err == nil && sumOf(f.Data) != sum:
		return tampered, nil
	}
	return "", err
}

// judge says how far a changed file differs and whether this is accepted. The old
// one may be without data, if it is not committed.
func judge(old, now File, tolerance float64) (problem string, accepted bool) {
	switch filepath.Ext(now.Name) {
	case ".png", ".svg", ".pdf":
		return "changed: a figure", tolerance > 0
	case ".csv", ".gz":
		if old.Data == nil {
			return "changed: not committed, nothing to compare", tolerance > 0
		}
		relative, first, err := compareTables(old, now)
		if err != nil {
			return fmt.Sprintf("changed: %v", err), false
		}
		return fmt.Sprintf("changed: %s; largest relative difference %.2g", first, relative), tolerance > 0 && relative <= tolerance
	}
	return "changed", false
}

// compareTables returns the largest relative difference of two numbers in the same
// place of two tables, and says where the first column that differs does so. It is an
// error if they differ in more than numbers.
func compareTables(old, now File) (relative float64, first string, err error) {
	a, err1 := old.Table()
	b, err2 := now.Table()
	if err := cmp.Or(err1, err2); err != nil {
		return 0, "", err
	}
	if a.Len() != b.Len() || len(a.Columns) != len(b.Columns) {
		return 0, "", fmt.Errorf("%d records of %d fields, and now %d of %d",
			1+a.Len(), len(a.Columns), 1+b.Len(), len(b.Columns))
	}
	for k, column := range a.Columns {
		name, newName, largest := column.Name, b.Columns[k].Name, 0.
		was, is := append([]string{name}, a.Texts(name)...), append([]string{newName}, b.Texts(newName)...)
		for _, field := range slices.Concat(was, is) {
			if x := math.Abs(number(field)); x > largest {
				largest = x
			}
		}
		for i, field := range was {
			x, y := number(field), number(is[i])
			if field == is[i] || x == y {
				continue
			}
			at := fmt.Sprintf("record %d, %s: %s, and now %s", i+1, name, field, is[i])
			if math.IsNaN(x) || math.IsNaN(y) {
				return 0, "", errors.New(at)
			}
			first = cmp.Or(first, at)
			relative = max(relative, math.Abs(x-y)/max(math.Abs(x), math.Abs(y), 1e-6*largest))
		}
	}
	return relative, cmp.Or(first, "the same fields, spelled in other bytes"), nil
}

// number returns a finite number, or NaN for any other text.
func number(field string) float64 {
	x, err := strconv.ParseFloat(field, 64)
	if err != nil || math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}
