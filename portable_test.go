package closedform

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

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
