package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// publisher serves one file.
type publisher struct {
	*httptest.Server
	content  []byte
	noRanges bool
	breaks   []int // bytes after which the connections break off, in turn

	mu     sync.Mutex
	ranges []string // that were asked for, in turn; empty for all
	served int      // bytes
}

func publish(t testing.TB, content []byte) *publisher {
	t.Helper()
	p := &publisher{content: content}
	p.Server = httptest.NewServer(p)
	t.Cleanup(p.Close)
	return p
}

func (p *publisher) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ranges = append(p.ranges, r.Header.Get("Range"))
	if p.noRanges {
		r.Header.Del("Range")
	}
	counted := &counter{ResponseWriter: w, served: &p.served, limit: -1}
	if len(p.breaks) > 0 {
		counted.limit, p.breaks = p.breaks[0], p.breaks[1:]
	}
	http.ServeContent(counted, r, "", time.Time{}, bytes.NewReader(p.content))
}

// counter counts what is written, and breaks the connection off at its limit.
type counter struct {
	http.ResponseWriter
	served *int
	limit  int // none if negative
}

func (c *counter) Write(p []byte) (int, error) {
	if c.limit >= 0 && len(p) >= c.limit {
		c.ResponseWriter.Write(p[:c.limit])
		*c.served += c.limit
		http.NewResponseController(c.ResponseWriter).Flush()
		panic(http.ErrAbortHandler)
	}
	if c.limit >= 0 {
		c.limit -= len(p)
	}
	*c.served += len(p)
	return c.ResponseWriter.Write(p)
}

// noise returns n bytes that are the same in every call.
func noise(n int) []byte {
	src := rand.NewChaCha8([32]byte{1})
	b := make([]byte, n)
	src.Read(b)
	return b
}

func sumOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

func gzipOf(t testing.TB, data []byte, level int) []byte {
	t.Helper()
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, level)
	if err != nil {
		t.Fatal(err)
	}
	z.Write(data)
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// plain returns a file that is published as it is.
func plain(path string, content []byte, urls ...string) File {
	return File{Path: path, Bytes: int64(len(content)), SHA256: sumOf(content), URLs: urls}
}

// fetchFiles fetches the set "s" of these files into the folder root.
func fetchFiles(ctx context.Context, root, mirror string, files ...File) (stdout string, err error) {
	sets := &Sets{root: root, Sets: []Set{{Name: "s", Files: files}}}
	var out bytes.Buffer
	c := newClient()
	c.stall, c.pause = 5*time.Second, time.Millisecond
	f := &fetcher{sets: sets, mirror: mirror, client: c, out: &out}
	err = f.fetch(ctx, []string{"s"})
	return out.String(), err
}

// holds checks that a folder has these files, given as path and content, and no
// others.
func holds(t testing.TB, root string, pathContent ...string) {
	t.Helper()
	want := map[string]string{}
	for i := 0; i < len(pathContent); i += 2 {
		want[pathContent[i]] = pathContent[i+1]
	}
	err := filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if text, ok := want[name]; !ok {
			t.Errorf("there is %s of %d bytes", name, len(data))
		} else if text != string(data) {
			t.Errorf("%s has other bytes", name)
		}
		delete(want, name)
		return nil
	})
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	for name := range want {
		t.Errorf("%s is not there", name)
	}
}

func write(t testing.TB, data []byte, path ...string) {
	t.Helper()
	file := filepath.Join(path...)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// fails checks that an error has all of these in it.
func fails(t testing.TB, err error, want ...any) {
	t.Helper()
	if err == nil {
		t.Error("no error")
		return
	}
	for _, w := range want {
		if text := fmt.Sprint(w); !strings.Contains(err.Error(), text) {
			t.Errorf("error %q, want %q in it", err, text)
		}
	}
}
