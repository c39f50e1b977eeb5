package store

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
)

// residual times the largest number of a column is where relative differences
// of its numbers begin to be measured against that bound.
const residual = 1e-6

// records is a CSV file with the line that each record begins in.
type records struct {
	fields [][]string
	lines  []int
}

// compareTables returns the largest relative difference of two numbers in the
// same place of two CSV files, the header line included, and says where the
// files begin to differ. The difference is +Inf if not only finite numbers
// differ.
func compareTables(committed, fresh []byte) (relative float64, detail string) {
	a, err := readRecords(committed)
	if err != nil {
		return math.Inf(1), fmt.Sprintf("the committed file is not CSV: %v", err)
	}
	b, err := readRecords(fresh)
	if err != nil {
		return math.Inf(1), fmt.Sprintf("the fresh file is not CSV: %v", err)
	}
	scale := columnScale(a, b)
	for i := range min(len(a.fields), len(b.fields)) {
		old, now := a.fields[i], b.fields[i]
		if len(old) != len(now) {
			return math.Inf(1), fmt.Sprintf("line %d has %d fields, and now %d", a.lines[i], len(old), len(now))
		}
		for j := range old {
			if old[j] == now[j] {
				continue
			}
			if detail == "" {
				detail = fmt.Sprintf("first on line %d, %s: %s, and now %s", a.lines[i], columnName(a, j), old[j], now[j])
			}
			relative = max(relative, fieldDifference(old[j], now[j], residual*scale[j]))
		}
	}
	switch {
	case len(a.fields) != len(b.fields):
		relative, detail = math.Inf(1), fmt.Sprintf("%d records, and now %d", len(a.fields), len(b.fields))
	case detail == "":
		detail = "the same fields, spelled in other bytes"
	case math.IsInf(relative, 1):
		detail += "; not only by rounding"
	default:
		detail += fmt.Sprintf("; largest relative difference %.2g", relative)
	}
	return relative, detail
}

func readRecords(data []byte) (*records, error) {
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	rec := new(records)
	for {
		fields, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rec, nil
		}
		if err != nil {
			return nil, err
		}
		line, _ := r.FieldPos(0)
		rec.fields = append(rec.fields, fields)
		rec.lines = append(rec.lines, line)
	}
}

// columnScale returns the largest magnitude of a finite number in each column
// of both files.
func columnScale(files ...*records) []float64 {
	var scale []float64
	for _, f := range files {
		for _, row := range f.fields {
			for j, s := range row {
				if j == len(scale) {
					scale = append(scale, 0)
				}
				if x, err := strconv.ParseFloat(s, 64); err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) {
					scale[j] = max(scale[j], math.Abs(x))
				}
			}
		}
	}
	return scale
}

func columnName(r *records, j int) string {
	if header := r.fields[0]; j < len(header) {
		return header[j]
	}
	return fmt.Sprintf("column %d", j+1)
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
