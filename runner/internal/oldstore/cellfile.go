package store

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// A cell file is a gzip file of two members. The first is empty and carries
// the label in the comment of its header, so that a glance at the first bytes
// tells whose cell this is; the second is the cell as JSON. gunzip(1) reads
// the file as if it were the JSON alone.

// labelFormat is how a label is spelled: fingerprint, size, sum. The number is
// the version of the format.
const labelFormat = "cell/1 %s %d %x"

// label says what a cell file holds.
type label struct {
	fingerprint string
	size        int64    // of the body, in bytes
	sum         [32]byte // SHA-256 of the body
}

// encodeLabel panics if the fingerprint cannot stand in a label.
func encodeLabel(w io.Writer, l label) {
	for _, c := range []byte(l.fingerprint) {
		if c <= ' ' || c > '~' {
			panic(fmt.Sprintf("store: fingerprint %q is not printable ASCII without spaces", l.fingerprint))
		}
	}
	if n := len(l.fingerprint); n == 0 || n > 256 {
		panic(fmt.Sprintf("store: fingerprint of %d bytes, want 1 to 256", n))
	}
	z := gzip.NewWriter(w)
	z.Comment = fmt.Sprintf(labelFormat, l.fingerprint, l.size, l.sum)
	z.Close() // fails only if w does, and w is a buffer
}

// decodeLabel returns the label at the start of a cell file and the rest.
func decodeLabel(data []byte) (l label, rest []byte, err error) {
	r := bytes.NewReader(data)
	z, err := gzip.NewReader(r)
	if err != nil {
		return l, nil, fmt.Errorf("%w: %w", errDamaged, err)
	}
	z.Multistream(false)
	// Reading to the end of the empty member moves r to the start of the next.
	if n, err := z.Read(make([]byte, 1)); n != 0 || err != io.EOF {
		return l, nil, fmt.Errorf("%w: no label", errDamaged)
	}
	var sum []byte
	_, err = fmt.Sscanf(z.Comment, labelFormat, &l.fingerprint, &l.size, &sum)
	if err != nil || len(sum) != len(l.sum) {
		return l, nil, fmt.Errorf("%w: not a label of this format", errDamaged)
	}
	copy(l.sum[:], sum)
	return l, data[len(data)-r.Len():], nil
}

func encodeBody(c *Cell) ([]byte, error) {
	// JSON would quietly replace bytes that are not UTF-8, and a rerun that
	// loads the cell would publish other tables than the run that made it.
	for _, t := range c.Tables {
		for _, row := range append([][]string{{t.Name}, t.Header}, t.Rows...) {
			for _, s := range row {
				if !utf8.ValidString(s) {
					return nil, fmt.Errorf("table %q: %q is not UTF-8", t.Name, s)
				}
			}
		}
	}
	var buf bytes.Buffer
	z, err := gzip.NewWriterLevel(&buf, gzip.BestSpeed)
	if err != nil {
		return nil, err
	}
	if err := json.NewEncoder(z).Encode(c); err != nil {
		return nil, err
	}
	if err := z.Close(); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}

func decodeBody(body []byte) (*Cell, error) {
	z, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(z)
	var c Cell
	if err := d.Decode(&c); err != nil {
		return nil, err
	}
	// Only reading to the end compares gzip's own checksum.
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("more than one cell: %w", err)
	}
	return &c, nil
}
