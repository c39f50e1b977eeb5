package store

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Tolerance is the largest difference of two numbers that count as equal, relative to the
// largest of: the two numbers, the median absolute value of the nonzero numbers of their column, and
// leastScale. So rounding errors of numbers that should be zero are accepted, and no outlier hides a
// difference.
const Tolerance = 1e-9

// leastScale is for columns that have only rounding errors, some 1e-15.
const leastScale = 1e-5

// Compare returns a line on each file in which the results folder published differs from
// fresh, the results of running it again, and how many of these files differ by more than [Tolerance].
//
// Files that are not committed are compared by the checksums that are: those that lie in the folder may be of
// another run. Such files, and figures, may be others if a table has other bytes and all are equal to Tolerance.
func Compare(published, fresh string) (lines []string, bad int, err error) {
	old, err1 := OpenResults(published)
	now, err2 := OpenResults(fresh)
	there, err3 := os.ReadDir(published)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, 0, fmt.Errorf("compare: %w", err)
	}
	for _, name := range old.Differing() {
		lines, bad = append(lines, name+": not what SHA256SUMS says"), bad+1
	}
	for _, e := range there {
		name := e.Name()
		_, listed := old.sums[name]
		own := slices.Contains([]string{sumsFile, runFile}, name)
		if !listed && !own && !e.IsDir() && committed(name) && name[0] != '.' {
			lines, bad = append(lines, name+": not listed in SHA256SUMS"), bad+1
		}
	}
	names := maps.Clone(old.sums)
	maps.Copy(names, now.sums)
	var derived []string
	rounded := false // a table is equal and has other bytes
	for _, name := range slices.Sorted(maps.Keys(names)) {
		was, is := old.sums[name], now.sums[name]
		problem := "other bytes"
		switch {
		case was == is:
			continue
		case is == "":
			problem = "missing: a fresh run does not make it"
		case was == "":
			problem = "extra: only a fresh run makes it"
		case !committed(name) || filepath.Ext(name) == ".png":
			derived = append(derived, name+": other bytes")
			continue
		case filepath.Ext(name) == ".csv":
			if problem, err = compareTables(old, now, name); err != nil {
				return nil, 0, err
			}
			if problem == "" {
				lines, rounded = append(lines, fmt.Sprintf("%s: equal to %g", name, Tolerance)), true
				continue
			}
		}
		lines, bad = append(lines, name+": "+problem), bad+1
	}
	if bad > 0 || !rounded {
		bad += len(derived)
	}
	return append(lines, derived...), bad, nil
}

// compareTables says how two tables differ, empty if they are equal to [Tolerance].
func compareTables(old, now *Results, name string) (problem string, err error) {
	was, err1 := os.ReadFile(filepath.Join(old.dir, name))
	is, err2 := os.ReadFile(filepath.Join(now.dir, name))
	if err := cmp.Or(err1, err2); err != nil {
		return "", fmt.Errorf("compare: %w", err)
	}
	d := new(Diff)
	d.addFiles(File{name, was}, File{name, is}, byLine)
	if len(d.Changes) == 0 {
		return strings.Join(d.Added, "; "), nil
	}
	c := d.Changes[0]
	return fmt.Sprintf("%v, most %s, %s: %s, and now %s %s", d, c.Row, c.Column, c.Old, c.New, c.By), nil
}

// scale returns the scale of a column; see [Tolerance].
func scale(columns ...[]string) float64 {
	var sizes []float64
	for _, field := range slices.Concat(columns...) {
		if x := math.Abs(number(field)); x > 0 {
			sizes = append(sizes, x)
		}
	}
	if len(sizes) == 0 {
		return leastScale
	}
	slices.Sort(sizes)
	return max(leastScale, sizes[len(sizes)/2])
}

// off returns the difference of two fields of a column, as [Tolerance] measures it:
// infinite if they are not finite numbers.
func off(old, now string, scale float64) float64 {
	x, y := number(old), number(now)
	switch d := math.Abs(x - y); {
	case old == now:
		return 0
	case math.IsNaN(d):
		return math.Inf(1)
	default:
		return d / max(math.Abs(x), math.Abs(y), scale)
	}
}

// number returns a finite number, or NaN for any other text.
func number(field string) float64 {
	x, err := strconv.ParseFloat(field, 64)
	if err != nil || math.IsInf(x, 0) {
		return math.NaN()
	}
	return x
}
