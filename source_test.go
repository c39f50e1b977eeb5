package closedform

import (
	"bytes"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os/exec"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	check "closedform/internal/checktest"
)

const module = "closedform"

// The digest follows what can change a number, and nothing else.
func TestDigest(t *testing.T) {
	files := map[string]string{
		"go.mod": "module closedform\n\ngo 1.26.0\n\nrequire (\n\tx.org/used v1.0.0\n" +
			"\tx.org/us v1.0.0 // indirect\n)\n\nrequire x.org/alone v1.0.0\n",
		"core/gauss/gauss.go": "package gauss\n\nimport _ \"x.org/used/sub\"\n" +
			"import _ \"x.org/alone/a\"\n\nvar x = 1\n",
		"core/gauss/gauss_test.go": "package gauss\n",
		"core/gauss/other.go":      "package gauss\n",
		"core/gauss/gauss_arm64.s": "// dot\nTEXT ·dot(SB), 4, $0\n",
		"peers/learn.py":           "print(1)\n",
		"studies/a/figures.go":     "package a\n",
		"studies/a/b_figures.go":   "package a\n",
		"studies/a/configures.go":  "package a\n",
	}
	sum := func(files map[string]string, fused bool) string {
		fsys := fstest.MapFS{}
		for name, text := range files {
			fsys[name] = &fstest.MapFile{Data: []byte(text)}
		}
		return check.Must(digest(fsys, fused))
	}
	before := sum(files, false)
	for _, c := range []struct {
		file, old, new string
		changes        bool
	}{
		{"core/gauss/gauss.go", "x = 1", "x = 2", true},
		{"core/gauss/gauss_test.go", "gauss", "gauss_test", false},
		{"core/gauss/gauss_arm64.s", "$0", "$8", true},
		{"core/gauss/gauss_arm64.s", "// dot", "// it", true},
		{"peers/learn.py", "1", "2", true},
		{"studies/a/figures.go", "package a", "package b", false},
		{"studies/a/b_figures.go", "package a", "package b", false},
		{"studies/a/configures.go", "package a", "package b", true},
		{"studies/a/new.go", "", "package a", true},
		{"studies/a/new_test.go", "", "package a", false},
		{"go.mod", "used v1.0.0", "used v1.0.1", true},
		{"go.mod", "alone v1.0.0", "alone v1.0.1", true},
		{"go.mod", "us v1.0.0", "us v1.0.1", false},
		{"go.mod", "module", "replace x.org/us => x.org/me v1\nmodule", true},
		{"go.mod", "1.26.0", "1.26.7", false},
		{"go.mod", "1.26.0", "1.27.0", true},
	} {
		edited := maps.Clone(files)
		edited[c.file] = strings.Replace(edited[c.file], c.old, c.new, 1)
		check.Equal(t, c.file+": "+c.new+" changes the digest", sum(edited, false) != before, c.changes)
	}
	renamed := maps.Clone(files)
	renamed["core/gauss/another.go"] = renamed["core/gauss/other.go"]
	delete(renamed, "core/gauss/other.go")
	check.Equal(t, "the name of a file changes the digest", sum(renamed, false) != before, true)
	check.Equal(t, "fused multiply-adds change the digest", sum(files, true) != before, true)
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
		old, text := check.Must(goTokens([]byte(c.old))), check.Must(goTokens([]byte(c.text)))
		same := bytes.Equal(old, text)
		check.True(t, same == c.same, "of\n%s\nthere counts\n%s, of\n%s\nthere counts\n%s", c.old, old, c.text, text)
	}
	check.Refuses(t, "what is not Go", check.Err(goTokens([]byte("package p\nvar x = 'ab'\n"))))
}

// A file that is compiled for a study is in the digest, draws, or is known to make no numbers.
func TestWhatStudiesImport(t *testing.T) {
	none := []string{ // packages and files
		"figures", "internal/field", "runner/internal/task", "runner/internal/store", "runner/internal/studies",
		"runner/internal/manifest", "runner/internal/own", "runner/internal/plots",
		"runner/internal/data/files.go",
		"runner/dataset/arff.go", "runner/dataset/columns.go", "runner/dataset/format.go",
		"runner/dataset/label.go", "runner/dataset/table.go",
	}
	format := "{{$p := .ImportPath}}"
	for _, of := range strings.Fields("GoFiles CgoFiles SFiles HFiles EmbedFiles") {
		format += "{{range ." + of + "}}{{$p}}/{{.}}\n{{end}}"
	}
	list := exec.Command("go", "list", "-deps", "-f", format, "./runner/internal/studies/...")
	out := check.Must(list.Output())
	used := map[string]bool{}
	for _, line := range strings.Fields(string(out)) {
		name, ours := strings.CutPrefix(line, module+"/")
		if !ours {
			continue
		}
		_, err := fs.Stat(sources, name)
		of := slices.IndexFunc(none, func(n string) bool { return n == name || n == path.Dir(name) })
		switch {
		case of >= 0 && err == nil:
			t.Errorf("%s is in the digest, and listed as making no numbers", name)
		case of >= 0:
			used[none[of]] = true
		case err != nil:
			t.Errorf("studies import %s: add it to sources, or here if it makes no numbers", name)
		}
	}
	check.Equal(t, "what makes no numbers", len(used), len(none))
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not here") }

// What counts uses nothing of files that only draw, and does not draw.
func TestWhatCountsDoesNotDraw(t *testing.T) {
	folders, set := map[string][]*ast.File{}, token.NewFileSet()
	check.OK(t, fs.WalkDir(sources, ".", func(name string, _ fs.DirEntry, err error) error {
		if path.Ext(name) == ".go" && !strings.HasSuffix(name, "_test.go") {
			text := check.Must(fs.ReadFile(sources, name))
			file := check.Must(parser.ParseFile(set, name, text, parser.SkipObjectResolution))
			folders[path.Dir(name)] = append(folders[path.Dir(name)], file)
		}
		return err
	}))
	draws := func(at token.Pos) bool { return !counts(set.Position(at).Filename) }
	found := 0
	for folder, files := range folders {
		for _, file := range files {
			for _, d := range file.Decls {
				f, is := d.(*ast.FuncDecl)
				method := is && f.Recv != nil && f.Name.IsExported() && f.Name.Name != "Figures" && types.ExprString(f.Recv.List[0].Type) != "Legend"
				called := is && draws(f.Pos()) && (f.Name.Name == "init" || method)
				check.True(t, !called, "%s: it may be called though it does not count", set.Position(d.Pos()))
			}
			for _, s := range file.Imports {
				if s.Path.Value == `"closedform/figures"` && !draws(s.Pos()) && folder != "runner/internal/study" {
					t.Errorf("%s: what counts draws", set.Position(s.Pos()))
				}
			}
		}
		info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
		config := types.Config{Importer: noImports{}, Error: func(error) {}}
		config.Check(folder, set, files, info)
		for use, of := range info.Uses {
			if draws(of.Pos()) {
				if found++; !draws(use.Pos()) {
					t.Errorf("%s: %s does not count", set.Position(use.Pos()), use.Name)
				}
			}
		}
	}
	check.True(t, found >= 100, "found %d uses", found)
}

// What has other last digits on other processors: assembly that is not everywhere, what is
// built on it, and sums whose order depends on the processor. By import path; all of a package
// where no names are given.
var unportable = map[string]string{
	"math": "Exp Exp2 Log Log2 Log10 Erf Erfc Erfinv Erfcinv Tanh Sinh Cosh Asinh Acosh Atanh Lgamma Gamma " +
		"Hypot",
	"gonum.org/v1/gonum/floats": "Dot Sum SumCompensated Prod CumSum CumProd Norm Distance LogSumExp",
	"gonum.org/v1/gonum/mat": "Dot Inner Norm Sum Det LogDet Cond Cholesky BandCholesky PivotedCholesky LU " +
		"QR LQ SVD GSVD Eigen EigenSym",
	"gonum.org/v1/gonum/blas/blas64": "Dot Nrm2 Asum Gemv Symv Trmv Trsv Gemm Symm Trmm Trsm Syrk Syr2k " +
		"Implementation",
	"gonum.org/v1/gonum/blas/gonum": "", "gonum.org/v1/gonum/lapack": "",
	"gonum.org/v1/gonum/lapack/lapack64": "", "gonum.org/v1/gonum/stat": "",
	"gonum.org/v1/gonum/stat/distuv": "", "gonum.org/v1/gonum/stat/distmv": "",
	"gonum.org/v1/gonum/mathext": "", "gonum.org/v1/gonum/optimize": "",
}

// harmless are calls whose last digits do not matter, by file: a probability that is only compared with a
// level, and a largest difference.
var harmless = map[string][]string{
	"selective.go": {"all of gonum.org/v1/gonum/mathext"}, "cells.go": {"floats.Distance"},
}

// unportableMethods are those of math/rand and of gonum's matrices.
const unportableMethods = "NormFloat64 ExpFloat64 Mul MulVec MulTo Product SymOuterK"

// Numbers are the same on every processor: nothing that makes them calls what is not.
func TestPortable(t *testing.T) {
	err := fs.WalkDir(sources, ".", func(name string, _ fs.DirEntry, err error) error {
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") ||
			strings.HasSuffix("_"+path.Base(name), "_figures.go") {
			return err
		}
		text, err := fs.ReadFile(sources, name)
		if err != nil {
			return err
		}
		for _, call := range unportableCalls(t, name, text) {
			_, what, _ := strings.Cut(call, ": ")
			check.True(t, slices.Contains(harmless[path.Base(name)], what), "%s", call)
		}
		return nil
	})
	check.OK(t, err)
	// And this finds what does.
	got := unportableCalls(t, "x.go", []byte(`package x
import ("math"; m "gonum.org/v1/gonum/mat"; "gonum.org/v1/gonum/stat")
var a, b = math.Exp(1), math.Pow(2, 0.5)
var c, d, e = math.Pow(2, 3), math.Pow(2, float64(n)), rnd.NormFloat64()
var f m.Cholesky
`))
	want := []string{
		"x.go:2: all of gonum.org/v1/gonum/stat", "x.go:3: math.Exp", "x.go:3: math.Pow",
		"x.go:4: rnd.NormFloat64", "x.go:5: m.Cholesky",
	}
	check.Equal(t, "found", got, want)
}

// unportableCalls returns where a file calls what is not portable.
func unportableCalls(t *testing.T, name string, text []byte) (calls []string) {
	files := token.NewFileSet()
	file := check.Must(parser.ParseFile(files, name, text, parser.SkipObjectResolution))
	report := func(n ast.Node, what string) {
		calls = append(calls, fmt.Sprintf("%s:%d: %s", name, files.Position(n.Pos()).Line, what))
	}
	exact := false               // big numbers have methods of the same names
	names := map[string]string{} // that must not be selected, by the name of the package
	for _, spec := range file.Imports {
		p := strings.Trim(spec.Path.Value, `"`)
		banned, ok := unportable[p]
		if ok && banned == "" {
			report(spec, "all of "+p)
		}
		exact = exact || p == "math/big"
		local := path.Base(p)
		if spec.Name != nil {
			local = spec.Name.Name
		}
		names[local] = banned
	}
	has := func(list, name string) bool { return slices.Contains(strings.Fields(list), name) }
	ast.Inspect(file, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			f, _ := call.Fun.(*ast.SelectorExpr)
			if f != nil && f.Sel.Name == "Pow" && fmt.Sprint(f.X) == "math" { // of an integer it multiplies
				power, literal := call.Args[1].(*ast.BasicLit)
				whole, converted := call.Args[1].(*ast.CallExpr)
				if !(literal && power.Kind == token.INT) && !(converted && fmt.Sprint(whole.Fun) == "float64") {
					report(n, "math.Pow")
				}
			}
		}
		s, ok := n.(*ast.SelectorExpr)
		if !ok {
			return true
		}
		banned, isPackage := "", false
		if x, ok := s.X.(*ast.Ident); ok {
			banned, isPackage = names[x.Name]
		}
		if has(banned, s.Sel.Name) || !isPackage && !exact && has(unportableMethods, s.Sel.Name) {
			report(n, fmt.Sprintf("%v.%s", s.X, s.Sel.Name))
		}
		return true
	})
	return calls
}

// make verify-anywhere runs it on the processors that are named here.
func TestFused(t *testing.T) {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		t.Skip("no build information")
	}
	set := map[string]string{}
	for _, s := range info.Settings {
		set[s.Key] = s.Value
	}
	fused := []string{"arm64", "ppc64", "ppc64le", "s390x", "riscv64", "loong64"}
	could := slices.Contains(fused, runtime.GOARCH) ||
		slices.Contains([]string{"v3", "v4"}, set["GOAMD64"])
	if want := could && !strings.Contains(set["-gcflags"], "fmahash=qn"); Fused() != want {
		t.Errorf("Fused() = %v on %s with %v", Fused(), runtime.GOARCH, set)
	}
}
