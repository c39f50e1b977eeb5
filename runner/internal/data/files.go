package data

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"closedform/core/field"
)

// Files are the files of labelled examples: a CSV file with a header line, or IDX
// files of images and their labels, gzip or not.
type Files struct {
	File   string `toml:"file,omitempty" json:"file,omitempty"`
	Class  string `toml:"class,omitempty" json:"class,omitempty"` // its column of classes, default "class"
	Images string `toml:"images,omitempty" json:"images,omitempty"`
	Labels string `toml:"labels,omitempty" json:"labels,omitempty"`

	// Sums are the SHA-256 of what Load has read, in the order of the keys. They are
	// part of what a result follows from, not of a manifest.
	Sums []string `toml:"-" json:"sums,omitempty"`
}

// Validate returns an error unless there is either a CSV file or a pair of images
// and labels.
func (f Files) Validate() error {
	switch {
	case (f.File != "") == (f.Images != ""):
		return field.Errorf("images", "allowed: one of images and file")
	case (f.Images != "") != (f.Labels != ""):
		return field.Errorf("labels", "allowed: images and labels together")
	case f.Class != "" && f.File == "":
		return field.Errorf("class", "does not go with images")
	}
	return nil
}

// WithDefaults returns the files with the column of classes.
func (f Files) WithDefaults() Files {
	if f.File != "" && f.Class == "" {
		f.Class = "class"
	}
	return f
}

// Paths returns the paths of the files. Relative ones are in the folder.
func (f Files) Paths(folder string) []string { return pathsIn(folder, f.File, f.Images, f.Labels) }

// pathsIn returns the paths that are not empty, relative ones in the folder.
func pathsIn(folder string, paths ...string) []string {
	var out []string
	for _, path := range paths {
		if path != "" && !filepath.IsAbs(path) {
			path = filepath.Join(folder, path)
		}
		if path != "" {
			out = append(out, path)
		}
	}
	return out
}

// Load reads all examples and sets Sums. Relative paths are in the folder. The error
// is a [*MissingError] if a file is not there; what is wrong with the content of one
// is said with its name and line.
func (f *Files) Load(folder string) (*Examples, error) {
	paths := f.Paths(folder)
	contents, errs := make([][]byte, len(paths)), make([]error, len(paths))
	f.Sums = nil
	for i, path := range paths {
		contents[i], errs[i] = os.ReadFile(path)
		sum := sha256.Sum256(contents[i])
		f.Sums = append(f.Sums, hex.EncodeToString(sum[:]))
	}
	if err := Join(errs...); err != nil {
		return nil, err
	}
	if f.File != "" {
		return readCSV(contents[0], paths[0], f.WithDefaults().Class)
	}
	return readIDX(contents[0], contents[1], paths[0], paths[1])
}

// MissingError says which data files are not there, and how to get them.
type MissingError struct{ Paths []string }

func (e *MissingError) Error() string {
	var sets []string
	for _, path := range e.Paths {
		if set := setOf(path); set != "" && !slices.Contains(sets, set) {
			sets = append(sets, set)
		}
	}
	text := "no file " + strings.Join(e.Paths, ", ")
	if len(sets) > 0 {
		text += "; to get the data: go run ./runner -fetch " + strings.Join(sets, " -fetch ")
	}
	return text
}

// Join returns the first error that is not about a missing file; if there is none,
// one [*MissingError] with all that are missing, or nil.
func Join(errs ...error) error {
	all := &MissingError{}
	for _, err := range errs {
		missing, ok := errors.AsType[*MissingError](err)
		path, isPath := errors.AsType[*fs.PathError](err)
		switch {
		case ok:
			all.Paths = append(all.Paths, missing.Paths...)
		case isPath && errors.Is(err, fs.ErrNotExist):
			all.Paths = append(all.Paths, path.Path)
		case err != nil:
			return err
		}
	}
	if len(all.Paths) == 0 {
		return nil
	}
	slices.Sort(all.Paths)
	all.Paths = slices.Compact(all.Paths)
	return all
}
