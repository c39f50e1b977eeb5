// Package fetch gets the data sets that the experiments use: from a folder that
// mirrors them or from their publishers, checked by their SHA-256 sums. What is
// published in another form than the experiments read, such as a table without a
// header, is converted, and the sum is that of the result: it proves the download
// and the conversion at once.
package fetch

import (
	"fmt"
	"path/filepath"
	"strings"
)

// All is the name that stands for every set.
const All = "all"

// Sets are the data sets that can be fetched, in the order of their file.
type Sets struct {
	Sets []Set `toml:"set"`

	root string // the folder that the files are put into
}

// Set is a data set.
type Set struct {
	Name    string `toml:"name"`
	Title   string `toml:"title"`
	Licence string `toml:"licence"`
	Files   []File `toml:"file"`
}

// File is a file of a set, as the experiments read it.
type File struct {
	Path   string `toml:"path"` // relative to the folder of the sets, with slashes
	Bytes  int64  `toml:"bytes"`
	SHA256 string `toml:"sha256"`

	// ContentSHA256 is the sum of the content of a gzip file. It is set where the
	// file is compressed here, because two compressors hardly ever agree.
	ContentSHA256 string `toml:"content_sha256"`

	// URLs are where this very file is published. They are tried in turn.
	URLs []string `toml:"urls"`

	// Sources are in place of URLs where it has to be converted, which makes a
	// table with this header, or the given half of an IDX data set.
	Sources []Source `toml:"source"`
	Header  string   `toml:"header"`
	IDX     string   `toml:"idx"` // images or labels
}

// Source is a published form of a file, and how it becomes that file.
type Source struct {
	Parts  []string `toml:"parts"`   // URLs of what is put together, one after another
	AtMost int64    `toml:"at_most"` // bytes that a part may have

	// Of a table, in the order in which it is done; see table.
	Skip        int          `toml:"skip"`         // lines in front of every part
	Separator   string       `toml:"separator"`    // of fields, a comma if empty; a blank stands for any number of them
	Columns     string       `toml:"columns"`      // which, counted from 1, such as "3-6,1"; all if empty
	Missing     string       `toml:"missing"`      // rows with this field are left out
	LeadingZero bool         `toml:"leading_zero"` // .5 becomes 0.5
	Corrections []Correction `toml:"correct"`

	// Of a picture made of square tiles; see cut.
	Tile      int `toml:"tile"`       // side of a tile in pixels
	ClassRows int `toml:"class_rows"` // rows of tiles that each class has

	columns []int // the indices that Columns says
}

// Correction is a cell of a converted table, counted from 1 without the header,
// that the publisher has wrong.
type Correction struct {
	Row    int    `toml:"row"`
	Column int    `toml:"column"`
	Was    string `toml:"was"`
	Is     string `toml:"is"`
}

// Names returns the names of the sets, in the order of their file.
func (s *Sets) Names() []string {
	names := make([]string, len(s.Sets))
	for i, set := range s.Sets {
		names[i] = set.Name
	}
	return names
}

// Hint returns the name of the set that the file at path belongs to, be the file
// there or not.
func (s *Sets) Hint(path string) (name string, ok bool) {
	want, err := filepath.Abs(path)
	if err != nil {
		return "", false
	}
	for _, set := range s.Sets {
		for i := range set.Files {
			if at, err := filepath.Abs(s.at(&set.Files[i])); err == nil && at == want {
				return set.Name, true
			}
		}
	}
	return "", false
}

// find returns the sets with these names, each once, or all of them.
func (s *Sets) find(names []string) ([]*Set, error) {
	var found []*Set
	seen := map[string]bool{}
	for _, name := range names {
		known := false
		for i := range s.Sets {
			set := &s.Sets[i]
			if name != set.Name && name != All {
				continue
			}
			known = true
			if !seen[set.Name] {
				seen[set.Name] = true
				found = append(found, set)
			}
		}
		if !known {
			return nil, fmt.Errorf("no data set %q; allowed: %s, or %s", name, strings.Join(s.Names(), ", "), All)
		}
	}
	return found, nil
}

// at returns the path of a file on this machine.
func (s *Sets) at(f *File) string { return filepath.Join(s.root, filepath.FromSlash(f.Path)) }
