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
)

// Tolerance is the largest difference of two numbers that count as equal, relative to the
// largest of: the two numbers, the median absolute value of the nonzero numbers of their column, and
// leastScale. So rounding errors of numbers that should be zero are accepted, and no outlier hides a
// difference.
const Tolerance = 1e-9

// leastScale is for columns that have only rounding errors, some 1e-15.
const leastScale = 1e-5

// Compare returns lines on each file in which the results folder published differs from
// fresh, the results of running it again, in the order of names, and how many of
// these files differ by more than [Tolerance]. It compares both lists of checksums with
// each other and with the files; files that are not committed may be missing.
//
// Some files cannot be compared by numbers. If all tables are equal to [Tolerance], Compare
// accepts a packed table or a network that is not committed, and a
// figure if a table has other bytes, since figures are drawn from tables alone.
func Compare(published, fresh string) (lines []string, bad int, err error) {
	old, err1 := OpenResults(published)
	now, err2 := OpenResults(fresh)
	there, err3 := os.ReadDir(published)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, 0, fmt.Errorf("compare: %w", err)
	}
	names := maps.Clone(old.sums)
	maps.Copy(names, now.sums)
	for _, e := range there {
		name := e.Name()
		if !e.IsDir() && !Timed(name) && name[0] != '.' && !slices.Contains([]string{sumsFile, runFile, cellsFile}, name) {
			names[name] = ""
		}
	}
	found := map[string][]string{}
	var lost, figures []string // files that cannot be compared by their numbers
	compared, changed := false, false
	for name := range names {
		was, oldProblem, err1 := old.read(name)
		is, newProblem, err2 := now.read(name)
		if err := errors.Join(err1, err2); err != nil {
			return nil, 0, fmt.Errorf("compare: %w", err)
		}
		ext := filepath.Ext(name)
		isTable := ext == ".csv" || ext == ".gz"
		problem, differs := "", true
		switch {
		case oldProblem == tampered || oldProblem == absent && committed(name):
			problem = oldProblem + ": in the committed folder"
		case newProblem != "":
			problem = newProblem + ": in the fresh folder"
		case old.sums[name] == "" && now.sums[name] == "":
			problem = "unlisted: in the committed folder"
		case now.sums[name] == "":
			problem = "missing: a fresh run does not make it"
		case old.sums[name] == "":
			problem = "extra: only a fresh run makes it"
		case old.sums[name] == now.sums[name]:
			compared = compared || isTable && oldProblem == ""
			continue
		case slices.Contains([]string{".png", ".svg", ".pdf"}, ext):
			figures = append(figures, name)
			continue
		case oldProblem == absent:
			lost, changed = append(lost, name), changed || isTable
			continue
		case isTable:
			compared, changed = true, true
			found[name], differs = compareTables(File{name, was}, File{name, is})
		default:
			problem = "other bytes"
		}
		if problem != "" {
			found[name] = []string{problem}
		}
		if differs {
			bad++
		}
	}
	equal := bad == 0 && compared
	for _, name := range lost {
		found[name] = []string{"other bytes, and not committed: not compared"}
	}
	for _, name := range figures {
		found[name] = []string{"another figure of the same tables"}
		if changed {
			found[name] = []string{"another figure, of tables with other bytes"}
		}
	}
	if !equal {
		bad += len(lost)
	}
	if !equal || !changed {
		bad += len(figures)
	}
	for _, name := range slices.Sorted(maps.Keys(found)) {
		for _, problem := range found[name] {
			lines = append(lines, name+": "+problem)
		}
	}
	return lines, bad, nil
}

// compareTables says how two tables of other bytes differ: where each column does that
// is not equal to [Tolerance] or, if there is none, where they do most.
func compareTables(old, now File) (lines []string, differs bool) {
	a, err1 := old.Table()
	b, err2 := now.Table()
	if err := cmp.Or(err1, err2); err != nil {
		return []string{err.Error()}, true
	}
	if a.Len() != b.Len() || len(a.Columns) != len(b.Columns) {
		return []string{fmt.Sprintf("%d lines of %d fields, and now %d of %d",
			1+a.Len(), len(a.Columns), 1+b.Len(), len(b.Columns))}, true
	}
	line, most := "the same fields, spelled in other bytes", 0.
	for k, column := range a.Columns {
		name, newName := column.Name, b.Columns[k].Name
		at, off := compareColumns(append([]string{name}, a.Texts(name)...), append([]string{newName}, b.Texts(newName)...))
		switch {
		case off > Tolerance:
			lines = append(lines, at)
		case off > most:
			line, most = at, off
		}
	}
	if len(lines) > 0 {
		return lines, true
	}
	return []string{line + ": equal"}, false
}

// compareColumns says where two columns, with their names, differ most, and by how much: infinitely if in
// more than finite numbers.
func compareColumns(old, now []string) (at string, most float64) {
	size := scale(old, now)
	for i := range old {
		d := off(old[i], now[i], size)
		if d <= most {
			continue
		}
		most, at = d, fmt.Sprintf("line %d, %s: %s, and now %s", i+1, old[0], old[i], now[i])
		if !math.IsInf(d, 1) {
			at += fmt.Sprintf(", off by %.2g", d)
		}
	}
	return at, most
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
