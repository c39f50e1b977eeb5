package checkpoint

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"strings"
)

// sealSize is the length of the checksum at the end of a file: a SHA-256 in
// hexadecimal.
const sealSize = 2 * sha256.Size

// blank is the comment of an archive whose checksum is not known yet.
var blank = "sha256:" + strings.Repeat("0", sealSize)

// sealer hands on to w what is written to it, but puts in place of the last
// sealSize bytes the checksum of all before them.
type sealer struct {
	w    io.Writer
	hash hash.Hash
	held []byte // what may be the end
}

func newSealer(w io.Writer) *sealer { return &sealer{w: w, hash: sha256.New()} }

func (s *sealer) Write(p []byte) (int, error) {
	s.held = append(s.held, p...)
	if k := len(s.held) - sealSize; k > 0 {
		s.hash.Write(s.held[:k])
		if _, err := s.w.Write(s.held[:k]); err != nil {
			return 0, err
		}
		s.held = append(s.held[:0], s.held[k:]...)
	}
	return len(p), nil
}

// Close writes the checksum.
func (s *sealer) Close() error {
	_, err := io.WriteString(s.w, hex.EncodeToString(s.hash.Sum(nil)))
	return err
}

var errAltered = errors.New("the checksum at its end does not fit: the file is truncated, altered or no checkpoint")

// checkSeal returns an error unless the size bytes of r end with the checksum of
// those before it.
func checkSeal(r io.ReaderAt, size int64) error {
	if size < sealSize {
		return errAltered
	}
	file := io.NewSectionReader(r, 0, size)
	h := sha256.New()
	if _, err := io.CopyN(h, file, size-sealSize); err != nil {
		return err
	}
	var seal [sealSize]byte
	if _, err := io.ReadFull(file, seal[:]); err != nil {
		return err
	}
	if string(seal[:]) != hex.EncodeToString(h.Sum(nil)) {
		return errAltered
	}
	return nil
}
