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

// Cell is a finished cell of an experiment.
type Cell struct {
	Key         string    // names the cell within its experiment
	Fingerprint string    // stands for all that its tables follow from: printable, without spaces
	Tables      table.Set // its part of the experiment's tables
	Seconds     float64   // wall time that it took
	CPU         float64   // processor seconds; zero: not known, as of cells that older programs computed
}

// LoadCell returns the cell of this key if it was made under this fingerprint. Otherwise it
// returns nil, and the cell must be computed. The error is only a warning: an
// fs.PathError of a damaged or unreadable file.
func (f *Folder) LoadCell(key, fingerprint string) (*Cell, error) {
	file := f.cellFile(key)
	alone := func() (string, []byte, error) {
		data, err := os.ReadFile(file)
		return file, data, err
	}
	packed := func() (string, []byte, error) { return f.readPacked(filepath.Base(file), fingerprint) }
	again := func() (string, []byte, error) {
		f.packs.look(f.packed())
		return packed()
	}
	var damaged error
	for _, read := range []func() (path string, data []byte, err error){packed, alone, again} {
		path, data, err := read()
		var c *Cell
		if err == nil {
			c, err = decodeCell(data, key, fingerprint)
		}
		if c != nil {
			return c, nil
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			damaged = &fs.PathError{Op: "cell " + key + ":", Path: path, Err: err}
		}
	}
	return nil, damaged
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

// ErrDamaged is the error of a file that has changed since it was written.
var ErrDamaged = errors.New("damaged")

// decodeCell reads the output of encodeCell. A different fingerprint is not an error.
func decodeCell(data []byte, key, fingerprint string) (*Cell, error) {
	of, sum, body, ok := splitCell(data)
	if !ok {
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

// splitCell returns the parts of a cell file.
func splitCell(data []byte) (fingerprint, sum string, body []byte, ok bool) {
	rest, begins := bytes.CutPrefix(data, []byte(magic))
	line, body, ends := bytes.Cut(rest, []byte("\n"))
	fingerprint, sum, ok = strings.Cut(string(line), " ")
	return fingerprint, sum, body, begins && ends && ok
}

// Present reports which of the cells with these keys, made under these fingerprints, the results
// folder dir has, and how many. It does not read them: a damaged cell counts as present.
func Present(dir string, keys, fingerprints []string) (has []bool, count int) {
	f := &Folder{dir: dir}
	has = make([]bool, len(keys))
	files := map[string]bool{}
	for _, file := range list(f.cells(), ".cell") {
		files[file] = true
	}
	for i, key := range keys {
		file := f.cellFile(key)
		has[i] = files[file] && begins(file, magic+fingerprints[i]+" ")
	}
	f.packs.look(f.packed()) // after the files, which others may be packing
	for i, key := range keys {
		_, ok := f.packs.cells[filepath.Base(f.cellFile(key))+" "+fingerprints[i]]
		if has[i] = has[i] || ok; has[i] {
			count++
		}
	}
	return has, count
}

// begins reports whether a file begins with a text.
func begins(path, text string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	start := make([]byte, len(text))
	_, err = io.ReadFull(file, start)
	return err == nil && string(start) == text
}
