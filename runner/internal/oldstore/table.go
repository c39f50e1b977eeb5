package store

import (
	"bytes"
	"compress/gzip"
	"encoding/csv"
	"fmt"
	"strconv"
)

// Table is a table of text fields under a header line.
type Table struct {
	Name   string // file name without its extension, see File
	Header []string
	Rows   [][]string

	// Packed says that the table is large and kept compressed. It is not
	// committed.
	Packed bool `json:",omitempty"`
}

// File returns the table as a file: NAME.csv, or NAME.csv.gz if it is packed.
func (t *Table) File() File {
	if !t.Packed {
		return File{t.Name + ".csv", t.CSV()}
	}
	// Without a name and a time in its header, equal tables are equal bytes.
	var buf bytes.Buffer
	z, _ := gzip.NewWriterLevel(&buf, gzip.BestCompression) // a known level
	z.Write(t.CSV())                                        // writing to a bytes.Buffer cannot fail
	z.Close()
	return File{t.Name + packed, buf.Bytes()}
}

// CSV returns the table as RFC 4180 text with a header line, the lines ended
// by "\n". It panics if a row is not as long as the header.
func (t *Table) CSV() []byte {
	var buf bytes.Buffer
	w := csv.NewWriter(&buf)
	w.Write(t.Header) // writing to a bytes.Buffer cannot fail
	for i, row := range t.Rows {
		if len(row) != len(t.Header) {
			panic(fmt.Sprintf("store: table %q: row %d has %d fields, the header %d", t.Name, i, len(row), len(t.Header)))
		}
		w.Write(row)
	}
	w.Flush()
	return buf.Bytes()
}

// Float spells x for a table: the shortest decimal that reads back as x,
// with an exponent where that is shorter to read ("0.1", "1e-09"). The rest
// is spelled "NaN", "+Inf" and "-Inf".
func Float(x float64) string {
	return strconv.FormatFloat(x, 'g', -1, 64)
}
