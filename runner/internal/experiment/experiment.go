// Package experiment reads manifests with their studies, and determines what their cells follow from and
// whether results are those of the current code and manifest.
package experiment

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"closedform"
	"closedform/runner/internal/data/fetch"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/store"
	"closedform/runner/internal/studies"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

const (
	Folder     = "experiments"        // of the manifests that are run by name
	Results    = "results"            // of their results
	OwnResults = "closedform-results" // of those of a manifest elsewhere, beside it
)

// Kinds are the studies that manifests may name.
var Kinds = studies.All

// former says of each study that was renamed what to do instead.
var former = map[string]string{
	"compare": `study = "learn" compares methods on [[set]]s; reference, leave_out and splits_of are in [evaluate]`,
	"hidden":  `study = "learn" has [[set]] for [[task]]; snapshots and passes are in [evaluate]`,
	"order": `study = "learn" with evaluate.order = "repeated" has [[set]] for [[task]]; orders are the ` +
		`permutations, resamples the samples`,
	"sorted":    `study = "learn" with evaluate.order = "sorted"; a [[set]] has the methods that learn it`,
	"stability": `study = "moments" with against = "definite" has the keys of [stability] in [moments]`,
	"mc_check": `study = "moments" with against = "montecarlo" has the keys of [mc_check] in [moments]; ` +
		"draws were cases, and lambda is a list",
	"ablation": `study = "learn" sweeps lambda and rho; the errors of [ablation] are study = "moments", with ` +
		"the keys of [ablation], lambda and rho in [moments]",
	"calibrate": "the table lambda of the study moments has the λ of each number of classes",
}

// SourceDigest identifies the code that makes the cells of all studies.
var SourceDigest = closedform.Digest

// Formats are the file formats of a figure.
var Formats = []string{"png", "pdf"}

// Experiment is a manifest that its study has read.
type Experiment struct {
	*manifest.Manifest
	Kind  study.Kind
	Study study.Experiment
}

// All returns the paths of all manifests in [Folder].
func All() ([]string, error) {
	if info, err := os.Stat(Folder); err != nil || !info.IsDir() {
		working, _ := os.Getwd()
		return nil, fmt.Errorf("no folder %s/ in %s; go to the root of the repository of closedform, "+
			"or give the path of a manifest", Folder, working)
	}
	return filepath.Glob(filepath.Join(Folder, "*.toml"))
}

// Find returns the path of the manifest called name: name itself if it is the path of a
// file, or else the file of this name in [Folder], with or without .toml.
func Find(name string) (string, error) {
	for _, p := range []string{name, filepath.Join(Folder, name), filepath.Join(Folder, name+".toml")} {
		if info, err := os.Stat(p); err == nil && !info.IsDir() {
			return p, nil
		}
	}
	files, err := All()
	if err != nil {
		return "", fmt.Errorf("no file %s, and %w", name, err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".toml")
	}
	return "", fmt.Errorf("no manifest %q; allowed: the path of a file, or in %s: %s",
		name, Folder, strings.Join(files, ", "))
}

// Read reads a manifest, with values that replace its own. It opens no data.
func Read(path string, overrides []string) (*Experiment, error) {
	m, err := manifest.Read(path, overrides)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, k := range Kinds {
		if names = append(names, k.Name); k.Name != m.Study {
			continue
		}
		s, err := k.New(m)
		return &Experiment{m, k, s}, err
	}
	if instead, ok := former[m.Study]; ok {
		return nil, m.Errorf("study", "%q was removed: %s", m.Study, instead)
	}
	return nil, m.Errorf("study", "%q is not a study; allowed: one of %s", m.Study, strings.Join(names, ", "))
}

// ShortForm returns the short form of the experiment, with further values.
func (e *Experiment) ShortForm(overrides []string) (*Experiment, error) {
	if len(e.Short) == 0 && len(e.Study.Cells()) > 0 {
		return nil, e.Errorf("short", `missing; allowed: what makes it take seconds, such as ["sweep.seed=[1]"]`)
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

// program matches the version of a program in a resolved manifest.
var program = regexp.MustCompile(`(?m)^program = .*$`)

// Digest returns a checksum of all values of the manifest. It is called before the data are read, which some
// values follow from.
func (e *Experiment) Digest() (string, error) {
	_, _ = e.FindPrograms() // sets the checksums of their files; a program may be absent, or of another version
	text, err := e.Resolved()
	return Checksum(program.ReplaceAll(text, nil)), err
}

// Resolved returns the manifest with all values spelled out. The folder of one of your own has its whole
// path, as it may be run from anywhere.
func (e *Experiment) Resolved() ([]byte, error) {
	m := *e.Manifest
	if !SameFile(m.Folder, Folder) {
		m.Folder, _ = filepath.Abs(m.Folder)
	}
	return m.Resolved(e.Study)
}

// Out returns the folder of the results folder, by default: Results of a manifest in [Folder], the same again
// of one among results, and a folder beside any other.
func (e *Experiment) Out() string {
	dir := filepath.Dir(e.File)
	_, err := store.OpenResults(dir)
	switch {
	case SameFile(dir, Folder):
		return Results
	case err == nil && filepath.Base(e.File) == "manifest.toml":
		return filepath.Dir(dir)
	}
	return filepath.Join(dir, OwnResults)
}

// Namesake returns the manifest NAME.toml beside this one that has the same name, "" if there is none.
func (e *Experiment) Namesake() string {
	var other manifest.Header
	file := filepath.Join(filepath.Dir(e.File), e.Name+".toml")
	if _, err := toml.DecodeFile(file, &other); err == nil && other.Name == e.Name && !SameFile(file, e.File) {
		return file
	}
	return ""
}

// SameFile reports whether two paths lead to one file or folder, or would.
func SameFile(a, b string) bool {
	one, err1 := os.Stat(a)
	two, err2 := os.Stat(b)
	if err1 == nil && err2 == nil {
		return os.SameFile(one, two)
	}
	one1, err1 := filepath.Abs(a)
	two1, err2 := filepath.Abs(b)
	return err1 == nil && err2 == nil && one1 == two1
}

// Free returns an error if dir has the results of a manifest in another folder, which may have the same name.
func (e *Experiment) Free(dir string) error {
	var made manifest.Header
	_, err := toml.DecodeFile(filepath.Join(dir, "manifest.toml"), &made)
	if err != nil || made.Folder == "" || SameFile(made.Folder, e.Folder) {
		return nil
	}
	return fmt.Errorf("%s has the results of a manifest in %s, not in %s; choose another folder by -out, "+
		"or remove them", dir, made.Folder, e.Folder)
}

// Cells returns the cells, whose keys differ, and their fingerprints, which are checksums of the
// source digest and of their specs.
func (e *Experiment) Cells() (cells []study.Cell, prints []string, err error) {
	cells = e.Study.Cells()
	if len(cells) > manifest.MaxCells {
		return nil, nil, fmt.Errorf("%d cells; allowed: %d", len(cells), manifest.MaxCells)
	}
	seen := map[string]bool{}
	for _, c := range cells {
		spec, err := json.Marshal(c.Spec)
		if err != nil {
			return nil, nil, fmt.Errorf("cell %s: %w", c.Key, err)
		}
		if seen[c.Key] {
			return nil, nil, fmt.Errorf("two cells are called %s", c.Key)
		}
		seen[c.Key] = true
		prints = append(prints, Checksum([]byte(SourceDigest()), spec))
	}
	return cells, prints, nil
}

// Checksum returns the SHA-256, in hexadecimal, of all parts.
func Checksum(parts ...[]byte) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d\n", len(p))
		h.Write(p)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// Executable is the digest of the binary: a cell follows from the code that makes numbers,
// but how tables are written and drawn may be any other.
var Executable = sync.OnceValue(func() []byte {
	path, _ := os.Executable()
	code, err := os.ReadFile(path)
	if err != nil {
		panic("experiment: the program cannot be read: " + err.Error())
	}
	return []byte(Checksum(code))
})

// Draw returns the files of a figure, which is drawn only from the published tables that it needs.
func Draw(figure study.Figure, read func(name string) (*table.Table, error)) (files []store.File, err error) {
	var needs table.Set
	for _, name := range figure.Needs {
		t, err := read(name)
		if err != nil {
			return nil, fmt.Errorf("figure %s needs %w", figure.Name, err)
		}
		needs = append(needs, t)
	}
	page, err := figure.Draw(needs)
	for _, format := range Formats {
		file := store.File{Name: figure.Name + "." + format}
		if err == nil {
			file.Data, err = page.Encode(format)
		}
		files = append(files, file)
	}
	if err != nil {
		return nil, fmt.Errorf("figure %s: %w", figure.Name, err)
	}
	return files, nil
}
