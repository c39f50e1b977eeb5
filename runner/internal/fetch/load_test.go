package fetch

import (
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// good is a file of sets with one of each kind of file.
const good = `# The sets.
[[set]]
name    = "first"
title   = "A table"
licence = "CC0"

[[set.file]]
path   = "first.csv"
bytes  = 20
sha256 = "0000000000000000000000000000000000000000000000000000000000000001"
header = """\
  a,\
  b\
  """

  [[set.file.source]]
  parts   = ["https://one.invalid/first"]
  at_most = 30
  columns = "3,1"
  correct = [
    { row = 1, column = 2, was = "0", is = "1" },
  ]

  [[set.file.source]]
  parts     = ["https://two.invalid/1", "https://two.invalid/2"]
  at_most   = 31
  separator = " "

[[set]]
name    = "second"
title   = "Images"
licence = "CC0"

[[set.file]]
path   = "second/images.gz"
bytes  = 40
sha256 = "0000000000000000000000000000000000000000000000000000000000000002"
urls   = ["http://three.invalid/images"]

[[set.file]]
path           = "second/labels.gz"
bytes          = 50
sha256         = "0000000000000000000000000000000000000000000000000000000000000003"
content_sha256 = "0000000000000000000000000000000000000000000000000000000000000004"
idx            = "labels"

  [[set.file.source]]
  parts      = ["https://four.invalid/picture"]
  at_most    = 60
  tile       = 28
  class_rows = 3
`

func TestParse(t *testing.T) {
	s, err := parse("sets.toml", good)
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(s.Names(), " "); got != "first second" {
		t.Errorf("sets %q", got)
	}
	first := s.Sets[0].Files[0]
	if first.Header != "a,b" || len(first.Sources) != 2 || len(first.Sources[0].columns) != 2 || first.Sources[1].AtMost != 31 {
		t.Errorf("first.csv is %+v", first)
	}
	if labels := s.Sets[1].Files[1]; labels.IDX != "labels" || labels.Sources[0].Tile != 28 || labels.Bytes != 50 {
		t.Errorf("labels are %+v", labels)
	}
}

func TestParseErrors(t *testing.T) {
	for _, c := range []struct{ from, to, want string }{
		{good, "", "0: set: there is none"},
		{"[[set]]\nname    = \"second", "[[set]\nname    = \"second", "29: TOML syntax: "},
		{`bytes  = 40`, `bytes  = "40"`, "36: bytes: incompatible types: "},
		{`at_most = 30`, `at_most = 3.5`, "18: at_most: incompatible types: "},
		{`column = 2`, `column = true`, "22: column: incompatible types: "},
		{`title   = "Images"`, `titel   = "Images"`, "31: set.titel: unknown key"},
		{`sha256 = "0000000000000000000000000000000000000000000000000000000000000002"`, `name = "x"`, "37: set.file.name: unknown key"},
		{`row = 1`, `line = 1`, "20: set.file.source.correct.line: unknown key"},
		{`name    = "first"`, `name    = "First"`, `3: name: "First"; need lower-case letters`},
		{`name    = "first"`, `name    = "all"`, `3: name: "all" is taken`},
		{`name    = "second"`, `name    = "first"`, `30: name: "first" is taken`},
		{`name    = "second"`, ``, `29: name: ""; need `},
		{`title   = "Images"`, ``, "29: title: missing or empty"},
		{`title   = "Images"` + "\nlicence = \"CC0\"", `title   = "x"`, "29: licence: missing or empty"},
		{`"second/images.gz"`, `"first.csv"`, `35: path: "first.csv" is taken`},
		{`"second/images.gz"`, `"sets.toml"`, `35: path: "sets.toml" is taken`},
		{`"second/images.gz"`, `"../images.gz"`, `35: path: "../images.gz"; need a path within the folder`},
		{`"second/images.gz"`, `"/images.gz"`, `35: path: "/images.gz"; need `},
		{`"second/images.gz"`, `"second//images.gz"`, `35: path: "second//images.gz"; need `},
		{`"second/images.gz"`, `""`, `35: path: ""; need `},
		{`"second/images.gz"`, `"images.part"`, `35: path: "images.part"; need `},
		{`bytes  = 20`, `bytes  = 0`, "9: bytes: 0; need 1 to "},
		{`bytes  = 20`, `bytes  = 9000000000`, "9: bytes: 9000000000; need 1 to "},
		{`bytes  = 20`, ``, "7: bytes: 0; need 1 to "},
		{`0002"`, `000"`, "37: sha256: "},
		{`0002"`, `000G"`, "37: sha256: "},
		{`0002"`, `000A"`, "37: sha256: "},
		{`0004"`, `04"`, "44: content_sha256: "},
		{`content_sha256 = "0000000000000000000000000000000000000000000000000000000000000004"`, ``, "40: content_sha256: files with idx have one"},
		{`urls   = ["http://three.invalid/images"]`, ``, "34: urls: need either"},
		{`idx            = "labels"`, `idx = "labels"` + "\n" + `urls = ["http://x"]`, "46: urls: need either"},
		{`"http://three.invalid/images"`, `"ftp://three.invalid/images"`, `38: urls: "ftp://three.invalid/images"; need a URL`},
		{`"http://three.invalid/images"`, `"http:///images"`, `38: urls: "http:///images"; need a URL`},
		{`"https://two.invalid/2"`, `"two.invalid"`, `25: parts: "two.invalid"; need a URL`},
		{`parts     = ["https://two.invalid/1", "https://two.invalid/2"]`, ``, "24: parts: 0 of them"},
		{`at_most   = 31`, ``, "24: at_most: 0; need 1 to "},
		{`idx            = "labels"`, ``, "40: header: a file with"},
		{`idx            = "labels"`, `idx = "label"`, `45: idx: "label"; need images or labels`},
		{`idx            = "labels"`, `header = "a"` + "\n" + `idx = "labels"`, "46: idx: excludes header"},
		{`urls   = ["http://three.invalid/images"]`, `urls = ["http://x"]` + "\n" + `header = "a"`, "39: header: a file with"},
		{`tile       = 28`, `skip = 1`, "48: parts: a picture has"},
		{`tile       = 28`, ``, "47: tile: 0; need at least 1"},
		{`class_rows = 3`, ``, "47: class_rows: 0; need at least 1"},
		{`["https://four.invalid/picture"]`, `["https://a", "https://b"]`, "48: parts: 2 of them"},
		{`separator = " "`, `tile = 3`, "27: tile: a table has none"},
		{`separator = " "`, `skip = -1`, "27: skip: -1; need 0 or more"},
		{`columns = "3,1"`, `columns = "1-3"`, "19: columns: 3 of them; need as many as in the header, 2"},
		{`columns = "3,1"`, `columns = "3;1"`, `19: columns: "3;1"; need columns from 1 to 9999`},
		{`row = 1`, `row = 0`, "20: correct: row 0, "},
		{`column = 2`, `column = 3`, "20: correct: row 1, column 3, "},
		{`is = "1"`, `is = "0"`, "20: correct: row 1, column 2, "},
	} {
		if n := strings.Count(good, c.from); n != 1 {
			t.Fatalf("%q is there %d times", c.from, n)
		}
		s, err := parse("sets.toml", strings.Replace(good, c.from, c.to, 1))
		if err == nil {
			t.Errorf("%q in place of %q is accepted: %+v", c.to, c.from, s)
		} else if got := err.Error(); !strings.HasPrefix(got, "sets.toml:") || !strings.Contains(got, c.want) || strings.Contains(got, "\n") {
			t.Errorf("%q in place of %q: %q, want %q in it", c.to, c.from, got, c.want)
		}
	}
	for range 20 { // keys that are wrong twice, in whichever order a map gives them
		_, err := parse("sets.toml", strings.ReplaceAll(good, "licence", "license"))
		fails(t, err, "sets.toml:5: set.license: unknown key")
	}
	if _, err := Load(filepath.Join(t.TempDir(), "sets.toml")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestHint(t *testing.T) {
	dir := t.TempDir()
	write(t, []byte(good), dir, "experiments", "data", "sets.toml")
	t.Chdir(dir)
	s, err := Load(filepath.Join("experiments", "data", "sets.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"experiments/data/first.csv":                            "first",
		"experiments/../experiments/data/first.csv":             "first",
		filepath.Join(dir, "experiments/data/second/labels.gz"): "second",
		"experiments/data/second/images.gz":                     "second",
		"experiments/data/second":                               "",
		"experiments/first.csv":                                 "",
		"first.csv":                                             "",
		"experiments/data/sets.toml":                            "",
	} {
		if name, ok := s.Hint(path); name != want || ok != (want != "") {
			t.Errorf("%s belongs to %q, %t, want %q", path, name, ok, want)
		}
	}
}

// TestSets reads the sets of this project.
func TestSets(t *testing.T) {
	s, err := Load(filepath.Join("..", "..", "..", "experiments", "data", "sets.toml"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "iris wine breast_cancer digits satimage segment glass penguins mnist kmnist fashion-mnist-900"
	if got := strings.Join(s.Names(), " "); got != want {
		t.Errorf("sets %q, want %q", got, want)
	}
	files, sums := 0, map[string]bool{}
	for _, set := range s.Sets {
		for _, file := range set.Files {
			files++
			if sums[file.SHA256] {
				t.Errorf("%s has the sum of another file", file.Path)
			}
			sums[file.SHA256] = true
		}
	}
	if files != 16 {
		t.Errorf("%d files, want 16", files)
	}
}
