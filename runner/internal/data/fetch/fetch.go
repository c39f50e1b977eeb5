// Package fetch gets the files of the experiments' data sets from a mirror or their publishers, and verifies
// checksums. Results depend on the files only, so no study imports this package.
package fetch

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"image/png"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"closedform/runner/dataset"
	"closedform/runner/internal/store"
)

// Get gets the named data sets, or all of them for [All], into the folder of setsFile, and writes a line for
// each file to log. A file with the right checksum is kept. A file that the mirror has, unless mirror is "",
// is taken only from there, so that a damaged mirror is an error; others are downloaded. Files are written
// atomically. A failure does not stop the others; the error has a line for each.
func Get(ctx context.Context, setsFile string, names []string, mirror string, log io.Writer) error {
	files, err := readSets(setsFile, names...)
	if err != nil {
		return err
	}
	if _, err := os.ReadDir(cmp.Or(mirror, ".")); err != nil {
		return fmt.Errorf("mirror: %w", err)
	}
	var failed error
	for _, file := range files {
		what, err := file.get(ctx, mirror)
		if err != nil {
			failed = errors.Join(failed, fmt.Errorf("%s: %s: %w", file.set, file.path, err))
			what = "failed"
		}
		fmt.Fprintf(log, "%s: %s: %s\n", file.set, file.path, what)
	}
	return cmp.Or(ctx.Err(), failed)
}

func (f setFile) get(ctx context.Context, mirror string) (what string, err error) {
	if data, err := os.ReadFile(f.path); err == nil && f.check(data) == nil {
		return "there already", nil
	}
	from := filepath.Join(mirror, filepath.FromSlash(f.Path))
	data, err := os.ReadFile(from)
	if mirror == "" || errors.Is(err, fs.ErrNotExist) {
		data, from, err = f.download(ctx)
	} else if err = cmp.Or(err, f.check(data)); err != nil {
		err = fmt.Errorf("%s: %w", from, err)
	}
	if err = cmp.Or(err, os.MkdirAll(filepath.Dir(f.path), 0o777)); err == nil {
		err = store.WriteFile(f.path, data)
	}
	return fmt.Sprintf("%d bytes from %s", len(data), from), err
}

func (f setFile) download(ctx context.Context) (data []byte, from string, failed error) {
	for _, from := range f.URLs {
		data, err := published(ctx, from)
		if err == nil {
			data, err = f.convert(data)
		}
		if err = cmp.Or(err, f.check(data)); err == nil {
			return data, from, nil
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %w", from, err))
	}
	return nil, "", failed
}

// published downloads a file, or its parts from several addresses.
func published(ctx context.Context, urls string) (text []byte, err error) {
	for i, url := range strings.Fields(urls) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		request.Header.Set("Accept-Encoding", "identity") // the checksum is that of the file as stored
		response, err := (&http.Client{Timeout: 5 * time.Minute}).Do(request)
		if err != nil {
			return nil, err
		}
		defer response.Body.Close()
		part, err := io.ReadAll(io.LimitReader(response.Body, 64<<20))
		if response.StatusCode != http.StatusOK {
			err = fmt.Errorf("status %s", response.Status)
		}
		if err != nil {
			return nil, err
		}
		text = append(text, strings.Repeat("\n", min(i, 1))+string(part)...)
	}
	return text, nil
}

const (
	File = "sets.toml" // file in the folder of the data that lists the files of all sets
	All  = "all"       // stands for all sets
)

// setFile is a file of a data set.
type setFile struct {
	Path    string   // path relative to the folder of the data, with slashes; a file .gz is packed if need be
	SHA256  string   // checksum of the unpacked file, because compressors differ
	URLs    []string // addresses that are tried in turn; an address with blanks names parts of the file
	Header  string   // header line of a table, whose published cells are separated by commas, tabs or blanks
	Replace []string // patterns of published lines, each followed by its replacement
	Fashion string   // images or labels: what to cut out of a picture

	set, path string // name of the set, and path from the working directory
}

// readSets returns the files of the named sets, which must exist.
func readSets(file string, names ...string) (files []setFile, err error) {
	var sets struct {
		Set []struct {
			Name string
			File []setFile
		}
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	md, err := toml.Decode(string(text), &sets)
	if unknown := md.Undecoded(); err == nil && len(unknown) > 0 {
		err = fmt.Errorf("%s: unknown key", unknown[0])
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	known := []string{All}
	for _, s := range sets.Set {
		known = append(known, s.Name)
		for _, f := range s.File {
			if !filepath.IsLocal(filepath.FromSlash(f.Path)) {
				return nil, fmt.Errorf("%s: set %s: path = %q; allowed: a path below the folder of the data",
					file, s.Name, f.Path)
			}
			if slices.Contains(names, s.Name) || slices.Contains(names, All) {
				f.set, f.path = s.Name, filepath.Join(filepath.Dir(file), filepath.FromSlash(f.Path))
				files = append(files, f)
			}
		}
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return nil, fmt.Errorf("no data set %q; allowed: %s", name, strings.Join(known, ", "))
		}
	}
	return files, nil
}

// Missing returns an error that names the missing files, and the command line that gets those that belong to
// data sets: get, followed by the sets.
func Missing(setsFile, get string, paths ...string) error {
	known, _ := readSets(setsFile, All) // the file need not exist
	var missing, sets []string
	for _, path := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		if _, err := os.Stat(path); err == nil {
			continue
		}
		missing = append(missing, path)
		for _, f := range known {
			if f.path == filepath.Clean(path) && !slices.Contains(sets, f.set) {
				sets = append(sets, f.set)
			}
		}
	}
	if missing == nil {
		return nil
	}
	text := "no file " + strings.Join(missing, ", ")
	if sets != nil {
		text += "; to get the data: " + get + " " + strings.Join(sets, " ")
	}
	return errors.New(text)
}

func (f setFile) check(data []byte) error {
	content := sha256.New()
	r, err := dataset.Unpack(bytes.NewReader(data))
	if err == nil {
		_, err = io.Copy(content, r)
	}
	if found := fmt.Sprintf("%x", content.Sum(nil)); err == nil && found != f.SHA256 {
		err = fmt.Errorf("wrong SHA-256: found %s, need %s", found, f.SHA256)
	}
	return err
}

func (f setFile) convert(published []byte) ([]byte, error) {
	switch {
	case f.Fashion != "":
		return fashion(published, f.Fashion == "images")
	case f.Header == "" && strings.HasSuffix(f.Path, ".gz") && !bytes.HasPrefix(published, []byte("\x1f\x8b")):
		return store.Pack(published), nil
	case f.Header == "":
		return published, nil
	}
	var table strings.Builder
	for line := range strings.Lines(string(published)) {
		cells := strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune(", \t\r\n", r) })
		if len(cells) > 0 {
			table.WriteString(strings.Join(cells, ",") + "\n")
		}
	}
	text := table.String()
	for pair := range slices.Chunk(f.Replace, 2) {
		pattern, err := regexp.Compile("(?m)" + pair[0])
		if err != nil {
			return nil, err
		}
		text = pattern.ReplaceAllString(text, pair[len(pair)-1])
	}
	return []byte(f.Header + "\n" + text), nil
}

// fashion cuts the images, or their labels, from the picture in the publisher's documentation, square tiles,
// row by row, three rows per class, into a gzip file in the IDX format.
func fashion(picture []byte, images bool) ([]byte, error) {
	const tile, tiles, classRows = 28, 30, 3
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		return nil, fmt.Errorf("PNG: %w", err)
	}
	header, pixels := []uint32{0x801, tiles * tiles}, 1
	if images {
		header, pixels = []uint32{0x803, tiles * tiles, tile, tile}, tile*tile
	}
	out, _ := binary.Append(nil, binary.BigEndian, header) // no error: its size is fixed
	for i := range tiles * tiles * pixels {
		t, pixel := i/pixels, i%pixels
		value := byte(t / tiles / classRows)
		if images {
			grey, _, _, _ := img.At(t%tiles*tile+pixel%tile, t/tiles*tile+pixel/tile).RGBA()
			value = byte(grey >> 8)
		}
		out = append(out, value)
	}
	return store.Pack(out), nil
}
