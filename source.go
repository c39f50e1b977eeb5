// Package closedform knows the sources that the program's numbers come from.
// The mathematics is in core, other methods are in baselines, and the program
// that runs experiments is in runner.
package closedform

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
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
// Comments, layout and tests do not count, nor does what only draws: the package figures, and
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
	packages map[string][]source // that have been read, by their import paths
}

// source is a file that the Go tool compiles.
type source struct {
	name    string
	sums    map[string][32]byte // of what counts of it and of the files that it embeds, by their names
	imports []string
}

func newTree(fsys fs.FS, target build.Context) *tree {
	target.JoinPath = path.Join
	target.IsAbsPath = path.IsAbs
	target.IsDir = func(name string) bool {
		info, err := fs.Stat(fsys, name)
		return err == nil && info.IsDir()
	}
	target.OpenFile = func(name string) (io.ReadCloser, error) { return fsys.Open(name) }
	target.ReadDir = func(name string) (infos []fs.FileInfo, err error) {
		entries, err := fs.ReadDir(fsys, name)
		for _, e := range entries {
			info, err := e.Info()
			if err != nil {
				return nil, err
			}
			infos = append(infos, info)
		}
		return infos, err
	}
	return &tree{FS: fsys, target: target, toolchain: fmt.Sprint(runtime.Version(), " fused=", Fused()), packages: map[string][]source{}}
}

func (t *tree) version(pkg string, baselines []string) (string, error) {
	sums, imports, err := t.closure(pkg, baselines)
	if err != nil {
		return "", err
	}
	modules, err := t.modules(imports)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n%q\n", t.toolchain, modules)
	for _, name := range slices.Sorted(maps.Keys(sums)) {
		fmt.Fprintf(h, "%x %s\n", sums[name], name)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// closure returns the sums of the files that count for the cells of a package, by the names of
// the files, and the import paths of all packages that these import.
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
			maps.Copy(sums, f.sums)
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
	out := source{name: f.name, sums: map[string][32]byte{}, imports: slices.DeleteFunc(slices.Clone(f.imports), other)}
	if len(out.imports) == len(f.imports) {
		return f, nil
	}
	names := func(line string) bool {
		return slices.ContainsFunc(f.imports, func(p string) bool {
			return other(p) && (strings.Contains(line, `"`+p+`"`) || strings.Contains(line, path.Base(p)+"."))
		})
	}
	return out, t.add(out.sums, f.name, func(text []byte) ([]byte, error) {
		lines := slices.DeleteFunc(strings.SplitAfter(string(text), "\n"), names)
		return goTokens([]byte(strings.Join(lines, "")))
	})
}

// read returns the files of a package that count.
func (t *tree) read(pkg string) ([]source, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if files, ok := t.packages[pkg]; ok {
		return files, nil
	}
	p, err := t.target.ImportDir(strings.TrimPrefix(pkg, module+"/"), 0)
	if err != nil {
		return nil, err
	}
	var files []source
	for _, base := range slices.Concat(p.GoFiles, p.CgoFiles, p.CFiles, p.CXXFiles, p.MFiles, p.HFiles, p.FFiles, p.SFiles,
		p.SwigFiles, p.SwigCXXFiles, p.SysoFiles) {
		if strings.HasSuffix("_"+base, "_figures.go") {
			continue // changes no number
		}
		name := path.Join(p.Dir, base)
		f := source{name: name, sums: map[string][32]byte{}, imports: of(name, p.ImportPos)}
		var count func([]byte) ([]byte, error) // of another file all bytes do
		switch ext := path.Ext(name); {
		case slices.Contains(p.GoFiles, base):
			count = goTokens
		case ext == ".s" || ext == ".h":
			count = assembly
		}
		if err := t.add(f.sums, name, count); err != nil {
			return nil, err
		}
		for _, pattern := range of(name, p.EmbedPatternPos) {
			names, err := t.embedded(p.Dir, pattern)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				if err := t.add(f.sums, name, nil); err != nil {
					return nil, err
				}
			}
		}
		files = append(files, f)
	}
	t.packages[pkg] = files
	return files, nil
}

// of returns what stands in a file.
func of(name string, positions map[string][]token.Position) (all []string) {
	for what, at := range positions {
		if slices.ContainsFunc(at, func(p token.Position) bool { return p.Filename == name }) {
			all = append(all, what)
		}
	}
	return all
}

// add adds the sum of a file, or of what counts of it.
func (t *tree) add(sums map[string][32]byte, name string, count func([]byte) ([]byte, error)) error {
	data, err := fs.ReadFile(t, name)
	if err == nil && count != nil {
		data, err = count(data)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	sums[name] = sha256.Sum256(data)
	return nil
}

// embedded returns the files that a pattern of a go:embed directive stands for.
func (t *tree) embedded(dir, pattern string) (names []string, err error) {
	glob, all := strings.CutPrefix(pattern, "all:")
	matches, err := fs.Glob(t, path.Join(dir, glob))
	if err == nil && len(matches) == 0 {
		err = fmt.Errorf("%s: go:embed %s: no such file", dir, pattern)
	}
	for _, match := range matches {
		err = errors.Join(err, fs.WalkDir(t, match, func(name string, e fs.DirEntry, err error) error {
			hidden := name != match && !all && strings.ContainsAny(path.Base(name)[:1], "._")
			switch {
			case err != nil:
				return err
			case hidden && e.IsDir():
				return fs.SkipDir
			case !hidden && !e.IsDir():
				names = append(names, name)
			}
			return nil
		}))
	}
	return names, err
}

// modules returns what go.mod says, but for requirements of modules that have none of the
// packages, and the sums of the others.
func (t *tree) modules(packages map[string]bool) (lines []string, err error) {
	mod, err := fs.ReadFile(t, "go.mod")
	if err != nil {
		return nil, err
	}
	sum, err := fs.ReadFile(t, "go.sum")
	if err != nil {
		return nil, err
	}
	for line := range strings.Lines(string(mod)) {
		line, _, _ = strings.Cut(line, "//")
		f := strings.Fields(strings.TrimPrefix(line, "require"))
		switch {
		case len(f) == 0 || f[0] == "(" || f[0] == ")": // layout
		case len(f) != 2 || f[1][0] != 'v': // no requirement
			lines = append(lines, strings.Join(f, " "))
		case has(packages, f[0]):
			for line := range strings.Lines(string(sum)) {
				if strings.HasPrefix(line, f[0]+" "+f[1]+" ") {
					lines = append(lines, line)
				}
			}
		}
	}
	return lines, nil
}

// has reports whether one of the packages is in the module.
func has(packages map[string]bool, module string) bool {
	for p := range packages {
		if p == module || strings.HasPrefix(p, module+"/") {
			return true
		}
	}
	return false
}
