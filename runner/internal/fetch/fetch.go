package fetch

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/google/renameio/v2"
)

// Fetch gets the sets with these names, or all for All, and writes a line for each
// file to w. A file that is there with the right sum is left alone; with another
// one it is replaced. A file that the folder mirror has is taken from there and
// nowhere else, so that a damaged mirror is noticed; all others are downloaded. An
// empty mirror is none.
//
// Files appear whole or not at all. A download that is interrupted leaves a file
// NAME.….part beside the place of its file, and the next call goes on with it. What
// fails does not stop the rest; the error has a line for each file that failed. Only
// the end of ctx stops all.
func (s *Sets) Fetch(ctx context.Context, w io.Writer, names []string, mirror string) error {
	f := &fetcher{sets: s, mirror: mirror, client: newClient(), out: w}
	return f.fetch(ctx, names)
}

type fetcher struct {
	sets   *Sets
	mirror string
	client *client
	out    io.Writer
}

func (f *fetcher) fetch(ctx context.Context, names []string) error {
	sets, err := f.sets.find(names)
	if err != nil {
		return err
	}
	if f.mirror != "" {
		if info, err := os.Stat(f.mirror); err != nil {
			return fmt.Errorf("mirror: %w", err)
		} else if !info.IsDir() {
			return fmt.Errorf("mirror: %s is not a folder", f.mirror)
		}
	}
	var failed error
	for _, set := range sets {
		for i := range set.Files {
			file := &set.Files[i]
			prefix := fmt.Sprintf("%s: %s", set.Name, f.sets.at(file))
			err := f.file(ctx, prefix, file)
			if ctx.Err() != nil {
				return errors.Join(failed, fmt.Errorf("%s: interrupted; the same command goes on where it was: %w", prefix, ctx.Err()))
			}
			if err != nil {
				failed = errors.Join(failed, err)
				fmt.Fprintf(f.out, "%s: failed\n", prefix)
			}
		}
	}
	return failed
}

// file gets one file. Lines of output and of the error begin with prefix.
func (f *fetcher) file(ctx context.Context, prefix string, file *File) error {
	path := f.sets.at(file)
	_, err := file.read(path)
	switch {
	case err == nil:
		removeParts(path)
		fmt.Fprintf(f.out, "%s: there already\n", prefix)
		return nil
	case errors.Is(err, errSum):
		fmt.Fprintf(f.out, "%s: to be replaced: %v\n", prefix, err)
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("%s: %w", prefix, err)
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return fmt.Errorf("%s: %w", prefix, err)
	}
	data, from, errs := f.get(ctx, file, path)
	if errs != nil {
		var failed error
		for _, err := range errs {
			failed = errors.Join(failed, fmt.Errorf("%s: %w", prefix, err))
		}
		return failed
	}
	if err := renameio.WriteFile(path, data, 0o666, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("%s: %w", prefix, err)
	}
	removeParts(path)
	fmt.Fprintf(f.out, "%s: %d bytes from %s\n", prefix, len(data), from)
	return nil
}

// get returns a verified file and where it is from, or what is wrong with each of
// the places that were tried.
func (f *fetcher) get(ctx context.Context, file *File, path string) (data []byte, from string, failed []error) {
	if f.mirror != "" {
		from := filepath.Join(f.mirror, filepath.FromSlash(file.Path))
		data, err := file.read(from)
		if err == nil {
			return data, from, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, "", []error{fmt.Errorf("%s: %w", from, err)}
		}
	}
	sources := file.Sources
	for _, url := range file.URLs {
		sources = append(sources, Source{Parts: []string{url}, AtMost: file.Bytes})
	}
	for i := range sources {
		data, err := f.publisher(ctx, file, &sources[i], path)
		if err == nil {
			return data, sources[i].Parts[0], nil
		}
		failed = append(failed, err)
	}
	return nil, "", failed
}

// publisher returns a file from one of its sources. Where what was downloaded is
// not right and some of it is from an earlier connection, it begins again, once.
func (f *fetcher) publisher(ctx context.Context, file *File, source *Source, path string) ([]byte, error) {
	for first := true; ; first = false {
		parts := make([][]byte, len(source.Parts))
		anyResumed := false
		for i, url := range source.Parts {
			part := partPath(path, url)
			resumed, err := f.client.download(ctx, url, part, source.AtMost)
			if err == nil {
				parts[i], err = readAtMost(part, source.AtMost)
			}
			if err != nil {
				return nil, fmt.Errorf("%s: %w", url, err)
			}
			anyResumed = anyResumed || resumed
		}
		data, err := file.convert(source, parts)
		if err == nil {
			err = file.check(data)
		}
		if err == nil {
			return data, nil
		}
		for _, url := range source.Parts {
			if err := os.Remove(partPath(path, url)); err != nil {
				return nil, err
			}
		}
		if !anyResumed || !first {
			return nil, fmt.Errorf("%s: %w", strings.Join(source.Parts, " and "), err)
		}
	}
}

// partPath returns where a download for the file at path is kept until it is
// complete. Another URL may have other bytes, and so has a file of its own.
func partPath(path, url string) string {
	sum := sha256.Sum256([]byte(url))
	return fmt.Sprintf("%s.%x.part", path, sum[:4])
}

// removeParts removes what is left of downloads from any URL. What cannot be
// removed does no harm.
func removeParts(path string) {
	parts, _ := filepath.Glob(path + ".*.part")
	for _, part := range parts {
		os.Remove(part)
	}
}
