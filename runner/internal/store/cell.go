package store

import (
	"bytes"
	"compress/gzip"
	"encoding/gob"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"closedform/runner/internal/table"
)

// Cell is a finished cell of an experiment.
type Cell struct {
	Key         string    // names the cell within its experiment
	Fingerprint string    // digest of all that its tables follow from
	Tables      table.Set // its part of the experiment's tables
	CPU         float64   // processor seconds that it took
}

// LoadCell returns the cell of this key if it was made under this fingerprint. Otherwise it
// returns nil, and the cell must be computed. The error is only a warning: an
// fs.PathError of a damaged or unreadable file.
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
		err = &fs.PathError{Op: "cell " + key + ":", Path: path, Err: err}
	}
	return c, err
}

// SaveCell writes the cell and replaces any other of its key.
func (f *Folder) SaveCell(c *Cell) error {
	data, err := encodeCell(c)
	if err != nil {
		return err
	}
	return f.write(f.cellFile(c.Key), data)
}

var notPlain = regexp.MustCompile(`[^` + nameChars + `.-]`)

// cellFile returns the path of the cell's file: its key, as far as file
// systems allow, and a hash that distinguishes keys which then are equal.
func (f *Folder) cellFile(key string) string {
	readable := notPlain.ReplaceAllString(key, "_")
	return filepath.Join(f.cells(), readable[:min(len(readable), 80)]+"-"+sumOf([]byte(key))[:12]+".cell")
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

// ErrDamaged is the error of a file that has changed since it was written.
var ErrDamaged = errors.New("damaged")

// decodeCell reads the output of encodeCell. A different fingerprint is not an error.
func decodeCell(data []byte, key, fingerprint string) (*Cell, error) {
	rest, begins := bytes.CutPrefix(data, []byte(magic))
	line, body, _ := bytes.Cut(rest, []byte("\n"))
	made, sum, _ := strings.Cut(string(line), " ")
	if !begins || sum != sumOf(body) {
		return nil, ErrDamaged
	}
	if made != fingerprint {
		return nil, nil
	}
	c := new(Cell)
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil || gob.NewDecoder(z).Decode(c) != nil || c.Key != key {
		return nil, ErrDamaged
	}
	return c, nil
}
