package store

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// cellsFile has digests of the cells of the published results, so that a sample of them
// can be checked in a clone, which has no cells:
//
//	tables c0ffee0123456789
//	short 0123456789abcdef 01234567 joint seed=1
//	code d0de… (64 digits)
//	0123456789abcdef 89abcdef joint seed=1
//	fedcba9876543210 89abcdef total seed=1
//
// "tables" and "short" have the digests of the tables and of the cells of the short form of
// the experiment, if it has one; a line with a code version comes before the cells that this
// version computed or adopted. The line of
// a cell has digests of its content and of its spec, and its key.
const cellsFile = "cells.sums"

// CellSum has the digests of the content and of the spec of a cell.
type CellSum struct{ Key, Code, Spec, Digest string }

// CellSums is the content of cells.sums.
type CellSums struct {
	Tables string    // digest of the tables of the short form; empty: there is none
	Short  []CellSum // its cells, without versions
	Cells  []CellSum
}

// ShortDigest returns the digits of a SHA-256 sum of content that cells.sums keeps.
func ShortDigest(sum string) string { return sum[:16] }

// ShortSpec returns the digits of a SHA-256 sum of a spec that cells.sums keeps.
func ShortSpec(sum string) string { return sum[:8] }

func (s *CellSums) format() []byte {
	var b strings.Builder
	if s.Tables != "" {
		fmt.Fprintf(&b, "tables %s\n", s.Tables)
	}
	for _, c := range s.Short {
		fmt.Fprintf(&b, "short %s %s %s\n", c.Digest, c.Spec, c.Key)
	}
	code := ""
	for _, c := range s.Cells {
		if c.Code != code {
			code = c.Code
			fmt.Fprintf(&b, "code %s\n", code)
		}
		fmt.Fprintf(&b, "%s %s %s\n", c.Digest, c.Spec, c.Key)
	}
	return []byte(b.String())
}

var (
	codeLine = regexp.MustCompile(`^(?:tables ([0-9a-f]{16})|code ([0-9a-f]+))$`)
	cellLine = regexp.MustCompile(`^(short )?([0-9a-f]{16}) ([0-9a-f]{8}) (.+)$`)
)

// ReadCellSums reads cells.sums of a results folder.
func ReadCellSums(dir string) (*CellSums, error) {
	path := filepath.Join(dir, cellsFile)
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	s, code := new(CellSums), "" // version of the lines that follow
	for i, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
		of, cell := codeLine.FindStringSubmatch(line), cellLine.FindStringSubmatch(line)
		switch {
		case of != nil && of[1] != "":
			s.Tables = of[1]
		case of != nil:
			code = of[2]
		case cell != nil && cell[1] != "":
			s.Short = append(s.Short, CellSum{Key: cell[4], Spec: cell[3], Digest: cell[2]})
		case cell != nil && code != "":
			s.Cells = append(s.Cells, CellSum{Key: cell[4], Spec: cell[3], Digest: cell[2], Code: code})
		case len(text) > 0:
			return nil, fmt.Errorf("%s:%d: bad line %q", path, i+1, line)
		}
	}
	return s, nil
}
