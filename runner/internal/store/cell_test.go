package store

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/table"
)

func openTemp(t testing.TB) *Folder {
	t.Helper()
	return mustOpen(t, filepath.Join(t.TempDir(), "results", "x"))
}

func mustOpen(t testing.TB, dir string) *Folder {
	t.Helper()
	f := check.Must(Open(dir, "cells"))
	t.Cleanup(func() { f.Close() })
	return f
}

// newCell returns a cell of so many rows, whose numbers follow from its key.
func newCell(key, fingerprint string, rows int) *Cell {
	grid := table.New("grid", table.Text("key", "k"), table.Int("i", ""), table.Num("p", "").Rounded(6))
	grid.Packed = true
	for i := range rows {
		grid.Add(key, i, float64(len(key)*i)/7)
	}
	grid.Add("", math.NaN(), math.Inf(-1))
	return &Cell{Key: key, Fingerprint: fingerprint, Tables: table.Set{grid}, CPU: 0.25}
}

func save(t testing.TB, f *Folder, c *Cell) {
	t.Helper()
	check.OK(t, f.SaveCell(c))
}

func text(c *Cell) string {
	s := ""
	for _, t := range c.Tables {
		s += fmt.Sprintf("%s %v %v\n%s", t.Name, t.Packed, t.Columns[0].Doc, t.CSV())
	}
	return s
}

func TestCellRoundTrip(t *testing.T) {
	f := openTemp(t)
	keys := []string{
		"lambda=0.3 seed=1", "lambda=0.3/seed=1", "Lambda=0.3 seed=1", "", "..", ".hidden1", "ε=½",
		strings.Repeat("long", 500), "a\x00b\nc",
	}
	for _, key := range keys {
		save(t, f, newCell(key, "f1", 3))
	}
	for _, key := range keys {
		if got, err := f.LoadCell(key, "f1"); err != nil || got == nil ||
			text(got) != text(newCell(key, "f1", 3)) || got.CPU != 0.25 {
			t.Errorf("key %.40q: got %+v, %v", key, got, err)
		}
	}
	// Opening again sweeps; no cell may look like a temporary file.
	f.Close()
	f = mustOpen(t, f.Dir)
	entries := check.Must(os.ReadDir(f.cells()))
	check.Equal(t, "files in cells", len(entries), len(keys)+2)
}

// A cell file that was cut off or in which one bit is wrong is never taken for
// another cell, and its cell can be saved anew.
func TestDamagedCell(t *testing.T) {
	f := openTemp(t)
	want := newCell("k", "f", 5)
	save(t, f, want)
	path := f.cellFile("k")
	whole := check.Must(os.ReadFile(path))
	for n := range whole {
		if c, err := decodeCell(whole[:n], "k", "f"); c != nil || err == nil {
			t.Errorf("cut off after %d of %d bytes: %v, %v", n, len(whole), c, err)
		}
	}
	for bit := range 8 * len(whole) {
		data := append([]byte(nil), whole...)
		data[bit/8] ^= 1 << (bit % 8)
		if c, _ := decodeCell(data, "k", "f"); c != nil && text(c) != text(want) {
			t.Errorf("bit %d flipped and not noticed", bit)
		}
	}
	check.OK(t, os.WriteFile(path, append(whole[:len(whole):len(whole)], 0), 0o666))
	if c, err := f.LoadCell("k", "f"); c != nil || err == nil {
		t.Errorf("a byte too many: %v, %v", c, err)
	}
	save(t, f, want)
	if c, err := f.LoadCell("k", "f"); err != nil || text(c) != text(want) {
		t.Errorf("after repair: %v, %v", c, err)
	}
	check.OK(t, os.Rename(path, f.cellFile("b")))
	if c, err := f.LoadCell("b", "f"); c != nil || err == nil {
		t.Errorf("a renamed cell: %v, %v", c, err)
	}
}
