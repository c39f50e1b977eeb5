package store

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/gob"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"regexp"

	"closedform/runner/internal/table"
)

// Cell is a finished cell. Its file is packed by gzip, with the fingerprint in the header, and a checksum.
type Cell struct {
	Key         string    // names the cell within its experiment
	Fingerprint string    // digest of all that its tables follow from
	Tables      table.Set // its part of the experiment's tables
	CPU         float64   // processor seconds that it took
}

// LoadCell returns the cell of this key and fingerprint, or nil. An error, of a damaged file, is a warning.
func (f *Folder) LoadCell(key, fingerprint string) (*Cell, error) {
	path := f.cellFile(key)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	z, bad := gzip.NewReader(bytes.NewReader(data))
	if bad == nil && z.Comment != fingerprint {
		return nil, nil
	}
	if bad == nil {
		data, bad = io.ReadAll(z)
	}
	c := new(Cell)
	if bad != nil || gob.NewDecoder(bytes.NewReader(data)).Decode(c) != nil || c.Key != key {
		return nil, fmt.Errorf("cell %s: %s: %w", key, path, cmp.Or(err, errDamaged))
	}
	return c, nil
}

// SaveCell writes the cell and replaces any other of its key.
func (f *Folder) SaveCell(c *Cell) error {
	var file bytes.Buffer
	z, _ := gzip.NewWriterLevel(&file, gzip.BestSpeed) // a known level
	z.Comment = c.Fingerprint
	if err := errors.Join(gob.NewEncoder(z).Encode(c), z.Close()); err != nil {
		return err
	}
	return f.write(f.cellFile(c.Key), file.Bytes())
}

var notPlain = regexp.MustCompile(`[^A-Za-z0-9_+=.-]`)

// cellFile names a cell's file: its key as far as file systems allow, and a hash, as keys may then be equal.
func (f *Folder) cellFile(key string) string {
	return f.cells(fmt.Sprintf("%.80s-%.12s.cell", notPlain.ReplaceAllString(key, "_"), sumOf([]byte(key))))
}
