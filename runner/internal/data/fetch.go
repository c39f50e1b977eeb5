package data

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// Fetch gets the data sets with these names, or all for AllSets, into the folder of
// the file of sets, and writes a line for each file to log. A file that is there with
// the right sum is left alone; another one is replaced. A file that the folder mirror
// has is taken from there and nowhere else, so that a damaged mirror is noticed; all
// others are downloaded. An empty mirror is none.
//
// Files appear whole or not at all. What fails does not stop the rest; the error has
// a line for each place that failed. Only the end of ctx stops all.
func Fetch(ctx context.Context, setsFile string, names []string, mirror string, log io.Writer) error {
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
	pause  time.Duration // before a download is tried again
}

func (f *fetcher) fetch(ctx context.Context, setsFile string, names []string, log io.Writer) error {
	sets, err := readSets(setsFile, names...)
	if err != nil {
		return err
	}
	if f.mirror != "" {
		if _, err := os.ReadDir(f.mirror); err != nil {
			return fmt.Errorf("mirror: %w", err)
		}
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
			if ctx.Err() != nil {
				return failed
			}
		}
	}
	return failed
}

// file gets one file, unless it is there, and says what was done.
func (f *fetcher) file(ctx context.Context, file *setFile, path string) (what string, err error) {
	if data, err := os.ReadFile(path); err == nil && file.check(data) == nil {
		return "there already", nil
	}
	data, from, err := f.get(ctx, file)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return "", err
	}
	err = renameio.WriteFile(path, data, 0o666, renameio.WithTempDir(filepath.Dir(path)))
	return fmt.Sprintf("%d bytes from %s", len(data), from), err
}

// get returns a file that has been checked, and where it is from.
func (f *fetcher) get(ctx context.Context, file *setFile) (data []byte, from string, err error) {
	if f.mirror != "" {
		from = filepath.Join(f.mirror, filepath.FromSlash(file.Path))
		data, err = os.ReadFile(from)
		if !errors.Is(err, fs.ErrNotExist) {
			if err = cmp.Or(err, file.check(data)); err != nil {
				err = fmt.Errorf("%s: %w", from, err)
			}
			return data, from, err
		}
	}
	var failed error
	for _, urls := range file.URLs {
		for try := 1; ; try++ {
			data, err = f.publisher(ctx, file, urls)
			if err == nil {
				return data, urls, nil
			}
			if try == maxTries || errors.Is(err, errRefused) || ctx.Err() != nil {
				break
			}
			time.Sleep(f.pause)
		}
		failed = errors.Join(failed, fmt.Errorf("%s: %w", urls, err))
	}
	return nil, "", failed
}

// publisher returns what the URLs have, converted and checked.
func (f *fetcher) publisher(ctx context.Context, file *setFile, urls string) ([]byte, error) {
	var parts [][]byte
	for url := range strings.FieldsSeq(urls) {
		part, err := f.download(ctx, url)
		if err != nil {
			return nil, err
		}
		parts = append(parts, part)
	}
	data, err := file.convert(bytes.Join(parts, []byte("\n")))
	if err == nil {
		err = file.check(data)
	}
	return data, err
}

// errRefused says that a server does not have a file, now or later.
var errRefused = errors.New("refused")

func (f *fetcher) download(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := f.client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if code := response.StatusCode; code != http.StatusOK {
		err := fmt.Errorf("status %s", response.Status)
		if code < 500 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout {
			err = fmt.Errorf("%w: %w", errRefused, err)
		}
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, maxDownload+1))
	if err == nil && len(data) > maxDownload {
		err = fmt.Errorf("%w: more than %d bytes", errRefused, maxDownload)
	}
	return data, err
}
