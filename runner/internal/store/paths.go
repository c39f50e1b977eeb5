package store

import (
	"fmt"
	"os"
	"path/filepath"
)

// SameFile reports whether two paths lead to the same file or folder, also through links, or would if it
// existed.
func SameFile(a, b string) bool {
	infoA, _ := os.Stat(a)
	infoB, _ := os.Stat(b)
	return os.SameFile(infoA, infoB) || Target(a) == Target(b)
}

// Target returns the absolute path without links. What does not exist yet may be in a folder with links.
func Target(path string) string {
	path, _ = filepath.Abs(path) // without a working directory it stays relative
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	if folder := filepath.Dir(path); folder != path {
		return filepath.Join(Target(folder), filepath.Base(path))
	}
	return path
}

// Spare returns an error if writing the output would replace or grow one of the inputs. The inputs and the
// output may be "", for none; - is the standard input or output. Devices and pipes can be both.
func Spare(output string, inputs ...string) error {
	path, name := output, output
	if output == "-" {
		path, name = "/dev/stdout", "the standard output"
	}
	if info, err := os.Stat(path); output == "" || err == nil && !info.Mode().IsRegular() {
		return nil
	}
	for _, input := range inputs {
		from := input
		if input == "-" {
			from = "/dev/stdin"
		}
		if input != "" && SameFile(from, path) {
			return fmt.Errorf("%s is the input %s, which would be lost: write to another file", name, input)
		}
	}
	return nil
}
