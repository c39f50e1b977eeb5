// Package closedform knows the sources that the program's numbers come from.
// The mathematics is in core, rival methods are in baselines, and the program
// that runs experiments is in runner.
package closedform

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
)

// sources are the files that can change a number in a table. How tables are
// stored and drawn, and how the work is shared out, cannot.
//
//go:embed go.mod go.sum
//go:embed core/*/*.go
//go:embed baselines/*/*.go
//go:embed runner/internal/dataset/*.go
//go:embed runner/internal/manifest/*.go
//go:embed runner/internal/metric/*.go
//go:embed runner/internal/oldstudy/*.go
var sources embed.FS

// Version returns the code version under which a number is made: the SHA-256,
// in hexadecimal, of the name, length and content of each source file that can
// change a number, tests aside, of the Go release, and of the instruction set
// that was compiled for. It is the same wherever the same checkout is built for
// the same instruction set.
func Version() string {
	return hash(sources, runtime.Version()+" "+instructionSet())
}

// hash returns the SHA-256 of the toolchain and of all files but tests.
func hash(fsys fs.FS, toolchain string) string {
	var names []string
	err := fs.WalkDir(fsys, ".", func(name string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !strings.HasSuffix(name, "_test.go") {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		panic(fmt.Sprintf("closedform: %v", err)) // embedded files can be listed
	}
	slices.Sort(names)
	h := sha256.New()
	fmt.Fprintf(h, "%s\n", toolchain)
	for _, name := range names {
		data, err := fs.ReadFile(fsys, name)
		if err != nil {
			panic(fmt.Sprintf("closedform: %v", err)) // and read
		}
		fmt.Fprintf(h, "%s %d\n", name, len(data))
		h.Write(data)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// instructionSet returns the architecture and, where it has levels such as
// GOAMD64, the level that was compiled for: with another one the compiler may
// fuse multiplications and additions.
func instructionSet() string {
	set := runtime.GOARCH
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "GO"+strings.ToUpper(runtime.GOARCH) {
				set += " " + s.Value
			}
		}
	}
	return set
}
