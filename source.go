// Package closedform knows the sources that the program's numbers come from.
// The mathematics is in core, other methods are in baselines, and the program
// that runs experiments is in runner.
package closedform

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// sources are the files that turn the spec of a cell into numbers, with their tests, and go.mod.
// What flows into a cell by value is in its spec: readers of manifests and tables are not here.
//
//go:embed go.mod core/*/*.go internal/kernel/*.go internal/kernel/*.s internal/linalg/*.go
//go:embed baselines/*/*/*.go baselines/peers/*.py
//go:embed runner/internal/data/changing.go runner/dataset/examples.go runner/dataset/scaling.go runner/dataset/split.go
//go:embed runner/internal/data/generators.go runner/internal/data/source.go runner/internal/data/task.go
//go:embed runner/internal/learner/*.go runner/internal/slope/*.go
//go:embed runner/internal/metric/*.go runner/internal/table/*.go runner/internal/study/*.go
//go:embed runner/internal/studies/*/*.go
var sources embed.FS

// Digest identifies the code that makes numbers: it is the SHA-256, in hexadecimal, of the tokens of the Go
// files, the bytes of assembly and of programs in other languages, the language version of Go and the modules
// that the Go files import, and whether multiply-adds are fused. Comments, layout, tests and files that only
// draw do not count, nor do the operating system and processor that the program is built for.
var Digest = sync.OnceValue(func() string {
	sum, err := digest(sources, Fused())
	if err != nil {
		panic("closedform: " + err.Error()) // a Go file does not compile
	}
	return sum
})

func digest(fsys fs.FS, fused bool) (string, error) {
	h := sha256.New()
	fmt.Fprintf(h, "fused=%t\n", fused)
	var code []byte // tokens of all Go files
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !counts(name) {
			return err
		}
		text, err := fs.ReadFile(fsys, name)
		if err == nil && path.Ext(name) == ".go" {
			text, err = goTokens(text)
			code = append(code, text...)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		fmt.Fprintf(h, "%x %s\n", sha256.Sum256(text), name)
		return nil
	})
	if err != nil {
		return "", err
	}
	mod, err := fs.ReadFile(fsys, "go.mod")
	for line := range strings.Lines(string(mod)) {
		line, _, _ = strings.Cut(strings.TrimPrefix(line, "require "), "//")
		module, version, _ := strings.Cut(strings.TrimSpace(line), " ")
		if strings.Contains(line, "=>") || bytes.Contains(code, []byte(`\"`+module+`/`)) {
			fmt.Fprintf(h, "%s %s\n", module, version)
		}
		fmt.Fprint(h, language.FindString(line))
	}
	return fmt.Sprintf("%x", h.Sum(nil)), err
}

// language is the line of go.mod with the version of Go, without the patch release.
var language = regexp.MustCompile(`^go \d+\.\d+`)

// counts reports whether a file can change a number: not tests, nor what only draws.
func counts(name string) bool {
	name = "_" + path.Base(name)
	return name != "_go.mod" && !strings.HasSuffix(name, "_test.go") && !strings.HasSuffix(name, "_figures.go")
}

// Fused reports whether the compiler made one instruction, with one rounding, of
// multiplications and the additions after them. It does where the processor is sure to
// have one: on arm64, ppc64, s390x, riscv64, loong64 and amd64 from GOAMD64=v3 on; but
// not with -gcflags=all=-d=fmahash=qn. Then all processors have the same bytes.
func Fused() bool { return multiplyAdd(1+0x1p-30, 1-0x1p-30, -1) != 0 }

// multiplyAdd returns xy + z. The product (1 + ε)(1 − ε) = 1 − ε² is rounded to 1 where it
// is rounded at all.
//
//go:noinline
func multiplyAdd(x, y, z float64) float64 { return x*y + z }

// goTokens returns what counts of a Go file: its tokens and its //go: directives. Automatic semicolons are
// as written ones; commas and semicolons that a bracket after them makes superfluous do not count.
func goTokens(src []byte) ([]byte, error) {
	var (
		s    scanner.Scanner
		errs scanner.ErrorList
		out  []byte
		held token.Token // a comma or a semicolon that may be superfluous
	)
	s.Init(token.NewFileSet().AddFile("", -1, len(src)), src, errs.Add, scanner.ScanComments)
	for {
		_, tok, text := s.Scan()
		if tok == token.COMMENT && !strings.HasPrefix(text, "//go:") {
			continue
		}
		// A comma before ] is not superfluous: type T[P *C,] is no array.
		if held != token.ILLEGAL && tok != token.RPAREN && tok != token.RBRACE {
			out = append(out, held.String()...)
		}
		held = token.ILLEGAL
		switch {
		case tok == token.EOF:
			return out, errs.Err()
		case tok == token.COMMA || tok == token.SEMICOLON:
			held = tok
		case tok == token.COMMENT || tok.IsLiteral():
			out = strconv.AppendQuote(append(out, tok.String()...), text)
		default:
			out = append(append(out, ' '), tok.String()...)
		}
	}
}
