package store

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	sumsFile   = "SHA256SUMS"
	runFile    = "run.json"
	readmeFile = "README.md"
)

// ofRun are the published files without a checksum. All but SHA256SUMS itself tell of the run.
var ofRun = []string{sumsFile, runFile, readmeFile}

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

// readSums reads the sums of a results folder. With an error that is ErrDamaged, of the last bad line, it
// returns the good lines.
func readSums(dir string) (checksums, error) {
	data, err := os.ReadFile(filepath.Join(dir, sumsFile))
	s := checksums{}
	for line := range strings.Lines(string(data)) {
		m := sumLine.FindStringSubmatch(line)
		if m == nil || s[m[2]] != "" {
			err = fmt.Errorf("%s: %s: %w: bad line %q", dir, sumsFile, ErrDamaged, line)
			continue
		}
		s[m[2]] = m[1]
	}
	return s, err
}

// differing returns the names of the files in a folder that do not match their sums, sorted.
func (s checksums) differing(dir string) (names []string) {
	for _, name := range slices.Sorted(maps.Keys(s)) {
		data, err := os.ReadFile(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			names = append(names, name+" (lost)")
		case err != nil || sumOf(data) != s[name]:
			names = append(names, name)
		}
	}
	return names
}

func sumOf(data []byte) string { return fmt.Sprintf("%x", sha256.Sum256(data)) }
