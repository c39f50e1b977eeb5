// Package experiment reads manifests with their studies, and determines what their cells follow from and
// whether results are those of the current code and manifest.
package experiment

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/runner/internal/config"
	"closedform/runner/internal/fetch"
	"closedform/runner/internal/studies"
	"closedform/runner/internal/study"
)

// Folder is the folder of the manifests that are run by name.
const Folder = "experiments"

// Kinds are the studies that manifests may name.
var Kinds = studies.All

// former says of each study that was removed what to do instead.
var former = map[string]string{
	"open_set":  "unseen of the study unknown keeps classes from a training, and scores the method without them",
	"discover":  "a program adds classes along a stream with AddClass of closedform/core/bnn",
	"drift":     "the study learn follows a file with shuffle = false; process_noise is a key of a [[method]]",
	"vouched":   "baselines/README.md names for each baseline the test that compares it with another program",
	"calibrate": "the table lambda of the study moments has the λ of each number of classes",
}

// Experiment is a manifest that its study has read.
type Experiment struct {
	*config.Manifest
	Kind  study.Kind
	Study study.Experiment
}

// Read reads a manifest, with values that replace its own. It opens no data.
func Read(path string, overrides []string) (*Experiment, error) {
	m, err := config.Read(path, overrides)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, k := range Kinds {
		if k.Name == m.Study {
			s, err := k.New(m)
			return &Experiment{m, k, s}, err
		}
		names = append(names, k.Name)
	}
	if instead, ok := former[m.Study]; ok {
		return nil, m.Errorf("study", "%q was removed: %s", m.Study, instead)
	}
	return nil, m.Errorf("study", "%q is not a study; allowed: one of %s", m.Study, strings.Join(names, ", "))
}

// ShortForm returns the short form of the experiment, with further values.
func (e *Experiment) ShortForm(overrides []string) (*Experiment, error) {
	if len(e.Short) == 0 && len(e.Study.Cells()) > 0 {
		return nil, e.Errorf("short", `missing; allowed: what makes the experiment take seconds, such as ["sweep.seed=[1]"]`)
	}
	return Read(e.File, slices.Concat(e.Short, overrides))
}

// Missing says which data files of an experiment are not there, and how to get them, or which program is not.
func (e *Experiment) Missing() error {
	if d, ok := e.Study.(study.WithData); ok {
		if err := fetch.Missing(filepath.Join(Folder, "data", fetch.File), d.Files()...); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	_, err := e.FindPrograms()
	return err
}

// SeedsOf returns the seeds of a resolved manifest.
func (e *Experiment) SeedsOf(resolved []byte) ([]int, error) {
	var m struct{ Sweep config.Sweep }
	if _, err := toml.Decode(string(resolved), &m); err != nil {
		return nil, err
	}
	return e.Seeds(m.Sweep.Seed)
}
