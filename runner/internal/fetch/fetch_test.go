package fetch

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestWrongContent(t *testing.T) {
	content, other, root := noise(1000), make([]byte, 1000), t.TempDir()
	bad, good := publish(t, other), publish(t, content)
	path := filepath.Join(root, "a")
	_, err := fetchFiles(t.Context(), root, "", plain("a", content, bad.URL))
	want := "s: " + path + ": " + bad.URL + ": wrong SHA-256: found " + sumOf(other) + ", need " + sumOf(content)
	if err == nil || err.Error() != want {
		t.Errorf("error %v, want %s", err, want)
	}
	holds(t, root)
	if len(bad.ranges) != 1 {
		t.Errorf("%d requests; a complete download with a wrong sum is final", len(bad.ranges))
	}
	// Where it also breaks off it may have been put together wrongly, which is tried
	// once more and not for ever.
	bad.ranges, bad.breaks = nil, []int{500, 1e6, 500, 1e6, 500, 1e6}
	_, err = fetchFiles(t.Context(), root, "", plain("a", content, bad.URL))
	fails(t, err, "wrong SHA-256")
	if want := []string{"", "bytes=500-", "", "bytes=500-"}; !slices.Equal(bad.ranges, want) {
		t.Errorf("asked for %q, want %q", bad.ranges, want)
	}
	// The next URL is tried.
	stdout, err := fetchFiles(t.Context(), root, "", plain("a", content, bad.URL, good.URL))
	if err != nil || !strings.HasSuffix(stdout, " from "+good.URL+"\n") {
		t.Errorf("with another URL: %q, %v", stdout, err)
	}
	holds(t, root, "a", string(content))
}

// TestWrongFile has a damaged file in place: it stays until there is a better one.
func TestWrongFile(t *testing.T) {
	content, root := noise(1000), t.TempDir()
	p := publish(t, content)
	for what, damaged := range map[string][]byte{"changed": make([]byte, 1000), "cut off": content[:999], "too long": append(noise(1000), 0)} {
		write(t, damaged, root, "a")
		path := filepath.Join(root, "a")
		stdout, err := fetchFiles(t.Context(), root, "", plain("a", content, p.URL+"/%zz"))
		if err == nil {
			t.Errorf("%s: no error", what)
		}
		if want := "s: " + path + ": to be replaced: wrong SHA-256: "; !strings.HasPrefix(stdout, want) || !strings.HasSuffix(stdout, "\ns: "+path+": failed\n") {
			t.Errorf("%s: it says %q, want %q", what, stdout, want)
		}
		if long := "wrong SHA-256: more bytes than expected: need 1000\n"; strings.Contains(stdout, long) != (len(damaged) > 1000) {
			t.Errorf("%s: it says %q", what, stdout)
		}
		holds(t, root, "a", string(damaged))
		if _, err := fetchFiles(t.Context(), root, "", plain("a", content, p.URL)); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		holds(t, root, "a", string(content))
	}
}

func TestOthersGoOn(t *testing.T) {
	content, root := noise(1000), t.TempDir()
	p := publish(t, content)
	write(t, nil, root, "file")
	_, err := fetchFiles(t.Context(), root, "",
		plain("a", []byte("A"), p.URL+"/a", p.URL+"/b"), plain("file/b", content, p.URL), plain("c", content, p.URL))
	fails(t, err)
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 3 {
		t.Fatalf("error %q, want 3 lines", err)
	}
	for i, want := range []string{"a: " + p.URL + "/a: ", "a: " + p.URL + "/b: ", filepath.Join("file", "b") + ": "} {
		if !strings.HasPrefix(lines[i], "s: "+filepath.Join(root, want[:1])) || !strings.Contains(lines[i], want) {
			t.Errorf("line %d is %q, want %q in it", i, lines[i], want)
		}
	}
	holds(t, root, "c", string(content), "file", "")
}

func TestMirror(t *testing.T) {
	content, other, mirror := noise(1000), make([]byte, 1000), t.TempDir()
	p := publish(t, other)
	write(t, content, mirror, "sub", "a")
	write(t, content, mirror, "damaged")
	root := t.TempDir()
	stdout, err := fetchFiles(t.Context(), root, mirror, plain("sub/a", content, p.URL), plain("damaged", other, p.URL), plain("lacking", other, p.URL))
	fails(t, err, filepath.Join(mirror, "damaged")+": wrong SHA-256: found "+sumOf(content)+", need "+sumOf(other))
	for _, want := range []string{
		filepath.Join(root, "sub", "a") + ": 1000 bytes from " + filepath.Join(mirror, "sub", "a") + "\n",
		filepath.Join(root, "damaged") + ": failed\n",
		filepath.Join(root, "lacking") + ": 1000 bytes from " + p.URL + "\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("it says %q, want %q in it", stdout, want)
		}
	}
	holds(t, root, "sub/a", string(content), "lacking", string(other))
	if len(p.ranges) != 1 {
		t.Errorf("%d downloads, want that of the file that the mirror lacks", len(p.ranges))
	}

	for _, bad := range []string{filepath.Join(mirror, "none"), filepath.Join(mirror, "damaged")} {
		_, err = fetchFiles(t.Context(), root, bad, plain("b", content, p.URL))
		fails(t, err, "mirror: ", bad)
	}
}

func TestNames(t *testing.T) {
	mirror, root := t.TempDir(), t.TempDir()
	s := &Sets{root: root}
	for _, name := range []string{"a", "b", "c"} {
		write(t, []byte(name), mirror, name)
		s.Sets = append(s.Sets, Set{Name: name, Files: []File{plain(name, []byte(name), "http://never.invalid")}})
	}
	var out bytes.Buffer
	if err := s.Fetch(t.Context(), &out, []string{"b", "a", "b"}, mirror); err != nil {
		t.Fatal(err)
	}
	holds(t, root, "a", "a", "b", "b")
	if n := strings.Count(out.String(), "\n"); n != 2 || !strings.HasPrefix(out.String(), "b: ") {
		t.Errorf("it says %q", &out)
	}
	if err := s.Fetch(t.Context(), &out, []string{All}, mirror); err != nil {
		t.Fatal(err)
	}
	holds(t, root, "a", "a", "b", "b", "c", "c")
	err := s.Fetch(t.Context(), &out, []string{"a", "d"}, mirror)
	fails(t, err, `no data set "d"; allowed: a, b, c, or all`)
}

func TestContentSum(t *testing.T) {
	content := bytes.Repeat(noise(100), 50)
	best := gzipOf(t, content, gzip.BestCompression)
	file := plain("a", best)
	file.ContentSHA256 = sumOf(content)
	root := t.TempDir()
	for what, c := range map[string]struct {
		data []byte
		ok   bool
	}{
		"the same bytes":        {best, true},
		"of another compressor": {gzipOf(t, content, gzip.BestSpeed), true},
		"much too long":         {gzipOf(t, content, gzip.NoCompression), false},
		"of other content":      {gzipOf(t, content[1:], gzip.BestCompression), false},
		"cut off":               {best[:len(best)-1], false},
		"not gzip":              {content[:100], false},
	} {
		write(t, c.data, root, "a")
		_, err := file.read(filepath.Join(root, "a"))
		if (err == nil) != c.ok {
			t.Errorf("%s: %v", what, err)
		}
		if !c.ok {
			fails(t, err, "wrong SHA-256")
		}
	}
	if _, err := file.read(filepath.Join(root, "b")); !os.IsNotExist(err) {
		t.Errorf("a file that is not there: %v", err)
	}
}

// TestParts converts a table of two parts, the second of which is not to be had at
// first; the first is not downloaded again.
func TestParts(t *testing.T) {
	root := t.TempDir()
	first, second := publish(t, []byte("1 2\n")), publish(t, []byte("3 4\n"))
	file := File{Path: "a.csv", Bytes: 12, SHA256: sumOf([]byte("a,b\n1,2\n3,4\n")), Header: "a,b"}
	file.Sources = []Source{{Parts: []string{first.URL, second.URL + "/%zz"}, AtMost: 100, Separator: " "}}
	_, err := fetchFiles(t.Context(), root, "", file)
	fails(t, err, second.URL)
	file.Sources[0].Parts[1] = second.URL
	if _, err := fetchFiles(t.Context(), root, "", file); err != nil {
		t.Fatal(err)
	}
	holds(t, root, "a.csv", "a,b\n1,2\n3,4\n")
	if want := []string{"", "bytes=4-"}; !slices.Equal(first.ranges, want) { // the answer is that there are no more
		t.Errorf("of the first part were asked for %q, want %q", first.ranges, want)
	}
	// Of two parts the first is damaged.
	file.Path = "again.csv"
	write(t, []byte("5"), partPath(filepath.Join(root, file.Path), first.URL))
	if _, err := fetchFiles(t.Context(), root, "", file); err != nil {
		t.Fatal(err)
	}
	// A part in another form than the sums were made of is not resumed for ever.
	file.Path, first.content = "b.csv", []byte("1 2 3\n")
	_, err = fetchFiles(t.Context(), root, "", file)
	fails(t, err, first.URL+" and "+second.URL+": part 1, line 1: 3 fields, need 2")
	if _, err := os.Stat(filepath.Join(root, "b.csv")); err == nil {
		t.Error("there is a file of wrong content")
	}
}
