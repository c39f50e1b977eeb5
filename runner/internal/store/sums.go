package store

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	sumsFile = "SHA256SUMS"
	runFile  = "run.json"
	timing   = "timing" // begins the names of files that hold times
)

// Timed reports whether a file holds times, by its name: it differs on every run,
// has no sum, and is never compared.
func Timed(name string) bool { return strings.HasPrefix(name, timing) }

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

// parseSums reads what format wrote. With an error, which is that of the first
// bad line, it returns the good lines.
func parseSums(data []byte) (checksums, error) {
	s := checksums{}
	var first error
	n := 0
	for line := range strings.Lines(string(data)) {
		n++
		sum, name, err := parseSum(strings.TrimSuffix(line, "\n"))
		if _, twice := s[name]; twice && err == nil {
			err = fmt.Errorf("%s is listed twice", name)
		}
		if err == nil {
			s[name] = sum
		} else if first == nil {
			first = fmt.Errorf("%s:%d: %w", sumsFile, n, err)
		}
	}
	return s, first
}

func parseSum(line string) (sum, name string, err error) {
	sum, name, ok := strings.Cut(line, "  ")
	if raw, err := hex.DecodeString(sum); !ok || err != nil || len(raw) != sha256.Size {
		return "", "", errors.New("want a SHA-256 sum, two spaces and a file name")
	}
	if name == sumsFile || name == runFile { // in a seal
		return sum, name, nil
	}
	return sum, name, checkName(name)
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

// checkName returns an error if name is not one that a published file may have:
// letters, digits and "._+=-", not beginning with a dot or a dash, and not one
// that the folder itself needs.
func checkName(name string) error {
	bad := name == "" || name[0] == '.' || name[0] == '-' || strings.ContainsFunc(name, func(r rune) bool { return !plain(r) })
	switch {
	case bad:
		return fmt.Errorf("file name %q: want letters, digits and ._+=-, no dot or dash first", name)
	case name == sumsFile || name == runFile || name == "cells":
		return fmt.Errorf("file name %q is taken", name)
	}
	return nil
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
