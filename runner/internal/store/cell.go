package store

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"closedform/runner/internal/table"
)

// Cell is what one cell of an experiment left behind.
type Cell struct {
	Key         string    // names the cell within its experiment
	Fingerprint string    // stands for all that its tables follow from: printable, without spaces
	Tables      table.Set // its part of the experiment's tables
	Seconds     float64   // wall time that it took
	CPU         float64   // processor seconds; zero: not known, as of cells that older programs computed
}

// LoadCell returns the cell of this key if it was made under this fingerprint, and
// otherwise nil: the cell must be computed. The error then says what is wrong with
// a file that is there (it is damaged, it cannot be read), and is a mere warning.
func (f *Folder) LoadCell(key, fingerprint string) (*Cell, error) {
	file := f.cellFile(key)
	packed := func(look bool) func() (string, []byte, error) {
		return func() (string, []byte, error) {
			return f.packs.read(f.packed(), filepath.Base(file), fingerprint, look)
		}
	}
	alone := func() (string, []byte, error) {
		data, err := os.ReadFile(file)
		return file, data, err
	}
	var damaged error
	for _, read := range []func() (path string, data []byte, err error){packed(false), alone, packed(true)} {
		path, data, err := read()
		var c *Cell
		if err == nil && data != nil {
			c, err = decodeCell(data, key, fingerprint)
		}
		if c != nil {
			return c, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			damaged = &CellError{key, path, err}
		}
	}
	return nil, damaged
}

// CellError is that of a cell that is there and cannot be read.
type CellError struct {
	Key, File string
	Err       error
}

func (e *CellError) Error() string { return fmt.Sprintf("cell %s: %s: %v", e.Key, e.File, e.Err) }
func (e *CellError) Unwrap() error { return e.Err }

// SaveCell writes the cell, in place of any other of its key.
func (f *Folder) SaveCell(c *Cell) error {
	data, err := encodeCell(c)
	if err != nil {
		return err
	}
	return f.write(f.cellFile(c.Key), data)
}

var notPlain = regexp.MustCompile(`[^` + nameChars + `.-]`)

// cellFile returns the path of the cell's file: its key, as far as file
// systems allow, and a hash that tells apart keys which then look alike.
func (f *Folder) cellFile(key string) string {
	readable := notPlain.ReplaceAllString(key, "_")
	hash := sha256.Sum256([]byte(key))
	return filepath.Join(f.cells(), readable[:min(len(readable), 80)]+"-"+hex.EncodeToString(hash[:6])+".cell")
}

// magic begins a cell file. A line with the fingerprint and the checksum of what
// follows it comes next, and then the cell, compressed.
const magic = "closedform cell 2\n"

func encodeCell(c *Cell) ([]byte, error) {
	var body bytes.Buffer
	z, _ := gzip.NewWriterLevel(&body, gzip.BestSpeed) // a known level
	err := errors.Join(gob.NewEncoder(z).Encode(c), z.Close())
	return append(fmt.Appendf(nil, "%s%s %s\n", magic, c.Fingerprint, sumOf(body.Bytes())), body.Bytes()...), err
}

// ErrDamaged is that of a file that is not as it was written.
var ErrDamaged = errors.New("damaged")

// decodeCell reads what encodeCell wrote. Another fingerprint is no error.
func decodeCell(data []byte, key, fingerprint string) (*Cell, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	line, body, whole := bytes.Cut(rest, []byte("\n"))
	of, sum, spaced := strings.Cut(string(line), " ")
	if !ok || !whole || !spaced {
		return nil, ErrDamaged
	}
	if of != fingerprint {
		return nil, nil
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if sumOf(body) != sum || err != nil {
		return nil, ErrDamaged
	}
	c := new(Cell)
	if err := gob.NewDecoder(z).Decode(c); err != nil || c.Key != key {
		return nil, ErrDamaged
	}
	return c, nil
}
