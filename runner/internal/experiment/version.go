package experiment

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"sync"

	"closedform"
	"closedform/runner/internal/config"
	"closedform/runner/internal/study"
)

// SourceDigest identifies the code that makes the cells of all studies.
var SourceDigest = closedform.Digest

// Cells returns the cells, whose keys differ, and their fingerprints, which are checksums of the
// source digest and of their specs.
func (e *Experiment) Cells() (cells []study.Cell, prints []string, err error) {
	cells = e.Study.Cells()
	if len(cells) > config.MaxCells {
		return nil, nil, fmt.Errorf("%d cells; allowed: %d", len(cells), config.MaxCells)
	}
	seen := map[string]bool{}
	for _, c := range cells {
		spec, err := json.Marshal(c.Spec)
		if err != nil {
			return nil, nil, fmt.Errorf("cell %s: %w", c.Key, err)
		}
		if seen[c.Key] {
			return nil, nil, fmt.Errorf("two cells are called %s", c.Key)
		}
		seen[c.Key] = true
		prints = append(prints, Checksum([]byte(SourceDigest()), spec))
	}
	return cells, prints, nil
}

// Checksum returns the SHA-256, in hexadecimal, of all parts.
func Checksum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		h.Write(p)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Executable stands for all code of the program: a cell follows from the code that makes numbers,
// but how tables are written and drawn may be any other.
var Executable = sync.OnceValues(func() ([]byte, error) {
	path, err := os.Executable()
	if err != nil {
		return nil, err
	}
	code, err := os.ReadFile(path)
	return []byte(Checksum(code)), err
})
