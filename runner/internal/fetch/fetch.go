// Package fetch gets the files of the data sets that experiments use, from a mirror or from
// their publishers, and checks their checksums. Results depend on the files only, so no study
// imports this package.
package fetch

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/BurntSushi/toml"

	"closedform/runner/internal/config"
	"closedform/runner/internal/store"
)

// Sets gets the data sets with these names, or all for All, into the folder of the
// file of sets, and writes a line for each file to log. It keeps a file with the
// right checksum. A file that the folder mirror has, if mirror is not "", is taken only from
// there, so a damaged mirror is an error; others are downloaded.
// Files are written atomically. A failure does not stop the others; the error has a
// line for each.
func Sets(ctx context.Context, setsFile string, names []string, mirror string, log io.Writer) error {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true // sums are those of the file itself
	f := fetcher{mirror, &http.Client{Transport: transport, Timeout: 5 * time.Minute}, 2 * time.Second}
	return f.fetch(ctx, setsFile, names, log)
}

const (
	maxDownload = 64 << 20 // bytes
	maxTries    = 3        // of a download
)

type fetcher struct {
	mirror string
	client *http.Client
	pause  time.Duration // before a download is tried again, and twice it before the third time
}

func (f *fetcher) fetch(ctx context.Context, setsFile string, names []string, log io.Writer) error {
	sets, err := readSets(setsFile, names...)
	if err != nil {
		return err
	}
	if _, err := os.ReadDir(cmp.Or(f.mirror, ".")); err != nil {
		return fmt.Errorf("mirror: %w", err)
	}
	var failed error
	for _, s := range sets {
		for _, file := range s.Files {
			path := filepath.Join(filepath.Dir(setsFile), filepath.FromSlash(file.Path))
			what, err := f.file(ctx, &file, path)
			if err != nil {
				failed = errors.Join(failed, fmt.Errorf("%s: %s: %w", s.Name, path, err))
				what = "failed"
			}
			fmt.Fprintf(log, "%s: %s: %s\n", s.Name, path, what)
		}
	}
	return cmp.Or(ctx.Err(), failed)
}

// file gets one file, unless it is there, and says what was done.
func (f *fetcher) file(ctx context.Context, file *setFile, path string) (what string, err error) {
	if data, err := os.ReadFile(path); err == nil && file.check(data) == nil {
		return "there already", nil
	}
	from := filepath.Join(f.mirror, filepath.FromSlash(file.Path))
	data, err := os.ReadFile(from)
	if f.mirror == "" || errors.Is(err, fs.ErrNotExist) {
		data, from, err = f.download(ctx, file)
	} else if err = cmp.Or(err, file.check(data)); err != nil {
		err = fmt.Errorf("%s: %w", from, err)
	}
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o777)
	}
	if err != nil {
		return "", err
	}
	return fmt.Sprintf("%d bytes from %s", len(data), from), store.WriteFile(path, data)
}

// download returns a file that has been checked, and where it is from.
func (f *fetcher) download(ctx context.Context, file *setFile) (data []byte, from string, err error) {
	var failed error
	for _, urls := range file.URLs {
		for try := 0; try < maxTries && ctx.Err() == nil; try++ {
			time.Sleep(time.Duration(try) * f.pause)
			if data, err = f.publisher(ctx, file, urls); err == nil {
				return data, urls, nil
			}
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %w", urls, err))
	}
	return nil, "", failed
}

// publisher returns what the URLs have, converted and checked.
func (f *fetcher) publisher(ctx context.Context, file *setFile, urls string) ([]byte, error) {
	var parts [][]byte
	for url := range strings.FieldsSeq(urls) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return nil, err
		}
		response, err := f.client.Do(request)
		if err != nil {
			return nil, err
		}
		part, err := io.ReadAll(io.LimitReader(response.Body, maxDownload))
		response.Body.Close()
		if response.StatusCode != http.StatusOK {
			err = fmt.Errorf("status %s", response.Status)
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	data, err := file.convert(bytes.Join(parts, []byte("\n")))
	return data, cmp.Or(err, file.check(data))
}

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

// Missing returns an error that names the missing ones of the files, and how to get those
// of data sets.
func Missing(setsFile string, paths ...string) error {
	all, _ := readSets(setsFile, All) // need not be there
	var missing, names []string
	for _, path := range slices.Compact(slices.Sorted(slices.Values(paths))) {
		if _, err := os.Stat(path); err == nil {
			continue
		}
		missing = append(missing, path)
		for _, s := range all {
			has := func(f setFile) bool {
				return filepath.Join(filepath.Dir(setsFile), filepath.FromSlash(f.Path)) == filepath.Clean(path)
			}
			if slices.ContainsFunc(s.Files, has) && !slices.Contains(names, s.Name) {
				names = append(names, s.Name)
			}
		}
	}
	switch {
	case missing == nil:
		return nil
	case names == nil:
		return fmt.Errorf("no file %s", strings.Join(missing, ", "))
	}
	return fmt.Errorf("no file %s; to get the data: go run ./runner fetch %s", strings.Join(missing, ", "), strings.Join(names, " "))
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
