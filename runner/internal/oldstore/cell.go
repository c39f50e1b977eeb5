package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Cell is what one cell of an experiment left behind.
type Cell struct {
	Key         string  // names the cell within its experiment
	Fingerprint string  // stands for all that its tables follow from
	Tables      []Table // its part of the experiment's tables
	Seconds     float64 // time it took
}

// LoadCell returns the cell of this key if it was made under this
// fingerprint, and whether it did. Whenever it did not, the cell must be
// computed; the error, if there is one, says what is wrong with the file that
// is there (it is damaged, it cannot be read) and is no more than a warning.
func (f *Folder) LoadCell(key, fingerprint string) (*Cell, bool, error) {
	data, err := os.ReadFile(f.cellFile(key))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("cell %s: %w", key, err)
	}
	c, err := decodeCell(data, key, fingerprint)
	if errors.Is(err, errOtherFingerprint) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("cell %s: %s: %w", key, f.cellFile(key), err)
	}
	return c, true, nil
}

// HasCell reports whether a cell of this key, made under this fingerprint, is
// there in full length. It reads no more than the first bytes of the file:
// that the rest is undamaged only LoadCell can tell.
func (f *Folder) HasCell(key, fingerprint string) bool {
	file, err := os.Open(f.cellFile(key))
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return false
	}
	start := make([]byte, 1024)
	n, err := io.ReadFull(file, start)
	if err != nil && !errors.Is(err, io.ErrUnexpectedEOF) {
		return false
	}
	label, body, err := decodeLabel(start[:n])
	labelSize := n - len(body)
	return err == nil && label.fingerprint == fingerprint && info.Size() == int64(labelSize)+label.size
}

// SaveCell writes the cell, in place of any other of its key.
func (f *Folder) SaveCell(c *Cell) error {
	data, err := encodeCell(c)
	if err != nil {
		return fmt.Errorf("cell %s: %w", c.Key, err)
	}
	if err := f.write(f.cellFile(c.Key), data); err != nil {
		return fmt.Errorf("cell %s: %w", c.Key, err)
	}
	return nil
}

// cellFile returns the path of the cell's file: its key, as far as file
// systems allow, and a hash that tells apart keys which then look alike.
func (f *Folder) cellFile(key string) string {
	readable := strings.Map(func(r rune) rune {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9', strings.ContainsRune("._=+-", r):
			return r
		}
		return '_'
	}, key)
	if len(readable) > 80 {
		readable = readable[:80]
	}
	hash := sha256.Sum256([]byte(key))
	return filepath.Join(f.cells(), readable+"-"+hex.EncodeToString(hash[:6])+".json.gz")
}

var (
	errDamaged          = errors.New("damaged")
	errOtherFingerprint = errors.New("made under another fingerprint")
)

// decodeCell reads back what encodeCell wrote.
func decodeCell(data []byte, key, fingerprint string) (*Cell, error) {
	label, body, err := decodeLabel(data)
	if err != nil {
		return nil, err
	}
	if label.fingerprint != fingerprint {
		return nil, errOtherFingerprint
	}
	if sha256.Sum256(body) != label.sum {
		return nil, fmt.Errorf("%w: wrong checksum", errDamaged)
	}
	c, err := decodeBody(body)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	if c.Key != key || c.Fingerprint != fingerprint {
		return nil, fmt.Errorf("%w: it holds cell %q", errDamaged, c.Key)
	}
	return c, nil
}

// encodeCell returns the bytes of a cell file: the label, then the body.
func encodeCell(c *Cell) ([]byte, error) {
	body, err := encodeBody(c)
	if err != nil {
		return nil, err
	}
	var buf bytes.Buffer
	encodeLabel(&buf, label{c.Fingerprint, int64(len(body)), sha256.Sum256(body)})
	buf.Write(body)
	return buf.Bytes(), nil
}
