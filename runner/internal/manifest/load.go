package manifest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode/utf8"

	"github.com/BurntSushi/toml"
)

// Load reads the manifest in the file path. See Parse.
func Load(path string, studies []Study, overrides []string) (*Manifest, error) {
	src, err := readFile(path)
	if err != nil {
		// The path stands in front already, and the operation says nothing.
		if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
			err = pe.Err
		}
		return nil, fmt.Errorf("%s: %w; allowed: a readable TOML file of at most %d bytes", oneLine(path), err, maxFile)
	}
	return Parse(path, src, studies, overrides)
}

// readFile reads at most one byte more than a manifest may have.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a directory")
	case !info.Mode().IsRegular():
		// Reading a pipe or a device may never end.
		return nil, errors.New("is not a regular file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, maxFile+1))
}

// Parse reads the manifest src, which errors call file. Its study must be one
// of studies. Each override is "key=value" and replaces one value, or adds it:
//
//	model.lambda=0.4              a key of a table
//	variant.joint.lambda=slope    of the variant named joint
//	figure.1.single=true          of the first figure
//	sweep.seed=1..5               a text that is no TOML value is a string
func Parse(file string, src []byte, studies []Study, overrides []string) (*Manifest, error) {
	r := &reader{file: file}
	if len(src) > maxFile {
		return nil, r.errorf(0, "file too large; allowed: at most %d bytes", maxFile)
	}
	if !utf8.Valid(src) {
		return nil, r.errorf(invalidLine(src), "not UTF-8; allowed: a TOML file")
	}
	// Before the decoder, because its memory grows with the product of the
	// lengths and the number of nested keys: the index bounds them.
	ix := indexLines(string(src))
	if ix.limit != "" {
		return nil, r.errorf(ix.line, "%s", ix.limit)
	}
	root := map[string]any{}
	if _, err := toml.Decode(string(src), &root); err != nil {
		if pe := (toml.ParseError{}); errors.As(err, &pe) {
			return nil, r.errorf(syntaxLine(string(src), pe.Position), "TOML syntax: %s", limited(strings.TrimSuffix(pe.Message, "."), 160))
		}
		return nil, r.errorf(0, "TOML: %v", err)
	}
	r.places = ix.places
	for _, o := range overrides {
		if err := r.override(root, o); err != nil {
			return nil, err
		}
	}

	m := &Manifest{}
	t := r.table(value{r: r, v: root})
	m.fields(newReader(t, studies))
	if m.Seeds == nil {
		m.Seeds = []int{m.Seed}
	}
	r.unknown()
	if len(r.problems) == 0 {
		m.section().check(t, m)
	}
	if len(r.problems) > 0 {
		return nil, r.first()
	}
	m.Overrides = append(m.Overrides, overrides...)
	if len(m.Overrides) > maxOverrides {
		return nil, r.errorf(0, "overrides: %d of them; allowed: at most %d", len(m.Overrides), maxOverrides)
	}
	// What Resolved writes must be a manifest again.
	if n := len(m.Resolved()); n > maxFile {
		return nil, r.errorf(0, "%d bytes with every key spelled out; allowed: at most %d", n, maxFile)
	}
	return m, nil
}

// bom is the byte order mark that some editors put in front. The decoder and
// the index of lines ignore it.
const bom = "\ufeff"

// syntaxLine returns the line of p in src. It counts, because p.Line is one too
// many where a line end is at fault; p.Start can be -1 at the end of src.
func syntaxLine(src string, p toml.Position) int {
	src = strings.TrimPrefix(src, bom)
	return 1 + strings.Count(src[:min(max(0, p.Start), len(src))], "\n")
}

// invalidLine returns the line of the first byte of src that is not UTF-8.
func invalidLine(src []byte) int {
	line := 1
	for len(src) > 0 {
		c, n := utf8.DecodeRune(src)
		if c == utf8.RuneError && n == 1 {
			break
		}
		if c == '\n' {
			line++
		}
		src = src[n:]
	}
	return line
}
