// Package closedform knows the sources that the program's numbers come from.
// The mathematics is in core, other methods are in baselines, and the program
// that runs experiments is in runner.
package closedform

import (
	"cmp"
	"crypto/sha256"
	"embed"
	"fmt"
	"go/build"
	"go/token"
	"io"
	"io/fs"
	"maps"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
)

// sources are all files that can change a number in a table, and more.
//
//go:embed go.mod go.sum core/*/*.* internal/field/*.* internal/kernel/*.* internal/linalg/*.* baselines/*/*/*.* runner/dataset/*.* runner/internal/*/*.* runner/internal/studies/*/*.*
var sources embed.FS

const (
	module   = "closedform"
	drawing  = module + "/figures" // changes no number
	rivals   = module + "/baselines/"
	registry = module + "/runner/internal/learner" // has a line for each baseline
)

// Version returns the code version of cells that a package of this module makes and that run
// these baselines, given by their import paths: the SHA-256, in hexadecimal, of all code that
// their numbers follow from. That is what the Go tool compiles or embeds for the package and
// for those that it imports, directly or not, on this target; their modules; the Go release;
// and whether multiplications and additions are fused.
//
// Comments and layout of Go files do not count, nor do tests, nor what only draws: the package figures, and
// files named figures.go or *_figures.go; nor, unless baselines is nil, lines of the registry
// of methods that name others than these.
//
// The version is the same wherever the same checkout is built for the same target. It is safe
// for concurrent use.
func Version(pkg string, baselines []string) (string, error) { return this.version(pkg, baselines) }

// this is the source tree that the program was built from.
var this = newTree(sources, target())

// target returns what the program was built for.
func target() build.Context {
	t := build.Context{GOOS: runtime.GOOS, GOARCH: runtime.GOARCH, Compiler: runtime.Compiler, ReleaseTags: build.Default.ReleaseTags}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			switch s.Key {
			case "-tags":
				t.BuildTags = strings.Split(s.Value, ",")
			case "CGO_ENABLED":
				t.CgoEnabled = s.Value == "1"
			}
		}
	}
	return t
}

// tree is a source tree as it is built for a target.
type tree struct {
	fs.FS
	target    build.Context
	toolchain string

	mu       sync.Mutex
	packages map[string][]source // those that were read, by import path
}

// source is a file that the Go tool compiles or embeds.
type source struct {
	name    string
	sum     [32]byte // of what counts of it
	imports []string
}

func newTree(fsys fs.FS, target build.Context) *tree {
	target.JoinPath = path.Join
	target.IsAbsPath = path.IsAbs
	target.IsDir = func(string) bool { return true } // ReadDir fails otherwise
	target.OpenFile = func(name string) (io.ReadCloser, error) { return fsys.Open(name) }
	target.ReadDir = func(name string) ([]fs.FileInfo, error) {
		entries, err := fs.ReadDir(fsys, name)
		infos := make([]fs.FileInfo, len(entries))
		for i, e := range entries {
			infos[i], _ = e.Info() // of a file in memory
		}
		return infos, err
	}
	return &tree{FS: fsys, target: target, toolchain: fmt.Sprint(runtime.Version(), " fused=", Fused()), packages: map[string][]source{}}
}

func (t *tree) version(pkg string, baselines []string) (string, error) {
	sums, imports, err := t.closure(pkg, baselines)
	modules, err2 := t.modules(imports)
	if err := cmp.Or(err, err2); err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%q\n", t.toolchain, modules)
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(h, "%x %s\n", sums[name], name)
	}
	return fmt.Sprintf("%x", h.Sum(nil)), nil
}

// closure returns the sums of the files that count for the cells of a package, by the names of
// the files, and the import paths of all packages that these files import.
func (t *tree) closure(pkg string, baselines []string) (sums map[string][32]byte, imports map[string]bool, err error) {
	sums, imports = map[string][32]byte{}, map[string]bool{pkg: true}
	for todo := []string{pkg}; len(todo) > 0; todo = todo[1:] {
		files, err := t.read(todo[0])
		if err != nil {
			return nil, nil, fmt.Errorf("the sources of %s are not embedded in package %s: %w", todo[0], module, err)
		}
		for _, f := range files {
			if todo[0] == registry && baselines != nil {
				if f, err = t.without(f, baselines); err != nil {
					return nil, nil, err
				}
			}
			sums[f.name] = f.sum
			for _, p := range f.imports {
				if p != drawing && !imports[p] && strings.HasPrefix(p, module+"/") {
					todo = append(todo, p)
				}
				imports[p] = imports[p] || p != drawing
			}
		}
	}
	for _, b := range baselines {
		if !imports[b] {
			return nil, nil, fmt.Errorf("%s does not import %s, which its cells use", pkg, b)
		}
	}
	return sums, imports, nil
}

// without returns a file without the lines that name baselines which are not used.
func (t *tree) without(f source, used []string) (source, error) {
	other := func(p string) bool { return strings.HasPrefix(p, rivals) && !slices.Contains(used, p) }
	names := func(line string) bool {
		return slices.ContainsFunc(f.imports, func(p string) bool {
			return other(p) && (strings.Contains(line, `"`+p+`"`) || strings.Contains(line, path.Base(p)+"."))
		})
	}
	if !slices.ContainsFunc(f.imports, other) {
		return f, nil
	}
	out, err := t.file(f.name, func(text []byte) ([]byte, error) {
		lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), names)
		return goTokens([]byte(strings.Join(lines, "")))
	})
	out.imports = slices.DeleteFunc(slices.Clone(f.imports), other)
	return out, err
}

// read returns the files of a package that count. A go:embed directive may name files, but no folders.
func (t *tree) read(pkg string) (files []source, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if files, ok := t.packages[pkg]; ok {
		return files, nil
	}
	p, err := t.target.ImportDir(strings.TrimPrefix(pkg, module+"/"), 0)
	if err != nil {
		return nil, err
	}
	names := slices.Concat(p.GoFiles, p.CgoFiles, p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles,
		p.SwigFiles, p.SwigCXXFiles, p.SysoFiles)
	for _, pattern := range p.EmbedPatterns {
		embedded, err := fs.Glob(t, path.Join(p.Dir, pattern))
		if err != nil || len(embedded) == 0 {
			return nil, fmt.Errorf("go:embed %s: %w", pattern, cmp.Or(err, fs.ErrNotExist))
		}
		for _, name := range embedded {
			names = append(names, strings.TrimPrefix(name, p.Dir+"/"))
		}
	}
	for _, name := range names {
		if strings.HasSuffix("_"+name, "_figures.go") {
			continue // changes no number
		}
		count := func(text []byte) ([]byte, error) { return text, nil }
		if slices.Contains(p.GoFiles, name) {
			count = goTokens
		}
		f, err := t.file(path.Join(p.Dir, name), count)
		if err != nil {
			return nil, err
		}
		for imported, at := range p.ImportPos {
			if slices.ContainsFunc(at, func(at token.Position) bool { return at.Filename == f.name }) {
				f.imports = append(f.imports, imported)
			}
		}
		files = append(files, f)
	}
	t.packages[pkg] = files
	return files, nil
}

// file returns a file with the sum of what counts of it.
func (t *tree) file(name string, count func([]byte) ([]byte, error)) (source, error) {
	text, err := fs.ReadFile(t, name)
	if err == nil {
		text, err = count(text)
	}
	if err != nil {
		return source{}, fmt.Errorf("%s: %w", name, err)
	}
	return source{name: name, sum: sha256.Sum256(text)}, nil
}

// modules returns the lines of go.mod, without the requirements, and the lines of go.sum for the
// modules that have one of the packages.
func (t *tree) modules(packages map[string]bool) (lines []string, err error) {
	mod, err1 := fs.ReadFile(t, "go.mod")
	sum, err2 := fs.ReadFile(t, "go.sum")
	for line := range strings.Lines(string(mod)) {
		line, _, _ = strings.Cut(line, "//")
		f := strings.Fields(strings.TrimPrefix(line, "require"))
		switch {
		case len(f) == 0 || f[0] == "(" || f[0] == ")": // layout
		case len(f) != 2 || f[1][0] != 'v': // no requirement
			lines = append(lines, strings.Join(f, " "))
		case slices.ContainsFunc(slices.Collect(maps.Keys(packages)), func(p string) bool { return strings.HasPrefix(p+"/", f[0]+"/") }):
			for line := range strings.Lines(string(sum)) {
				if strings.HasPrefix(line, f[0]+" "+f[1]+" ") {
					lines = append(lines, line)
				}
			}
		}
	}
	return lines, cmp.Or(err1, err2)
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
