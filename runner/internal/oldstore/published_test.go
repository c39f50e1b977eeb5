package store

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpenPublished(t *testing.T) {
	f := openTemp(t)
	if _, err := OpenPublished(f.dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was published: %v", err)
	}
	publish(t, f, "i", File{"a.csv", []byte("a\n1\n")}, File{"b.csv", []byte("b\n")}, File{"c.csv", []byte("c\n")})
	p, err := OpenPublished(f.dir)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(p.Sums()), read(t, f.dir, "SHA256SUMS"); got != want {
		t.Errorf("sums %q, want %q", got, want)
	}
	if data, err := p.Read("a.csv"); err != nil || string(data) != "a\n1\n" {
		t.Errorf("a.csv is %q, %v", data, err)
	}
	overwrite(t, "b\n2\n", f.dir, "b.csv")
	if err := os.Remove(filepath.Join(f.dir, "c.csv")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{
		"b.csv": "b.csv: its checksum is not that of SHA256SUMS", "c.csv": "no such file",
		"d.csv": "d.csv: SHA256SUMS does not list it", "run.json": "does not list it", "../a.csv": "does not list it",
	} {
		if data, err := p.Read(name); err == nil || !strings.Contains(err.Error(), want) || data != nil {
			t.Errorf("%s is %q, error %v, want %s", name, data, err, want)
		}
	}
	overwrite(t, "<<<<<<<\n", f.dir, "SHA256SUMS")
	if _, err := OpenPublished(f.dir); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("sums that cannot be read: %v", err)
	}
}
