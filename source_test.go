package closedform

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"closedform/internal/check"
)

func files(nameContent ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(nameContent); i += 2 {
		m[nameContent[i]] = &fstest.MapFile{Data: []byte(nameContent[i+1])}
	}
	return m
}

const kinds = `package learner

import (
	"closedform/baselines/learners/kalman"
	"closedform/baselines/learners/sgd"
)

var kinds = map[string]any{
	"kalman": kalman.New,
	"sgd":    sgd.New,
}
`

// fakes is a small module: a study whose cells run methods, and uses gauss, by way of mvn;
// and another study.
var fakes = files(
	"go.mod", "module closedform\n\ngo 1.26\n\nrequire (\n\tx.org/used v1.0.0\n\tx.org/us v1.0.0 // indirect\n)\n",
	"go.sum", "x.org/us v1.0.0 h1:a\nx.org/used v1.0.0 h1:b\nx.org/used v1.0.0/go.mod h1:c\n",
	"core/gauss/gauss.go", "package gauss\n\nimport _ \"x.org/used/sub\"\n",
	"core/gauss/gauss_amd64.s", "#include \"gauss.h\"\n\n// dot\nTEXT ·dot(SB), 4, $0 // it\n\tVADDPD X0, X1, X2\n",
	"core/gauss/gauss_arm64.s", "",
	"core/gauss/gauss.h", "#define A (1)\n",
	"core/mvn/mvn.go", "package mvn\n\nimport (\n\t\"math\"\n\n\tg \"closedform/core/gauss\"\n)\n",
	"core/random/random.go", "package random\n",
	"baselines/learners/kalman/kalman.go", "package kalman\n\nimport _ \"closedform/baselines/learners/mlp\"\n",
	"baselines/learners/mlp/mlp.go", "package mlp\n",
	"baselines/learners/sgd/sgd.go", "package sgd\n",
	"runner/internal/fetch/fetch.go", "package fetch\n",
	"runner/internal/learner/kinds.go", kinds,
	"runner/internal/s/a/a.go", "package a\n\nimport (\n\t_ \"embed\"\n\n\t_ \"closedform/core/mvn\"\n\t_ \"closedform/runner/internal/learner\"\n)\n\n//go:embed *.csv e/x\nvar x string\n\nfunc f() {}\n",
	"runner/internal/s/a/b.go", "package a\n",
	"runner/internal/s/a/more.go", "package a\n",
	"runner/internal/s/a/x.csv", "1",
	"runner/internal/s/a/e/x", "1",
	"runner/internal/s/y/y.go", "package y\n\nimport _ \"embed\"\n\n//go:embed *.csv\nvar x string\n",
	"runner/internal/s/z/z.go", "package z\n\nimport _ \"closedform/core/random\"\n",
)

// versions returns those of cells by what they run: a baseline, none, or perhaps all, and those of
// the other study.
func versions(t *testing.T, fsys fs.FS, toolchain string) map[string]string {
	t.Helper()
	const study, other = module + "/runner/internal/s/a", module + "/runner/internal/s/z"
	got := map[string]string{}
	for name, cell := range map[string]struct {
		pkg  string
		uses []string
	}{
		"kalman": {study, []string{rivals + "learners/kalman"}},
		"sgd":    {study, []string{rivals + "learners/sgd"}},
		"none":   {study, []string{}},
		"all":    {study, nil},
		"other":  {other, nil},
	} {
		tree := newTree(fsys, build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc"})
		tree.toolchain = toolchain
		got[name] = check.Must(tree.version(cell.pkg, cell.uses))
	}
	return got
}

func TestVersionFollowsImports(t *testing.T) {
	// Where a content spells what would follow it, the name of the next file.
	swallowed := files("runner/internal/s/a/b.go", "package a\nrunner/internal/s/a/more.go 10\npackage a\n", "runner/internal/s/a/more.go", "")
	const a, all, rival = "all kalman none sgd", "all kalman none other sgd", "package rival\n"
	before := versions(t, fakes, "go1")
	for _, c := range []struct {
		what, want string
		edits      fstest.MapFS // by names; empty: deleted
	}{
		{"nothing", "", nil},
		{"the study", a, files("runner/internal/s/a/b.go", "package a\n\nvar y = 1\n")},
		{"its comments and layout", "", files("runner/internal/s/a/b.go", "// Package a is.\npackage a // it\n\n\n")},
		{"a new file of the study", a, files("runner/internal/s/a/new.go", "package a\n")},
		{"a lost file", a, swallowed},
		{"the name of a file", a, files("runner/internal/s/a/b.go", "", "runner/internal/s/a/c.go", "package a\n")},
		{"its build tag", a, files("runner/internal/s/a/b.go", "//go:build linux\n\npackage a\n")},
		{"a file for another processor", "", files("runner/internal/s/a/b_arm64.go", "package a\n")},
		{"a file of another tag", "", files("runner/internal/s/a/new.go", "//go:build noasm\n\npackage a\n")},
		{"an embedded file", a, files("runner/internal/s/a/x.csv", "2")},
		{"an embedded file of a folder", a, files("runner/internal/s/a/e/x", "2")},
		{"a new embedded file", a, files("runner/internal/s/a/y.csv", "2")},
		{"a file that is not embedded", "", files("runner/internal/s/a/x.txt", "2")},
		{"its figures", "", files("runner/internal/s/a/figures.go", "package a\n\nimport \"closedform/figures\"\n")},
		{"its other figures", "", files("runner/internal/s/a/curve_figures.go", "package a\n")},
		{"its tests", "", files("runner/internal/s/a/a_test.go", "package a\n\nimport \"closedform/internal/check\"\n")},
		{"the package figures", "", files("figures/figures.go", "package figures\n")},
		{"what an import imports", a, files("core/gauss/gauss.go", "package gauss\n\nvar x = 1\n")},
		{"assembly", a, files("core/gauss/gauss_amd64.s", "#include \"gauss.h\"\n\nTEXT ·dot(SB), 4, $0\n\tVMAXPD X0, X1, X2\n")},
		{"assembly of another processor", "", files("core/gauss/gauss_arm64.s", "x")},
		{"a header", a, files("core/gauss/gauss.h", "#define A (2)\n")},
		{"what the other imports", "other", files("core/random/random.go", "package random\n\nvar x = 1\n")},
		{"the list of methods", a, files("runner/internal/learner/kinds.go", kinds+"\nvar x = 1\n")},
		{"a new rival", "all", files("runner/internal/learner/kinds.go", strings.NewReplacer("import (\n", "import (\n\t\"closedform/baselines/learners/rival\"\n", "any{\n", "any{\n\t\"rival\":  rival.New,\n").Replace(kinds), "baselines/learners/rival/rival.go", rival)},
		{"a baseline", "all kalman", files("baselines/learners/kalman/kalman.go", "package kalman\n\nimport _ \"closedform/baselines/learners/mlp\"\n\nvar x = 1\n")},
		{"what a baseline imports", "all kalman", files("baselines/learners/mlp/mlp.go", "package mlp\n\nvar x = 1\n")},
		{"how a baseline is run", "all kalman", files("runner/internal/learner/kinds.go", strings.Replace(kinds, "kalman.New", "kalman.Old", 1))},
		{"a baseline that the study imports itself", a, files("runner/internal/s/a/b.go", "package a\n\nimport _ \"closedform/baselines/learners/mlp\"\n")},
		{"how data sets are fetched", "", files("runner/internal/fetch/fetch.go", "package fetch\n\nvar x = 1\n")},
		{"the Go version of go.mod", all, files("go.mod", strings.Replace(string(fakes["go.mod"].Data), "1.26", "1.27", 1))},
		{"a module", a, files("go.mod", strings.Replace(string(fakes["go.mod"].Data), "used v1.0.0", "used v1.0.1", 1))},
		{"the sum of a module", a, files("go.sum", strings.Replace(string(fakes["go.sum"].Data), ":b", ":x", 1))},
		{"another module", "", files("go.mod", strings.Replace(string(fakes["go.mod"].Data), "us v1.0.0", "us v1.0.1", 1))},
		{"the sum of another module", "", files("go.sum", strings.Replace(string(fakes["go.sum"].Data), ":a", ":x", 1))},
		{"a replacement", all, files("go.mod", string(fakes["go.mod"].Data)+"replace x.org/us => x.org/me v1\n")},
	} {
		edited := maps.Clone(fakes)
		maps.Copy(edited, c.edits)
		maps.DeleteFunc(edited, func(_ string, f *fstest.MapFile) bool { return len(f.Data) == 0 })
		var changed []string
		for name, v := range versions(t, edited, "go1") {
			if v != before[name] {
				changed = append(changed, name)
			}
		}
		slices.Sort(changed)
		check.Equal(t, "versions that change with "+c.what, strings.Join(changed, " "), c.want)
	}
	if versions(t, fakes, "go2")["other"] == before["other"] {
		t.Error("another toolchain has the same version")
	}
	tree := newTree(fakes, build.Context{GOOS: "linux", GOARCH: "amd64", Compiler: "gc"})
	for _, c := range []struct{ pkg, uses, want string }{
		{"closedform/core/gone", "", "closedform/core/gone"},
		{"closedform/runner/internal/s/y", "", "go:embed *.csv: file does not exist"},
		{"closedform/runner/internal/s/a", rivals + "learners/dropout", "does not import closedform/baselines/learners/dropout"},
	} {
		check.Refuses(t, c.pkg, check.Err(tree.version(c.pkg, strings.Fields(c.uses))), c.want)
	}
}

// What counts of a Go file is what the compiler sees.
func TestWhatCounts(t *testing.T) {
	const code = "package p\n\nvar x = f(a, b)\n\nfunc g() { h() }\n"
	for _, c := range []struct {
		old, text string
		same      bool
	}{
		{code, "package p\nvar x = f(\n\ta, // one\n\tb,\n)\nfunc g() {\n\th(); /* it */\n}", true},
		{code, "package p; var x = f(a, b,); func g() {h(); }\n", true},
		{code, strings.Replace(code, "func g", "//go:noinline\nfunc g", 1), false},
		{code, strings.Replace(code, "func g", "// go:noinline\nfunc g", 1), true},
		{code, "//go:build linux\n\n" + code, false},
		{code, strings.Replace(code, "a, b", "b, a", 1), false},
		{code, strings.Replace(code, "a, b", "a.b", 1), false},
		{code, strings.Replace(code, "h()", "h;()", 1), false},
		{"package p\ntype T[P *C,] struct{}\n", "package p\ntype T[P *C] struct{}\n", false},
		{"package p\nvar x = a + +b\n", "package p\nvar x = a ++b\n", false},
		{"package p\nvar x = `a // b`\n", "package p\nvar x = `a `\n", false},
	} {
		old, err := goTokens([]byte(c.old))
		text, err2 := goTokens([]byte(c.text))
		if err != nil || err2 != nil || bytes.Equal(old, text) != c.same {
			t.Errorf("of\n%s\nthere counts\n%s (%v), of\n%s\nthere counts\n%s (%v)", c.old, old, err, c.text, text, err2)
		}
	}
	check.Refuses(t, "what is not Go", check.Err(goTokens([]byte("package p\nvar x = 'ab'\n"))))
}

// listed is what go list says of a package.
type listed struct {
	ImportPath, Dir string
	Module          *struct {
		Path string
		Main bool
	}
	Imports []string

	GoFiles, CgoFiles, CFiles, CXXFiles, MFiles, HFiles, FFiles, SFiles, SwigFiles, SwigCXXFiles, SysoFiles, EmbedFiles []string
}

// What counts for the cells of each study are the files that the Go tool compiles or embeds, on
// every target, and the modules that these are from.
func TestFilesAreThoseOfTheGoTool(t *testing.T) {
	root := check.Must(os.Getwd())
	for _, c := range []struct{ goarch, env, tags string }{
		{runtime.GOARCH, "", ""},
		{"amd64", "GOAMD64=v3", ""},
		{"amd64", "", "noasm"},
		{"arm64", "", ""},
	} {
		list := exec.Command("go", "list", "-deps", "-json", "-tags="+c.tags, "./runner/internal/studies/...")
		list.Env = append(os.Environ(), "GOARCH="+c.goarch, c.env)
		out, err := list.Output()
		if err != nil {
			t.Fatalf("%v: %v", list, err)
		}
		packages := map[string]listed{}
		for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
			var p listed
			check.OK(t, d.Decode(&p))
			packages[p.ImportPath] = p
		}
		target := target()
		target.GOARCH, target.BuildTags = c.goarch, strings.Fields(c.tags)
		tree := newTree(sources, target)
		for study := range packages {
			if path.Dir(study) != module+"/runner/internal/studies" {
				continue
			}
			var want []string
			modules := map[string]bool{}
			seen := map[string]bool{drawing: true}
			var visit func(string)
			visit = func(name string) {
				p := packages[name]
				if seen[name] || p.Module == nil { // of the standard library
					return
				}
				seen[name] = true
				for _, file := range slices.Concat(p.GoFiles, p.CgoFiles, p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles,
					p.SwigFiles, p.SwigCXXFiles, p.SysoFiles, p.EmbedFiles) {
					if p.Module.Main && !strings.HasSuffix("_"+file, "_figures.go") {
						name, _ := filepath.Rel(root, filepath.Join(p.Dir, file))
						want = append(want, filepath.ToSlash(name))
					}
				}
				modules[p.Module.Path] = !p.Module.Main
				for _, imported := range p.Imports {
					visit(imported)
				}
			}
			visit(study)
			sums, imports, err := tree.closure(study, nil)
			check.OK(t, err)
			got := slices.Sorted(maps.Keys(sums))
			if slices.Sort(want); !slices.Equal(got, want) {
				t.Errorf("%v: %s: there count\n%q, the Go tool has\n%q", c, study, got, want)
			}
			lines := check.Must(tree.modules(imports))
			for name, counts := range modules {
				is := func(line string) bool { return strings.HasPrefix(line, name+" ") && strings.Contains(line, " h1:") }
				check.Equal(t, fmt.Sprintf("%v: %s: the module %s counts in %q", c, study, name, lines), slices.ContainsFunc(lines, is), counts)
			}
		}
	}
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not here") }

// What does not count of a package, figures and how baselines that a cell does not use are run,
// cannot change its numbers: what counts uses nothing of it.
func TestWhatDoesNotCountIsNotUsed(t *testing.T) {
	folders := map[string][]*ast.File{}
	set := token.NewFileSet()
	err := fs.WalkDir(sources, ".", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) != ".go" || strings.HasSuffix(name, "_test.go") || err != nil {
			return err
		}
		text := check.Must(fs.ReadFile(sources, name))
		file, err := parser.ParseFile(set, name, text, parser.SkipObjectResolution)
		folders[path.Dir(name)] = append(folders[path.Dir(name)], file)
		return err
	})
	check.OK(t, err)
	found := 0
	for folder, parsed := range folders {
		draws := func(at token.Pos) bool {
			return strings.HasSuffix("_"+path.Base(set.Position(at).Filename), "_figures.go")
		}
		out := map[string]bool{} // files that may not count
		for _, file := range parsed {
			out[set.Position(file.Package).Filename] = draws(file.Package)
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if ok && draws(f.Pos()) && (f.Name.Name == "init" || f.Recv != nil && f.Name.IsExported() && f.Name.Name != "Figures") {
					t.Errorf("%s: %s may be called though it does not count", set.Position(f.Pos()), f.Name)
				}
			}
			if !draws(file.Package) && path.Dir(folder) == "runner/internal/studies" {
				for _, s := range file.Imports {
					if s.Path.Value == `"`+drawing+`"` {
						t.Errorf("%s: what counts draws", set.Position(s.Pos()))
					}
				}
			}
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: noImports{}, Error: func(error) {}}
		config.Check(folder, set, parsed, info)
		for use, of := range info.Uses {
			if at := set.Position(of.Pos()).Filename; out[at] {
				if found++; set.Position(use.Pos()).Filename != at && !out[set.Position(use.Pos()).Filename] {
					t.Errorf("%s: it uses %s of %s, which does not count", set.Position(use.Pos()), use.Name, at)
				}
			}
		}
	}
	if found < 100 {
		t.Errorf("found %d uses", found)
	}
}
