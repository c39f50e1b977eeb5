package store

import (
	"bytes"
	"compress/gzip"
	"io"
	"strings"
	"testing"
)

// A packed table is the same CSV, compressed, and the same bytes every time.
func TestPackedTable(t *testing.T) {
	table := Table{Name: "big", Header: []string{"x"}, Rows: [][]string{{"1"}, {"2"}}, Packed: true}
	file := table.File()
	if file.Name != "big.csv.gz" || !bytes.Equal(file.Data, table.File().Data) {
		t.Errorf("%s, the same again: %v", file.Name, bytes.Equal(file.Data, table.File().Data))
	}
	z, err := gzip.NewReader(bytes.NewReader(file.Data))
	if err != nil {
		t.Fatal(err)
	}
	if content, err := io.ReadAll(z); err != nil || string(content) != "x\n1\n2\n" {
		t.Errorf("holds %q, %v", content, err)
	}
	table.Packed = false
	if file := table.File(); file.Name != "big.csv" || string(file.Data) != "x\n1\n2\n" {
		t.Errorf("not packed: %s, %q", file.Name, file.Data)
	}
}

// Packed tables that differ are compared by their numbers; one that is not
// committed, by its sum alone.
func TestJudgePacked(t *testing.T) {
	of := func(x string) []byte {
		table := Table{Name: "big", Header: []string{"x"}, Rows: [][]string{{x}}, Packed: true}
		return table.File().Data
	}
	for _, c := range []struct {
		committed, fresh []byte
		tolerance        float64
		accepted         bool
		detail           string
	}{
		{of("1"), of("1.0000001"), 1e-6, true, "largest relative difference 1e-07"},
		{of("1"), of("1.1"), 1e-6, false, "more than 1e-06"},
		{of("1"), of("1.0000001"), 0, false, "largest relative difference 1e-07"},
		{nil, of("1"), 1e-6, true, ""},
		{nil, of("1"), 0, false, ""},
		{[]byte("no gzip"), of("1"), 1e-6, false, "0 records, and now 2"},
	} {
		d := Difference{Name: "big.csv.gz"}
		judge(&d, c.committed, c.fresh, c.tolerance)
		if d.Accepted != c.accepted || !strings.Contains(d.Detail, c.detail) {
			t.Errorf("accepted %v, %q; want %v, %q", d.Accepted, d.Detail, c.accepted, c.detail)
		}
	}
}
