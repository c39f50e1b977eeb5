package data

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"closedform/internal/field"
	"closedform/runner/dataset"
)

// Files are the files of labelled examples: a CSV file, or IDX files of images and labels.
type Files struct {
	File string `toml:"file,omitempty" json:"file,omitempty"`
	dataset.Format
	Images string `toml:"images,omitempty" json:"images,omitempty"`
	Labels string `toml:"labels,omitempty" json:"labels,omitempty"`

	Sums []string `toml:"-" json:"sums,omitempty"` // SHA-256 of what Load has read, which results follow from
}

// Validate returns an error unless there is either a CSV file or images with labels.
func (f Files) Validate() error {
	if f.File == "" && f.Images == "" {
		return field.Errorf("file", `missing; allowed: one of file = "path.csv" and images = "path"`)
	}
	return Source{Files: f, TestFraction: 0.5}.Validate()
}

// Paths returns the paths of the files. Relative ones are in the folder.
func (f Files) Paths(folder string) []string {
	var out []string
	for _, path := range []string{f.File, f.Images, f.Labels} {
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
// has the name of the file, and the line.
func (f *Files) Load(folder string) (*Examples, error) { return f.load(folder, nil) }

// load is Load. Where the examples are the test part of others, a table has the inputs of these.
func (f *Files) load(folder string, train *Examples) (*Examples, error) {
	paths := f.Paths(folder)
	var contents [][]byte
	f.Sums = nil
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			return nil, err
		}
		contents, f.Sums = append(contents, content), append(f.Sums, fmt.Sprintf("%x", sha256.Sum256(content)))
	}
	if f.Images != "" {
		return readIDX(contents[0], contents[1], paths[0], paths[1])
	}
	table, err := dataset.ParseTable(contents[0], paths[0])
	if err != nil {
		return nil, err
	}
	if train != nil {
		return f.Format.TestExamples(table, train)
	}
	return f.Format.Examples(table)
}
