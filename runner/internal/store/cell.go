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
	"strings"

	"closedform/runner/internal/table"
)

// Cell is what one cell of an experiment left behind.
type Cell struct {
	Key         string    // names the cell within its experiment
	Fingerprint string    // stands for all that its tables follow from: printable, without spaces
	Tables      table.Set // its part of the experiment's tables
	Seconds     float64   // time it took
}

// LoadCell returns the cell of this key if it was made under this fingerprint, and
// otherwise nil: the cell must be computed. The error then says what is wrong with
// a file that is there (it is damaged, it cannot be read), and is a mere warning.
func (f *Folder) LoadCell(key, fingerprint string) (*Cell, error) {
	path := f.cellFile(key)
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var c *Cell
	if err == nil {
		c, err = decodeCell(data, key, fingerprint)
	}
	if err != nil {
		return nil, fmt.Errorf("cell %s: %s: %w", key, path, err)
	}
	return c, nil
}

// SaveCell writes the cell, in place of any other of its key.
func (f *Folder) SaveCell(c *Cell) error {
	data, err := encodeCell(c)
	if err == nil {
		err = f.write(f.cellFile(c.Key), data)
	}
	if err != nil {
		return fmt.Errorf("cell %s: %w", c.Key, err)
	}
	return nil
}

// cellFile returns the path of the cell's file: its key, as far as file
// systems allow, and a hash that tells apart keys which then look alike.
func (f *Folder) cellFile(key string) string {
	readable := strings.Map(func(r rune) rune {
		if plain(r) {
			return r
		}
		return '_'
	}, key)
	hash := sha256.Sum256([]byte(key))
	return filepath.Join(f.cells(), readable[:min(len(readable), 80)]+"-"+hex.EncodeToString(hash[:6])+".cell")
}

// plain reports whether a character may stand in the name of a file.
func plain(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' || strings.ContainsRune("._=+-", r)
}

// magic begins a cell file. A line with the fingerprint and the checksum of what
// follows it comes next, and then the cell, compressed.
const magic = "closedform cell 2\n"

func encodeCell(c *Cell) ([]byte, error) {
	var body bytes.Buffer
	z, err := gzip.NewWriterLevel(&body, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := gob.NewEncoder(z).Encode(c); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return append(fmt.Appendf(nil, "%s%s %s\n", magic, c.Fingerprint, sumOf(body.Bytes())), body.Bytes()...), nil
}

var errDamaged = errors.New("damaged")

// decodeCell reads what encodeCell wrote. Another fingerprint is no error.
func decodeCell(data []byte, key, fingerprint string) (*Cell, error) {
	rest, ok := bytes.CutPrefix(data, []byte(magic))
	line, body, whole := bytes.Cut(rest, []byte("\n"))
	of, sum, spaced := strings.Cut(string(line), " ")
	if !ok || !whole || !spaced {
		return nil, errDamaged
	}
	if of != fingerprint {
		return nil, nil
	}
	if sumOf(body) != sum {
		return nil, errDamaged
	}
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, errDamaged
	}
	c := new(Cell)
	if err := gob.NewDecoder(z).Decode(c); err != nil || c.Key != key {
		return nil, errDamaged
	}
	return c, nil
}
