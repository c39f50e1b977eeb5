package checktest

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Write writes a file, and the folders that it needs, and returns its path: that of the elements, or of a
// manifest in a new folder if there are none.
func Write(t testing.TB, text string, elements ...string) string {
	t.Helper()
	if len(elements) == 0 {
		elements = []string{t.TempDir(), "m.toml"}
	}
	path := filepath.Join(elements...)
	OK(t, os.MkdirAll(filepath.Dir(path), 0o777))
	OK(t, os.WriteFile(path, []byte(text), 0o666))
	return path
}

// Read returns the text of a file.
func Read(elements ...string) string {
	return string(Must(os.ReadFile(filepath.Join(elements...))))
}

// Exists reports whether there is a file, a folder, or a link, be it to nothing.
func Exists(elements ...string) bool {
	_, err := os.Lstat(filepath.Join(elements...))
	return err == nil
}

// Remove removes a file or a folder with all that is in it, if it is there.
func Remove(t testing.TB, elements ...string) {
	t.Helper()
	OK(t, os.RemoveAll(filepath.Join(elements...)))
}

// Glob returns the paths that match a pattern.
func Glob(elements ...string) []string {
	return Must(filepath.Glob(filepath.Join(elements...)))
}

// Gzip returns a packed text.
func Gzip(text string) string {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	Must(w.Write([]byte(text)))
	if err := w.Close(); err != nil {
		panic(err)
	}
	return packed.String()
}

// Begins fails unless the text begins as wanted.
func Begins(t testing.TB, got, want string) {
	t.Helper()
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want it to begin %q", got, want)
	}
}

// Contains fails unless all parts are in the text, in any order.
func Contains(t testing.TB, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("got %q, want %q in it", text, part)
		}
	}
}

// InOrder fails unless each part is in the text at the beginning of the one before it, or after that.
func InOrder(t testing.TB, text string, parts ...string) {
	t.Helper()
	rest := text
	for _, part := range parts {
		i := strings.Index(rest, part)
		if i < 0 {
			t.Fatalf("%q is not there, or too early, in\n%s", part, text)
		}
		rest = rest[i:]
	}
}
