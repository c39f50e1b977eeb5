package data

import (
	"cmp"

	"closedform/internal/field"
	"closedform/runner/internal/config"
)

// Named is a table [[set]].
type Named struct {
	Name string `toml:"name" allowed:"a text"`
	Source
	Splits int `toml:"splits,omitzero"` // the number of seeds that use the set; 0: all
}

// Validate returns the first error that can be seen without opening a file.
func (n Named) Validate() error {
	return cmp.Or(field.Within("splits", n.Splits, 0, config.MaxTrain), n.Source.Validate())
}

// Sources are the tables [[set]] of a manifest.
type Sources struct {
	Sets []Named `toml:"set" allowed:"at least one table headed [[set]]"`
}

// Paths returns the paths of all files. Relative ones are in the folder.
func (s Sources) Paths(folder string) (files []string) {
	for _, set := range s.Sets {
		files = append(files, set.Paths(folder)...)
	}
	return files
}

// About says what the files have, in lines.
func (s Sources) About() (lines []string) {
	for _, set := range s.Sets {
		lines = append(lines, set.About()...)
	}
	return lines
}

// Load reads the files. The error names the place in the manifest.
func (s Sources) Load(m *config.Manifest) error {
	for i := range s.Sets {
		if err := m.Locate("set."+s.Sets[i].Name, s.Sets[i].Load(m.Folder)); err != nil {
			return err
		}
	}
	return nil
}
