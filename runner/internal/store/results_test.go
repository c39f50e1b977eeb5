package store

import (
	"bytes"
	"testing"

	"closedform/internal/check"
)

// What is read of a published table can be written, and is read again.
func FuzzTable(f *testing.F) {
	whole := newCell("k", "f", 3).Tables[0]
	f.Add(TableFile(whole).Data, true)
	f.Add(whole.CSV(), true)
	f.Add(whole.CSV(), false)
	f.Add([]byte("x\n1\n\"\"\n"), false)
	f.Add([]byte("\"\"\na\n"), false)
	f.Fuzz(func(t *testing.T, data []byte, packed bool) {
		name := "x.csv"
		if packed {
			name += ".gz"
		}
		check.Frugal(t, func() {
			table, err := File{name, data}.Table()
			if err != nil {
				return
			}
			again, err := File{"x.csv", table.CSV()}.Table()
			if err != nil || !bytes.Equal(again.CSV(), table.CSV()) {
				t.Errorf("read %q, and then %v: %v", table.CSV(), again, err)
			}
		})
	})
}
