package fetch

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
)

// largest is how many bytes a file or a part may be said to have: they are
// converted in memory.
const largest = 1 << 30

// checker finds what is wrong with the values of a file of sets.
type checker struct {
	// at returns an error with the line of a key or, where that is missing, of its
	// table, which is a path of lineIndex.
	at func(table, key, format string, args ...any) error

	names, paths map[string]bool // that are taken
}

var setName = regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`)

func (c *checker) sets(s *Sets) error {
	if len(s.Sets) == 0 {
		return c.at("", "set", "there is none; need at least one")
	}
	for i := range s.Sets {
		set, key := &s.Sets[i], fmt.Sprintf("set.%d", i)
		switch {
		case !setName.MatchString(set.Name):
			return c.at(key, "name", "%q; need lower-case letters, digits, _ and -", set.Name)
		case c.names[set.Name]:
			return c.at(key, "name", "%q is taken", set.Name)
		case set.Title == "":
			return c.at(key, "title", "missing or empty")
		case set.Licence == "":
			return c.at(key, "licence", "missing or empty")
		case len(set.Files) == 0:
			return c.at(key, "file", "there is none; need at least one")
		}
		c.names[set.Name] = true
		for j := range set.Files {
			if err := c.file(&set.Files[j], fmt.Sprintf("%s.file.%d", key, j)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) file(f *File, key string) error {
	if !filepath.IsLocal(f.Path) || f.Path != path.Clean(f.Path) || strings.Contains(f.Path, `\`) || strings.HasSuffix(f.Path, ".part") {
		return c.at(key, "path", "%q; need a path within the folder, with slashes, that does not end in .part", f.Path)
	}
	if c.paths[f.Path] {
		return c.at(key, "path", "%q is taken", f.Path)
	}
	c.paths[f.Path] = true
	switch {
	case f.Bytes < 1 || f.Bytes > largest:
		return c.at(key, "bytes", "%d; need 1 to %d", f.Bytes, largest)
	case !isSum(f.SHA256):
		return c.at(key, "sha256", "%q; need 64 digits of 0-9a-f", f.SHA256)
	case f.ContentSHA256 != "" && !isSum(f.ContentSHA256):
		return c.at(key, "content_sha256", "%q; need 64 digits of 0-9a-f", f.ContentSHA256)
	case (len(f.URLs) == 0) == (len(f.Sources) == 0):
		return c.at(key, "urls", "need either urls or [[set.file.source]]")
	case (f.Header != "") && (f.IDX != ""):
		return c.at(key, "idx", "excludes header")
	case (len(f.Sources) > 0) != (f.Header != "" || f.IDX != ""):
		return c.at(key, "header", "a file with [[set.file.source]] needs header or idx, others have none")
	case f.IDX != "" && f.IDX != "images" && f.IDX != "labels":
		return c.at(key, "idx", "%q; need images or labels", f.IDX)
	case (f.IDX != "") != (f.ContentSHA256 != ""):
		return c.at(key, "content_sha256", "files with idx have one, others do not")
	}
	for _, u := range f.URLs {
		if err := checkURL(u); err != nil {
			return c.at(key, "urls", "%v", err)
		}
	}
	for i := range f.Sources {
		if err := c.source(f, &f.Sources[i], fmt.Sprintf("%s.source.%d", key, i)); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) source(f *File, s *Source, key string) error {
	if len(s.Parts) == 0 || f.IDX != "" && len(s.Parts) > 1 {
		return c.at(key, "parts", "%d of them; need one, or more of a table", len(s.Parts))
	}
	for _, u := range s.Parts {
		if err := checkURL(u); err != nil {
			return c.at(key, "parts", "%v", err)
		}
	}
	if s.AtMost < 1 || s.AtMost > largest {
		return c.at(key, "at_most", "%d; need 1 to %d", s.AtMost, largest)
	}
	if f.IDX != "" {
		switch {
		case s.ofTable():
			return c.at(key, "parts", "a picture has tile and class_rows and no keys of a table")
		case s.Tile < 1:
			return c.at(key, "tile", "%d; need at least 1", s.Tile)
		case s.ClassRows < 1:
			return c.at(key, "class_rows", "%d; need at least 1", s.ClassRows)
		}
		return nil
	}
	width := len(strings.Split(f.Header, ","))
	columns, err := parseColumns(s.Columns)
	switch {
	case s.Tile != 0 || s.ClassRows != 0:
		return c.at(key, "tile", "a table has none")
	case s.Skip < 0:
		return c.at(key, "skip", "%d; need 0 or more", s.Skip)
	case err != nil:
		return c.at(key, "columns", "%v", err)
	case s.Columns != "" && len(columns) != width:
		return c.at(key, "columns", "%d of them; need as many as in the header, %d", len(columns), width)
	}
	s.columns = columns
	for _, r := range s.Corrections {
		if r.Row < 1 || r.Column < 1 || r.Column > width || r.Was == r.Is {
			return c.at(key, "correct", "row %d, column %d, %q to %q; need a row from 1, a column from 1 to %d, and a change", r.Row, r.Column, r.Was, r.Is, width)
		}
	}
	return nil
}

// ofTable reports whether a key is set that only tables have.
func (s *Source) ofTable() bool {
	return s.Skip != 0 || s.Separator != "" || s.Columns != "" || s.Missing != "" || s.LeadingZero || len(s.Corrections) > 0
}

func isSum(s string) bool {
	raw, err := hex.DecodeString(s)
	return err == nil && len(raw) == 32 && s == strings.ToLower(s)
}

func checkURL(text string) error {
	u, err := url.Parse(text)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%q; need a URL with http or https", text)
	}
	return nil
}

// parseColumns returns the indices, from 0, of columns such as "3-6,1".
func parseColumns(text string) ([]int, error) {
	if text == "" {
		return nil, nil
	}
	bad := errors.New(strconv.Quote(text) + "; need columns from 1 to 9999 such as \"3-6,1\"")
	var columns []int
	for part := range strings.SplitSeq(text, ",") {
		first, last, isRange := strings.Cut(part, "-")
		if !isRange {
			last = first
		}
		a, err1 := strconv.Atoi(first)
		b, err2 := strconv.Atoi(last)
		if err1 != nil || err2 != nil || a < 1 || b < a || b > 9999 {
			return nil, bad
		}
		for ; a <= b; a++ {
			columns = append(columns, a-1)
		}
	}
	return columns, nil
}
