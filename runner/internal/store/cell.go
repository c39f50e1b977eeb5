package store

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
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

// HasCell reports whether the folder dir has a file of the cell, made under this
// fingerprint. It reads the first line only.
func HasCell(dir, key, fingerprint string) bool {
	file, err := os.Open((&Folder{dir: dir}).cellFile(key))
	if err != nil {
		return false
	}
	defer file.Close()
	line := []byte(magic + fingerprint + " ")
	start := make([]byte, len(line))
	_, err = io.ReadFull(file, start)
	return err == nil && bytes.Equal(start, line)
}

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
	z, err := gzip.NewReader(bytes.NewReader(body))
	if sumOf(body) != sum || err != nil {
		return nil, errDamaged
	}
	c := new(Cell)
	if err := gob.NewDecoder(z).Decode(c); err != nil || c.Key != key {
		return nil, errDamaged
	}
	return c, nil
}
