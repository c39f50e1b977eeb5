package fetch

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/runner/internal/config"
)

// File is the file, in the folder of the data, that lists the data sets with the checksums and
// addresses of their files.
const File = "sets.toml"

// All is the name for all sets.
const All = "all"

type dataSet struct {
	Name  string    `toml:"name"`
	Files []setFile `toml:"file"`
}

// setFile is a file of a set, as the experiments read it.
type setFile struct {
	Path string   `toml:"path"` // relative to the folder of the data, with slashes
	URLs []string `toml:"urls"` // tried in turn; where one is several, with blanks between, these are put together

	Convert string `toml:"convert"` // how what is published becomes this file, see convert
	Header  string `toml:"header"`  // of a table

	SHA256        string `toml:"sha256"`
	ContentSHA256 string `toml:"content_sha256"` // in its place, of what is compressed, where that is done here: compressors differ
}

// readSets reads a file of sets, and returns those with these names, or all.
func readSets(file string, names ...string) ([]dataSet, error) {
	var all struct {
		Sets []dataSet `toml:"set"`
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if err := config.CheckDepth(text); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	md, err := toml.Decode(string(text), &all)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	if unknown := md.Undecoded(); len(unknown) > 0 {
		return nil, fmt.Errorf("%s: %s: unknown key", file, unknown[0])
	}
	known := []string{All}
	for _, s := range all.Sets {
		known = append(known, s.Name)
		for _, f := range s.Files {
			if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
				return nil, fmt.Errorf("%s: set %s: path = %q; allowed: a path below the folder of the data",
					file, s.Name, f.Path)
			}
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no data set %q; allowed: %s", name, strings.Join(known, ", "))
		}
	}
	return slices.DeleteFunc(all.Sets, func(s dataSet) bool {
		return !slices.Contains(names, s.Name) && !slices.Contains(names, All)
	}), nil
}

// Missing returns an error that names the missing files and how to get
// them.
func Missing(paths ...string) error {
	paths = slices.Compact(slices.Sorted(slices.Values(paths)))
	paths = slices.DeleteFunc(paths, func(path string) bool {
		_, err := os.Stat(path)
		return err == nil
	})
	if len(paths) == 0 {
		return nil
	}
	hint := ""
	for _, path := range paths {
		if get := " " + setOf(path); get != " " && !strings.Contains(hint+" ", get+" ") {
			hint += get
		}
	}
	if hint != "" {
		hint = "; to get the data: go run ./runner fetch" + hint
	}
	return fmt.Errorf("no file %s%s", strings.Join(paths, ", "), hint)
}

// setOf returns the name of the set that the file at path belongs to, by the file of
// sets in its folder or in that above, or "".
func setOf(path string) string {
	for _, folder := range []string{filepath.Dir(path), filepath.Dir(filepath.Dir(path))} {
		all, _ := readSets(filepath.Join(folder, File), All) // need not be there
		for _, s := range all {
			for _, f := range s.Files {
				if filepath.Join(folder, filepath.FromSlash(f.Path)) == filepath.Clean(path) {
					return s.Name
				}
			}
		}
	}
	return ""
}

// check compares the sum of the data with that of the file.
func (f *setFile) check(data []byte) error {
	want := f.SHA256
	if f.ContentSHA256 != "" {
		want = f.ContentSHA256
		z, err := gzip.NewReader(bytes.NewReader(data))
		if err == nil {
			data, err = io.ReadAll(io.LimitReader(z, maxDownload))
		}
		if err != nil {
			return fmt.Errorf("wrong content: %w", err)
		}
	}
	if found := fmt.Sprintf("%x", sha256.Sum256(data)); found != want {
		return fmt.Errorf("wrong SHA-256: found %s, need %s", found, want)
	}
	return nil
}
