package data

import (
	"cmp"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"closedform/core/field"
)

// Files are the files of labelled examples: a CSV file, or IDX files of images and labels.
type Files struct {
	File   string `toml:"file,omitempty" json:"file,omitempty"`
	Class  string `toml:"class,omitempty" json:"class,omitempty"` // its column of classes, default "class"
	Images string `toml:"images,omitempty" json:"images,omitempty"`
	Labels string `toml:"labels,omitempty" json:"labels,omitempty"`

	Sums []string `toml:"-" json:"sums,omitempty"` // SHA-256 of what Load has read, which results follow from
}

// Validate returns an error unless there is either a CSV file or images with labels.
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
	if f.File != "" {
		f.Class = cmp.Or(f.Class, "class")
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

// Load reads all examples and sets Sums. Relative paths are in the folder. The error is
// a [*MissingError] if a file is not there, and else has its name and line.
func (f *Files) Load(folder string) (*Examples, error) {
	paths := f.Paths(folder)
	contents, errs := make([][]byte, len(paths)), make([]error, len(paths))
	f.Sums = nil
	for i, path := range paths {
		contents[i], errs[i] = os.ReadFile(path)
		f.Sums = append(f.Sums, sha(contents[i]))
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
	text, hint := "no file "+strings.Join(e.Paths, ", "), ""
	for _, path := range e.Paths {
		if set := setOf(path); set != "" && !strings.Contains(hint+" ", " -fetch "+set+" ") {
			hint += " -fetch " + set
		}
	}
	if hint != "" {
		text += "; to get the data: go run ./runner" + hint
	}
	return text
}

// Join returns the first error that is not about a missing file, or else one
// [*MissingError] with all that are missing, or nil.
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
