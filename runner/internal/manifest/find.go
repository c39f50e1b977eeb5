package manifest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// List returns the names of the manifests in the folder dir, without .toml, in
// alphabetical order.
func List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("manifests: %w", err)
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".toml"); ok && !e.IsDir() {
			names = append(names, name)
		}
	}
	return names, nil
}

// Find returns the path of the manifest called name: name itself if it is the
// path of a file, or else the file of this name in the folder dir, with or
// without .toml. The error lists the manifests in dir.
func Find(name, dir string) (string, error) {
	paths := []string{name}
	if name == filepath.Base(name) {
		paths = append(paths, filepath.Join(dir, name), filepath.Join(dir, name+".toml"))
	}
	for _, p := range paths {
		if info, err := os.Stat(p); err == nil && !info.IsDir() {
			return p, nil
		}
	}
	names, err := List(dir)
	if err != nil {
		return "", fmt.Errorf("no manifest %q: %w", name, err)
	}
	if len(names) == 0 {
		return "", fmt.Errorf("no manifest %q: there is none in %s", name, dir)
	}
	return "", fmt.Errorf("no manifest %q; allowed: the path of a file, or in %s: %s", name, dir, strings.Join(names, ", "))
}
