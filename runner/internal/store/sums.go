package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	sumsFile = "SHA256SUMS"
	runFile  = "run.json"
)

// Timed reports whether a file holds times, or draws them, by its name. Such a file differs whenever times are
// measured, has no checksum and is never compared.
func Timed(name string) bool { return strings.HasPrefix(name, "timing") }

// checksums maps file names to SHA-256 sums in hexadecimal.
type checksums map[string]string

// format returns the sums as sha256sum(1) writes and checks them, in the
// order of the names.
func (s checksums) format() []byte {
	var buf bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(s)) {
		fmt.Fprintf(&buf, "%s  %s\n", s[name], name)
	}
	return buf.Bytes()
}

const nameChars = `A-Za-z0-9_+=` // of a file; a dot or a dash, too, but not first

var (
	nameLine = regexp.MustCompile(`^[` + nameChars + `][` + nameChars + `.-]*$`)
	sumLine  = regexp.MustCompile(`^([0-9a-f]{64})  ([` + nameChars + `][` + nameChars + `.-]*)\n$`)
)

// parseSums reads what format wrote. With an error, which is that of the last bad
// line, it returns the good lines.
func parseSums(data []byte) (checksums, error) {
	s := checksums{}
	var bad error
	for line := range strings.Lines(string(data)) {
		m := sumLine.FindStringSubmatch(line)
		if m == nil || s[m[2]] != "" {
			bad = fmt.Errorf("%s: bad line %q", sumsFile, line)
			continue
		}
		s[m[2]] = m[1]
	}
	return s, bad
}

func readSums(dir string) (checksums, error) {
	data, err := os.ReadFile(filepath.Join(dir, sumsFile))
	if err != nil {
		return nil, err
	}
	s, err := parseSums(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return s, nil
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
