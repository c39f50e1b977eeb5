package store

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math"
	"strconv"
)

// residual times the largest number of a column is where relative differences
// of its numbers begin to be measured against that bound.
const residual = 1e-6

// compareTables returns the largest relative difference of two numbers in the
// same place of two CSV files, the header line included, and says where the
// files begin to differ. The difference is +Inf if not only finite numbers
// differ.
func compareTables(committed, fresh []byte) (relative float64, detail string) {
	inf := math.Inf(1)
	a, err := records(committed)
	if err != nil {
		return inf, fmt.Sprintf("the committed file is not CSV: %v", err)
	}
	b, err := records(fresh)
	if err != nil {
		return inf, fmt.Sprintf("the fresh file is not CSV: %v", err)
	}
	scale := columnScale(append(a[:len(a):len(a)], b...))
	for i := range min(len(a), len(b)) {
		if len(a[i]) != len(b[i]) {
			return inf, fmt.Sprintf("record %d has %d fields, and now %d", i+1, len(a[i]), len(b[i]))
		}
		for j, old := range a[i] {
			now := b[i][j]
			if old == now {
				continue
			}
			if detail == "" {
				column := fmt.Sprintf("column %d", j+1)
				if j < len(a[0]) {
					column = a[0][j]
				}
				detail = fmt.Sprintf("first in record %d, %s: %s, and now %s", i+1, column, old, now)
			}
			relative = max(relative, fieldDifference(old, now, residual*scale[j]))
		}
	}
	switch {
	case len(a) != len(b):
		return inf, fmt.Sprintf("%d records, and now %d", len(a), len(b))
	case detail == "":
		return relative, "the same fields, spelled in other bytes"
	case math.IsInf(relative, 1):
		return relative, detail + "; not only by rounding"
	}
	return relative, fmt.Sprintf("%s; largest relative difference %.2g", detail, relative)
}

func records(data []byte) ([][]string, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	return r.ReadAll()
}

// columnScale returns the largest magnitude of a finite number in each column.
func columnScale(rows [][]string) []float64 {
	var scale []float64
	for _, row := range rows {
		for j, s := range row {
			if j == len(scale) {
				scale = append(scale, 0)
			}
			if x, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) {
				scale[j] = max(scale[j], math.Abs(x))
			}
		}
	}
	return scale
}

// fieldDifference returns |a − b| / max(|a|, |b|, floor) of two fields, +Inf if
// they are not both finite numbers and not equal.
func fieldDifference(old, now string, floor float64) float64 {
	a, errA := strconv.ParseFloat(old, 64)
	b, errB := strconv.ParseFloat(now, 64)
	switch {
	case errA != nil || errB != nil:
		return math.Inf(1)
	case a == b || math.IsNaN(a) && math.IsNaN(b):
		return 0
	case math.IsNaN(a) || math.IsNaN(b) || math.IsInf(a, 0) || math.IsInf(b, 0):
		return math.Inf(1)
	}
	return math.Abs(a-b) / max(math.Abs(a), math.Abs(b), floor)
}
