package check

import (
	"encoding/csv"
	"os"
	"strconv"
	"testing"
)

// Records returns the records of a CSV file with # comments. They may differ in
// length; there must be some.
func Records(t testing.TB, name string) [][]string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r := csv.NewReader(file)
	r.Comment, r.FieldsPerRecord = '#', -1
	records, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if len(records) == 0 {
		t.Fatalf("%s has no records", name)
	}
	return records
}

// Rows returns the records of a CSV file of numbers.
func Rows(t testing.TB, name string) [][]float64 {
	t.Helper()
	var rows [][]float64
	for _, record := range Records(t, name) {
		rows = append(rows, Numbers(t, record))
	}
	return rows
}

// Numbers returns the fields of a record that has nothing but numbers.
func Numbers(t testing.TB, record []string) []float64 {
	t.Helper()
	row := make([]float64, len(record))
	for i, field := range record {
		v, err := strconv.ParseFloat(field, 64)
		if err != nil {
			t.Fatal(err)
		}
		row[i] = v
	}
	return row
}
