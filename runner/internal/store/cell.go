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

// Cell is a finished cell. Its file is packed by gzip, which adds a checksum; the fingerprint is in the
// header.
type Cell struct {
	Key         string       // names the cell within its experiment
	Fingerprint string       // digest of the source code and of the spec, which determine its tables and files
	Tables      table.Tables // the cell's part of the experiment's tables
	Files       []File       // files that are published as they are
	CPU         float64      // processor seconds that the cell took
}

// LoadCell returns the cell of this key and fingerprint, or nil. The error says that its file is damaged; the
// cell can then be computed again.
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

// SaveCell writes the cell in place of any other cell with its key.
func (f *Folder) SaveCell(c *Cell) error {
	var file bytes.Buffer
	z, _ := gzip.NewWriterLevel(&file, gzip.BestSpeed) // the error is for an invalid level
	z.Comment = c.Fingerprint
	if err := errors.Join(gob.NewEncoder(z).Encode(c), z.Close()); err != nil {
		return err
	}
	return f.write(f.cellFile(c.Key), file.Bytes())
}

func (f *Folder) cellFile(key string) string { return f.cells(FileName(key) + ".cell") }

var notPlain = regexp.MustCompile(`[^A-Za-z0-9_+=@,.-]`)

// FileName returns a text as the name of a file or folder that is valid on any system. If it changes the text,
// it adds a hash, so that different texts have different names.
func FileName(text string) string {
	name := notPlain.ReplaceAllString(text, "_")
	if name != text || len(name) > 100 {
		name = fmt.Sprintf("%.100s-%.8s", name, sumOf([]byte(text)))
	}
	return name
}
