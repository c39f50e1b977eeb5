package closedform

import (
	"io/fs"
	"maps"
	"path"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// fakes is a small module: two studies, of which one uses gauss, by way of mvn.
var fakes = fstest.MapFS{
	"go.mod":                      {Data: []byte("module closedform\n")},
	"go.sum":                      {Data: []byte("")},
	"core/gauss/gauss.go":         {Data: []byte("package gauss\n")},
	"core/mvn/mvn.go":             {Data: []byte("package mvn\n\nimport (\n\t\"math\"\n\n\tg \"closedform/core/gauss\"\n)\n")},
	"core/random/random.go":       {Data: []byte("package random\n")},
	"runner/internal/s/a/a.go":    {Data: []byte("package a\n\nimport \"closedform/core/mvn\"\n")},
	"runner/internal/s/a/b.go":    {Data: []byte("package a\n")},
	"runner/internal/s/z/z.go":    {Data: []byte("package z\n\nimport \"closedform/core/random\"\n")},
	"runner/internal/s/a/more.go": {Data: []byte("package a\n")},
}

func mustVersion(t *testing.T, fsys fs.FS, pkg, toolchain string) string {
	t.Helper()
	v, err := version(fsys, pkg, toolchain)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestVersionFollowsImports(t *testing.T) {
	const study, other = "closedform/runner/internal/s/a", "closedform/runner/internal/s/z"
	edited := func(name, data string) fs.FS {
		m := maps.Clone(fakes)
		m[name] = &fstest.MapFile{Data: []byte(data)}
		return m
	}
	// Where a content spells what would follow it, the name of the next file.
	swallowed := maps.Clone(fakes)
	swallowed["runner/internal/s/a/b.go"] = &fstest.MapFile{Data: []byte("package a\nrunner/internal/s/a/more.go 10\npackage a\n")}
	delete(swallowed, "runner/internal/s/a/more.go")
	for _, c := range []struct {
		what         string
		fsys         fs.FS
		study, other bool // whether their versions change
	}{
		{"nothing", maps.Clone(fakes), false, false},
		{"the study", edited("runner/internal/s/a/a.go", "package a\n\nimport \"closedform/core/mvn\"\n\nvar x = 1\n"), true, false},
		{"a new file of the study", edited("runner/internal/s/a/new.go", "package a\n"), true, false},
		{"a lost file", swallowed, true, false},
		{"its figures", edited("runner/internal/s/a/figures.go", "package a\n\nimport \"closedform/figures\"\n"), false, false},
		{"its other figures", edited("runner/internal/s/a/curve_figures.go", "package a\n"), false, false},
		{"its tests", edited("runner/internal/s/a/a_test.go", "package a\n\nimport \"closedform/internal/check\"\n"), false, false},
		{"the package figures", edited("figures/figures.go", "package figures\n"), false, false},
		{"what an import imports", edited("core/gauss/gauss.go", "package gauss\n\nvar x = 1\n"), true, false},
		{"what the other imports", edited("core/random/random.go", "package random\n\nvar x = 1\n"), false, true},
		{"go.mod", edited("go.mod", "module closedform\n\ngo 2.0\n"), true, true},
		{"go.sum", edited("go.sum", "x"), true, true},
	} {
		for pkg, want := range map[string]bool{study: c.study, other: c.other} {
			if changed := mustVersion(t, c.fsys, pkg, "go1") != mustVersion(t, fakes, pkg, "go1"); changed != want {
				t.Errorf("%s changed: that the version of %s changes is %v", c.what, pkg, changed)
			}
		}
	}
	if mustVersion(t, fakes, study, "go1") == mustVersion(t, fakes, study, "go2") {
		t.Error("another toolchain has the same version")
	}
	broken := edited("runner/internal/s/a/a.go", "package a\n\nimport \"closedform/core/gone\"\n")
	if v, err := version(broken, study, "go1"); err == nil || !strings.Contains(err.Error(), "closedform/core/gone") {
		t.Errorf("an import that is not there: %q, %v", v, err)
	}
}

// Every study has a version, which covers the mathematics that it uses, and neither
// figures nor other studies.
func TestVersionOfStudies(t *testing.T) {
	var dirs []string
	err := fs.WalkDir(sources, "runner/internal/studies", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && path.Dir(name) != "runner/internal/studies" && !slices.Contains(dirs, path.Dir(name)) {
			dirs = append(dirs, path.Dir(name))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, dir := range dirs {
		v, err := Version(module + "/" + dir)
		if err != nil || !regexp.MustCompile(`^[0-9a-f]{64}$`).MatchString(v) || seen[v] {
			t.Errorf("%s: version %q, %v", dir, v, err)
		}
		seen[v] = true
		if again, _ := Version(module + "/" + dir); again != v {
			t.Errorf("%s: two calls, two versions", dir)
		}
		files, _ := closure(sources, module+"/"+dir)
		if !slices.Contains(files, "core/random/random.go") {
			t.Errorf("%s: core/random, which it uses, is not covered by %q", dir, files)
		}
		for _, name := range files {
			if path.Base(name) == "figures.go" || strings.HasPrefix(name, "figures/") ||
				strings.HasPrefix(name, "runner/internal/studies/") && path.Dir(name) != dir {
				t.Errorf("%s: %s counts", dir, name)
			}
		}
	}
	if runtime.GOARCH == "amd64" && !regexp.MustCompile(`^amd64 v[1-4]( fused)?$`).MatchString(instructionSet()) {
		t.Errorf("instruction set %q without a level", instructionSet())
	}
}
