package fetch

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
)

// errSum says that a file is not the one that is wanted.
var errSum = errors.New("wrong SHA-256")

// read returns the file at path, verified. The error is errSum if there is another
// file.
func (f *File) read(path string) ([]byte, error) {
	limit := f.Bytes
	if f.ContentSHA256 != "" {
		limit += f.Bytes + 1<<10 // another compressor may do worse
	}
	data, err := readAtMost(path, limit)
	if errors.Is(err, errTooLong) {
		return nil, fmt.Errorf("%w: %w: need %d", errSum, err, f.Bytes)
	}
	if err != nil {
		return nil, err
	}
	return data, f.check(data)
}

// check compares the sum of data, or of its content where it is compressed by
// anyone.
func (f *File) check(data []byte) error {
	found := sha256.Sum256(data)
	sum := hex.EncodeToString(found[:])
	if sum == f.SHA256 {
		return nil
	}
	if f.ContentSHA256 == "" {
		return fmt.Errorf("%w: found %s, need %s", errSum, sum, f.SHA256)
	}
	h := sha256.New()
	z, err := gzip.NewReader(bytes.NewReader(data))
	if err == nil {
		_, err = io.Copy(h, z)
	}
	if err != nil {
		return fmt.Errorf("%w: found %s, need %s, or gzip of other bytes and the same content: %w", errSum, sum, f.SHA256, err)
	}
	if content := hex.EncodeToString(h.Sum(nil)); content != f.ContentSHA256 {
		return fmt.Errorf("%w: found %s, of its content %s; need %s, or of its content %s", errSum, sum, content, f.SHA256, f.ContentSHA256)
	}
	return nil
}

// readAtMost reads a file that must not have more than limit bytes.
func readAtMost(path string, limit int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err != nil {
		return nil, err
	}
	if int64(len(data)) > limit {
		return nil, errTooLong
	}
	return data, nil
}
