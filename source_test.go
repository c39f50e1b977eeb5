package closedform

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
)

// roots are the folders whose code can change a number.
var roots = []string{
	"core", "baselines",
	"runner/internal/dataset", "runner/internal/manifest", "runner/internal/metric", "runner/internal/study",
}

func TestSourcesAreComplete(t *testing.T) {
	compiled := regexp.MustCompile(`\.(go|s|h|c|syso)$`)
	checked := 0
	for _, root := range roots {
		err := filepath.WalkDir(root, func(name string, e fs.DirEntry, err error) error {
			if os.IsNotExist(err) && name == root {
				return nil // not written yet
			}
			if err != nil {
				return err
			}
			if e.IsDir() && e.Name() == "testdata" {
				return fs.SkipDir
			}
			name = filepath.ToSlash(name)
			if e.IsDir() || !compiled.MatchString(name) || strings.HasSuffix(name, "_test.go") {
				return nil
			}
			checked++
			if _, err := fs.Stat(sources, name); err != nil {
				t.Errorf("%s can change numbers and is not part of the code version: add //go:embed %s/*%s to source.go",
					name, path.Dir(name), path.Ext(name))
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if checked == 0 {
		t.Error("no source file was found")
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		if _, err := fs.Stat(sources, name); err != nil {
			t.Errorf("%s is not part of the code version", name)
		}
	}
}

func TestHash(t *testing.T) {
	base := fstest.MapFS{
		"go.mod":         {Data: []byte("module m\n")},
		"core/a/a.go":    {Data: []byte("package a\n")},
		"core/a.go":      {Data: []byte("package core\n")},
		"core/b/b.go":    {Data: []byte("package b\n")},
		"core/b/c.go":    {Data: []byte("")},
		"core/b_test.go": {Data: []byte("package core\n")},
	}
	want := hash(base, "go1 amd64")
	if hash(maps.Clone(base), "go1 amd64") != want {
		t.Error("the same files have two hashes")
	}
	if hash(base, "go1 amd64 v3") == want {
		t.Error("another instruction set has the same hash")
	}
	with := func(name, data string) string {
		m := maps.Clone(base)
		m[name] = &fstest.MapFile{Data: []byte(data)}
		return hash(m, "go1 amd64")
	}
	if with("core/b_test.go", "package other\n") != want || with("core/a/new_test.go", "") != want {
		t.Error("a test changes the hash")
	}
	// A content that spells what would follow it: the next file's name.
	swallowed := maps.Clone(base)
	swallowed["core/b/b.go"] = &fstest.MapFile{Data: []byte("package b\ncore/b/c.go 0\n")}
	delete(swallowed, "core/b/c.go")
	seen := map[string]string{want: "nothing"}
	for what, sum := range map[string]string{
		"a changed byte": with("core/a/a.go", "package A\n"),
		"a new file":     with("core/a/new.go", ""),
		"go.mod":         with("go.mod", "module n\n"),
		"a lost file":    hash(swallowed, "go1 amd64"),
	} {
		if other, ok := seen[sum]; ok {
			t.Errorf("%s changes the hash no more than %s", what, other)
		}
		seen[sum] = what
	}
}

func TestVersion(t *testing.T) {
	v := Version()
	if !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(v) {
		t.Errorf("version %q", v)
	}
	if v != Version() {
		t.Error("two calls, two versions")
	}
	if runtime.GOARCH == "amd64" && !regexp.MustCompile(`^amd64 v[1-4]$`).MatchString(instructionSet()) {
		t.Errorf("instruction set %q without a level", instructionSet())
	}
}
