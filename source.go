// Package closedform knows the sources that the program's numbers come from.
// The mathematics is in core, other methods are in baselines, and the program
// that runs experiments is in runner.
package closedform

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// sources are all files that can change a number in a table, and more.
//
//go:embed go.mod go.sum core/*/*.go baselines/*/*.go runner/dataset/*.go runner/internal/*/*.go runner/internal/studies/*/*.go
var sources embed.FS

const (
	module  = "closedform"
	drawing = module + "/figures" // changes no number
)

// Version returns the code version of a package of this module: the SHA-256, in
// hexadecimal, of all that its numbers follow from. That is the sources of the
// package and of those that it imports, directly or not, without tests and without
// what only draws (the package figures, and files named figures.go or
// *_figures.go); go.mod and go.sum; the Go release; and the instruction set that
// was compiled for. It is the same wherever the same checkout is built for the
// same instruction set.
func Version(pkg string) (string, error) {
	return version(sources, pkg, runtime.Version()+" "+instructionSet())
}

func version(fsys fs.FS, pkg, toolchain string) (string, error) {
	names, err := closure(fsys, pkg)
	if err != nil {
		return "", err
	}
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", toolchain)
	for _, name := range append([]string{"go.mod", "go.sum"}, names...) {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			return "", err
		}
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// closure returns the files of a package and of all that it imports from this
// module, in alphabetical order.
func closure(fsys fs.FS, pkg string) ([]string, error) {
	var names []string
	todo, seen := []string{pkg}, map[string]bool{pkg: true}
	for len(todo) > 0 {
		pkg, todo = todo[0], todo[1:]
		files, err := fs.Glob(fsys, path.Join(strings.TrimPrefix(pkg, module+"/"), "*.go"))
		if err != nil || len(files) == 0 {
			return nil, fmt.Errorf("the sources of %s are not embedded in package %s", pkg, module)
		}
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") || strings.HasSuffix("_"+path.Base(name), "_figures.go") {
				continue // changes no number
			}
			names = append(names, name)
			data, err := fs.ReadFile(fsys, name)
			if err != nil {
				return nil, err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, data, parser.ImportsOnly)
			if err != nil {
				return nil, err
			}
			for _, spec := range file.Imports {
				p := strings.Trim(spec.Path.Value, `"`)
				if strings.HasPrefix(p, module+"/") && p != drawing && !seen[p] {
					seen[p] = true
					todo = append(todo, p)
				}
			}
		}
	}
	slices.Sort(names)
	return names, nil
}

// instructionSet returns the architecture and, where it has levels such as
// GOAMD64, the level that was compiled for, and whether multiplications and
// additions are fused.
func instructionSet() string {
	set := runtime.GOARCH
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GO"+strings.ToUpper(runtime.GOARCH) {
				set += " " + s.Value
			}
		}
	}
	if Fused() {
		set += " fused"
	}
	return set
}
