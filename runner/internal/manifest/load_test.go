package manifest

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestLoadErrors(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(name, text string) {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir("folder.toml", 0o700); err != nil {
		t.Fatal(err)
	}
	write("empty.toml", "")
	write("junk.toml", "\x7fELF\x02\x01\x01\x00\x00\xfe\xed")
	write("zeros.toml", strings.Repeat("\x00", 100))
	write("large.toml", strings.Repeat("#\n", maxFile/2)+"\n")
	write("a\nb.toml", "seed = ")
	write("full.toml", small+strings.Repeat("#", maxFile-len(small)))

	const allowed = "; allowed: a readable TOML file of at most 262144 bytes"
	for _, c := range []struct{ path, want string }{
		{"none.toml", "none.toml: no such file or directory" + allowed},
		{"empty.toml/x.toml", "empty.toml/x.toml: not a directory" + allowed},
		{"folder.toml", "folder.toml: is a directory" + allowed},
		{os.DevNull, os.DevNull + ": is not a regular file" + allowed},
		{"empty.toml", "empty.toml: name: missing; allowed: a name of 1 to 64 characters a-z, 0-9, _, -"},
		{"junk.toml", "junk.toml:1: not UTF-8; allowed: a TOML file"},
		{"zeros.toml", "zeros.toml:1: TOML syntax: files cannot contain NULL bytes; probably using UTF-16; TOML files must be UTF-8"},
		{"large.toml", "large.toml: file too large; allowed: at most 262144 bytes"},
		{"a\nb.toml", `a\nb.toml:1: TOML syntax: unexpected EOF; expected value`},
		{"full.toml", "<nil>"},
	} {
		_, err := Load(c.path, studies, nil)
		if got := fmt.Sprint(err); got != c.want {
			t.Errorf("%q\ngot  %s\nwant %s", c.path, got, c.want)
		}
	}
	if _, err := Load("none.toml", studies, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
}

// A manifest that is within the limit, but not with every key spelled out,
// could not be read from the results folder again.
func TestResolvedTooLarge(t *testing.T) {
	var seeds strings.Builder
	for s := 10001; s < 90000; s += 2 {
		fmt.Fprintf(&seeds, "%d,", s)
	}
	src := small + "[sweep]\nseed = [3," + seeds.String() + "]\n"
	if len(src) > maxFile {
		t.Fatalf("%d bytes", len(src))
	}
	_, err := Parse("x.toml", []byte(src), studies, nil)
	want := " bytes with every key spelled out; allowed: at most 262144"
	if got := fmt.Sprint(err); !strings.HasPrefix(got, "x.toml: 28") || !strings.HasSuffix(got, want) {
		t.Errorf("got %s, want 28…%s", got, want)
	}
}

func TestFind(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, p := range []string{"experiments/a.toml", "experiments/b_2.toml", "experiments/notes.txt", "b_2", "a/x.toml"} {
		if err := os.MkdirAll(filepath.Dir(p), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.MkdirAll("experiments/d.toml", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir("none", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, dir, want string }{
		{"a", "experiments", "experiments/a.toml"}, // a is a folder here
		{"a.toml", "experiments", "experiments/a.toml"},
		{"b_2", "experiments", "b_2"}, // a path that exists comes first
		{"b_2.toml", "experiments", "experiments/b_2.toml"},
		{"./experiments/a.toml", "none", "./experiments/a.toml"},
		{"c", "experiments", `no manifest "c"; allowed: the path of a file, or in experiments: a, b_2`},
		{"d", "experiments", `no manifest "d"; allowed: the path of a file, or in experiments: a, b_2`},
		{"../a", "experiments", `no manifest "../a"; allowed: the path of a file, or in experiments: a, b_2`},
		{"", "experiments", `no manifest ""; allowed: the path of a file, or in experiments: a, b_2`},
		{"a\nb", "experiments", `no manifest "a\nb"; allowed: the path of a file, or in experiments: a, b_2`},
		{"c", "none", `no manifest "c": there is none in none`},
		{"c", "nowhere", `no manifest "c": manifests: open nowhere: no such file or directory`},
	} {
		got, err := Find(c.name, c.dir)
		if err != nil {
			got = err.Error()
		}
		if filepath.ToSlash(got) != c.want {
			t.Errorf("%q in %s\ngot  %s\nwant %s", c.name, c.dir, got, c.want)
		}
	}
}
