package store

import (
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/table"
)

// newCell returns a cell of so many rows, whose numbers follow from its key.
func newCell(key, fingerprint string, rows int) *Cell {
	grid := table.New("grid", table.Text("key", "k"), table.Int("i", ""), table.Num("p", "").Rounded(6))
	grid.Packed = true
	for i := range rows {
		grid.Add(key, i, float64(len(key)*i)/7)
	}
	grid.Add("", math.NaN(), math.Inf(-1))
	return &Cell{Key: key, Fingerprint: fingerprint, Tables: table.Tables{grid}, CPU: 0.25}
}

func text(c *Cell) string {
	if c == nil {
		return ""
	}
	t := c.Tables[0]
	return fmt.Sprintf("%s %g %s %v %v\n%s", c.Key, c.CPU, t.Name, t.Packed, t.Columns[0].Doc, t.CSV())
}

func TestCells(t *testing.T) {
	f := openTemp(t)
	keys := []string{
		"lambda=0.3 seed=1", "lambda=0.3/seed=1", "Lambda=0.3 seed=1", "", "..", ".hidden1", "ε=½",
		strings.Repeat("long", 500), "a\x00b\nc",
	}
	for _, key := range keys {
		check.OK(t, f.SaveCell(newCell(key, "f1", 3)))
	}
	f.Close()
	f = mustOpen(t, f.Dir) // which sweeps
	for _, key := range keys {
		check.Equal(t, key, text(check.Must(f.LoadCell(key, "f1"))), text(newCell(key, "f1", 3)))
		check.Equal(t, "of another fingerprint", text(check.Must(f.LoadCell(key, "f2"))), "")
	}
}

// A cell file that was cut off or in which one bit is wrong is never taken for
// another cell, and its cell can be saved anew.
func TestDamagedCell(t *testing.T) {
	f := openTemp(t)
	want := newCell("k", "f", 5)
	check.OK(t, f.SaveCell(want))
	path := f.cellFile("k")
	whole := check.Must(os.ReadFile(path))
	for n := range whole {
		check.Write(t, string(whole[:n]), path)
		if c, err := f.LoadCell("k", "f"); c != nil || err == nil {
			t.Errorf("cut off after %d of %d bytes: %v, %v", n, len(whole), c, err)
		}
	}
	check.Write(t, string(whole), path)
	file := check.Must(os.OpenFile(path, os.O_WRONLY, 0))
	defer file.Close()
	for bit := range 8 * len(whole) {
		k := bit / 8
		check.Must(file.WriteAt([]byte{whole[k] ^ 1<<(bit%8)}, int64(k)))
		if c, _ := f.LoadCell("k", "f"); c != nil && text(c) != text(want) {
			t.Errorf("bit %d flipped and not noticed", bit)
		}
		check.Must(file.WriteAt(whole[k:k+1], int64(k)))
	}
	check.Write(t, string(append(whole, 0)), path)
	check.Refuses(t, "a byte too many", check.Err(f.LoadCell("k", "f")), "cell k:", path, "damaged")
	check.OK(t, f.SaveCell(want))
	check.Equal(t, "after repair", text(check.Must(f.LoadCell("k", "f"))), text(want))
	check.OK(t, os.Rename(path, f.cellFile("b")))
	check.Refuses(t, "a renamed cell", check.Err(f.LoadCell("b", "f")))
}
