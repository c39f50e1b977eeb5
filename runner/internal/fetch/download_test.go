package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func TestDownload(t *testing.T) {
	content, root := noise(200_000), t.TempDir()
	p := publish(t, content)
	file := plain("sub/a.gz", content, p.URL)
	stdout, err := fetchFiles(t.Context(), root, "", file)
	if err != nil {
		t.Fatal(err)
	}
	prefix := "s: " + filepath.Join(root, "sub", "a.gz") + ": "
	if want := prefix + "200000 bytes from " + p.URL + "\n"; stdout != want {
		t.Errorf("it says %q, want %q", stdout, want)
	}
	holds(t, root, "sub/a.gz", string(content))
	// What is there is not asked for again.
	stdout, err = fetchFiles(t.Context(), root, "", file)
	if want := prefix + "there already\n"; err != nil || stdout != want {
		t.Errorf("again: %q, %v, want %q", stdout, err, want)
	}
	if len(p.ranges) != 1 {
		t.Errorf("%d requests, want 1", len(p.ranges))
	}
}

// TestBrokenOff lets connections break off, with a server that can resume, which
// must serve every byte once, and one that cannot.
func TestBrokenOff(t *testing.T) {
	content := noise(200_000)
	for _, c := range []struct {
		name     string
		noRanges bool
		ranges   []string
		served   int
	}{
		{"ranges", false, []string{"", "bytes=50000-", "bytes=80000-"}, 200_000},
		{"none", true, []string{"", "bytes=50000-", "bytes=30000-"}, 280_000},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			p := publish(t, content)
			p.noRanges, p.breaks = c.noRanges, []int{50_000, 30_000}
			if _, err := fetchFiles(t.Context(), root, "", plain("a", content, p.URL)); err != nil {
				t.Fatal(err)
			}
			holds(t, root, "a", string(content))
			if !slices.Equal(p.ranges, c.ranges) || p.served != c.served {
				t.Errorf("asked for %q, %d bytes served; want %q, %d bytes", p.ranges, p.served, c.ranges, c.served)
			}
		})
	}
}

func TestGivesUp(t *testing.T) {
	content, root := noise(1000), t.TempDir()
	p := publish(t, content)
	p.breaks = []int{100, 100, 100, 100, 100}
	file := plain("a", content, p.URL)
	_, err := fetchFiles(t.Context(), root, "", file)
	fails(t, err, "s: "+filepath.Join(root, "a")+": "+p.URL+": unexpected EOF")
	part := filepath.Base(partPath("a", p.URL))
	holds(t, root, part, string(content[:400])) // four tries
	p.breaks = nil
	if _, err := fetchFiles(t.Context(), root, "", file); err != nil {
		t.Fatal(err)
	}
	holds(t, root, "a", string(content))
	if p.served != 1000 {
		t.Errorf("%d bytes served", p.served)
	}
}

// TestPart begins with a file of an earlier download.
func TestPart(t *testing.T) {
	content := noise(1000)
	for _, c := range []struct {
		name   string
		part   []byte
		ranges []string
	}{
		{"complete", content, nil},
		{"empty", nil, []string{""}},
		{"too long", noise(1001), []string{""}},
		{"half", content[:500], []string{"bytes=500-"}},
		// What was published has changed, or a part was damaged.
		{"of other content", make([]byte, 400), []string{"bytes=400-", ""}},
		{"complete and wrong", make([]byte, 1000), []string{""}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := t.TempDir()
			p := publish(t, content)
			write(t, c.part, partPath(filepath.Join(root, "a"), p.URL))
			write(t, []byte("old"), partPath(filepath.Join(root, "a"), "http://another"))
			if _, err := fetchFiles(t.Context(), root, "", plain("a", content, p.URL)); err != nil {
				t.Fatal(err)
			}
			holds(t, root, "a", string(content))
			if !slices.Equal(p.ranges, c.ranges) {
				t.Errorf("asked for %q, want %q", p.ranges, c.ranges)
			}
		})
	}
}

// TestRangeRefused resumes where the length is not known beforehand and the part
// may be complete, with answers that do not fit the request.
func TestRangeRefused(t *testing.T) {
	const header = "a,b"
	raw := "1,2\n3,4\n"
	file := File{Path: "a.csv", Bytes: 12, SHA256: sumOf([]byte("a,b\n1,2\n3,4\n")), Header: header}
	for _, c := range []struct {
		name     string
		status   int
		contents string // range that is answered
		requests int
	}{
		{"complete", http.StatusRequestedRangeNotSatisfiable, "bytes */8", 1},
		{"no length", http.StatusRequestedRangeNotSatisfiable, "", 2},
		{"shorter now", http.StatusRequestedRangeNotSatisfiable, "bytes */4", 2},
		{"another range", http.StatusPartialContent, "bytes 1-7/8", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			root, requests := t.TempDir(), 0
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests++
				if r.Header.Get("Range") == "" {
					fmt.Fprint(w, raw)
					return
				}
				w.Header().Set("Content-Range", c.contents)
				w.WriteHeader(c.status)
			}))
			defer server.Close()
			file.Sources = []Source{{Parts: []string{server.URL}, AtMost: 100}}
			write(t, []byte(raw), partPath(filepath.Join(root, "a.csv"), server.URL))
			if _, err := fetchFiles(t.Context(), root, "", file); err != nil {
				t.Fatal(err)
			}
			holds(t, root, "a.csv", "a,b\n1,2\n3,4\n")
			if requests != c.requests {
				t.Errorf("%d requests, want %d", requests, c.requests)
			}
		})
	}
}

func TestTooLong(t *testing.T) {
	content := noise(100_000)
	short := plain("a", content[:60_000])
	t.Run("told", func(t *testing.T) {
		root := t.TempDir()
		p := publish(t, content)
		short.URLs = []string{p.URL}
		_, err := fetchFiles(t.Context(), root, "", short)
		fails(t, err, p.URL+": more bytes than expected: 100000, need at most 60000")
		holds(t, root)
	})
	for _, writes := range []int{1, 1 << 40} { // one byte too many, and no end
		t.Run(fmt.Sprint("not told ", writes), func(t *testing.T) {
			root := t.TempDir()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Write(content[:60_000])
				http.NewResponseController(w).Flush() // so that no length is told
				for n := 0; n < writes && r.Context().Err() == nil; n++ {
					w.Write([]byte{0})
				}
			}))
			defer server.Close()
			short.URLs = []string{server.URL}
			_, err := fetchFiles(t.Context(), root, "", short)
			fails(t, err, server.URL+": more bytes than expected: need at most 60000")
			holds(t, root)
		})
	}
}

func TestStatus(t *testing.T) {
	for status, requests := range map[int]int{404: 1, 403: 1, 206: 1, 304: 1, 500: 4, 503: 4, 429: 4} {
		root, n := t.TempDir(), 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			n++
			w.WriteHeader(status)
		}))
		_, err := fetchFiles(t.Context(), root, "", plain("a", noise(10), server.URL))
		server.Close()
		fails(t, err, fmt.Sprintf("%s: status %d %s", server.URL, status, http.StatusText(status)))
		if n != requests {
			t.Errorf("status %d: %d requests, want %d", status, n, requests)
		}
		holds(t, root)
	}
}

func TestNoServer(t *testing.T) {
	server := httptest.NewServer(nil)
	server.Close()
	_, err := fetchFiles(t.Context(), t.TempDir(), "", plain("a", noise(10), server.URL))
	fails(t, err, server.URL+": dial tcp")
	if strings.Contains(err.Error(), "Get ") {
		t.Errorf("error %q names the URL twice", err)
	}
}

// slow sends half of its content and then nothing until the client has gone.
func slow(t *testing.T, content []byte, sent chan<- struct{}) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Length", fmt.Sprint(len(content)))
		w.Write(content[:len(content)/2])
		http.NewResponseController(w).Flush()
		sent <- struct{}{}
		<-r.Context().Done()
	}))
	t.Cleanup(server.Close)
	return server
}

func TestInterrupted(t *testing.T) {
	content, root, sent := noise(100_000), t.TempDir(), make(chan struct{}, 9)
	server := slow(t, content, sent)
	ctx, cancel := context.WithCancel(t.Context())
	part := partPath(filepath.Join(root, "a"), server.URL)
	go func() {
		<-sent
		for n, _ := size(part); n < 50_000; n, _ = size(part) {
			time.Sleep(time.Millisecond)
		}
		cancel()
	}()
	_, err := fetchFiles(ctx, root, "", plain("a", content, server.URL, "http://never.invalid"), plain("b", content, server.URL))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	fails(t, err, "s: "+filepath.Join(root, "a")+": interrupted; the same command goes on where it was: ")
	holds(t, root, filepath.Base(part), string(content[:50_000]))
	if len(sent) > 0 {
		t.Error("more was asked for after the interruption")
	}
	cancel()
	_, err = fetchFiles(ctx, root, "", plain("a", content, server.URL))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted before it begins: error %v", err)
	}
}

func TestStalled(t *testing.T) {
	content, sent := noise(100_000), make(chan struct{}, 9)
	server := slow(t, content, sent)
	c := newClient()
	c.stall, c.tries = 50*time.Millisecond, 2
	c.pause = time.Millisecond
	part := filepath.Join(t.TempDir(), "part")
	_, err := c.download(t.Context(), server.URL, part, 100_000)
	fails(t, err, "nothing came for 50ms")
	if errors.Is(err, context.Canceled) {
		t.Error("it counts as an interruption")
	}
	if len(sent) != 2 {
		t.Errorf("%d tries, want 2", len(sent))
	}
	if n, err := size(part); err != nil || n != 50_000 {
		t.Errorf("%d bytes are left, %v", n, err)
	}
}
