// Package experiment reads manifests with their studies, and determines what their cells follow from and
// whether results are those of the current code and manifest.
package experiment

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
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

var former = map[string]string{
	"compare":   `study = "learn"`,
	"hidden":    `study = "learn"`,
	"order":     `study = "learn" with evaluate.order = "repeated"`,
	"sorted":    `study = "learn" with evaluate.order = "sorted"`,
	"ablation":  `study = "learn" with sweep.lambda and sweep.rho, or "moments"`,
	"stability": `study = "moments" with against = "definite"`,
	"mc_check":  `study = "moments" with against = "montecarlo"`,
	"calibrate": `study = "moments", whose table lambda has the λ of each number of classes`,
}

// SourceDigest identifies the code that makes the cells of all studies.
var SourceDigest = closedform.Digest

// Experiment is a manifest that its study has read.
type Experiment struct {
	*manifest.Manifest
	Kind  study.Kind
	Study study.Experiment
	Dir   string // the results folder
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

// find returns the path of the manifest called name: a path, or a file in [Folder], with or without .toml.
func find(name string) (string, error) {
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

// Open reads the manifest called name, or its short form, with values that replace its own, and places its
// results in the folder out, or where they are by default.
func Open(name string, overrides []string, short bool, out string) (*Experiment, error) {
	path, err := find(name)
	if err != nil {
		return nil, err
	}
	e, err := Read(path, overrides)
	if short && err == nil {
		if len(e.Short) == 0 && len(e.Study.Cells()) > 0 {
			return nil, e.Errorf("short", `missing; allowed: what makes it take seconds, such as ["sweep.seed=[1]"]`)
		}
		e, err = Read(path, slices.Concat(e.Short, overrides))
	}
	if err != nil {
		return nil, err
	}
	return e, e.place(out)
}

// Read reads a manifest, with values that replace its own. It opens no data.
func Read(path string, overrides []string) (*Experiment, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := manifest.Parse(path, text, overrides)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, k := range Kinds {
		if names = append(names, k.Name); k.Name != m.Study {
			continue
		}
		s, err := k.New(m)
		return &Experiment{m, k, s, ""}, err
	}
	if instead := former[m.Study]; instead != "" {
		return nil, m.Errorf("study", "%q was removed; write %s, see experiments/KEYS.md", m.Study, instead)
	}
	return nil, m.Errorf("study", "%q is not a study; allowed: one of %s", m.Study, strings.Join(names, ", "))
}

// Missing says which data files of an experiment are not there, and how to get them, or which program is not.
func (e *Experiment) Missing() error {
	if d, ok := e.Study.(study.WithData); ok {
		paths, _ := d.Files()
		if err := fetch.Missing(filepath.Join(Folder, "data", fetch.File), paths...); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	_, err := e.FindPrograms()
	return err
}

// Resolved returns the manifest with all values spelled out. The folder of one of your own has its whole
// path, as it may be run from anywhere.
func (e *Experiment) Resolved() ([]byte, error) {
	m := *e.Manifest
	if m.Folder, _ = filepath.Abs(m.Folder); SameFile(m.Folder, Folder) {
		m.Folder = Folder
	}
	return m.Resolved(e.Study)
}

// Published reports whether the folder out is that of the published results.
func Published(out string) bool {
	_, other := All()
	return other == nil && SameFile(out, Results)
}

// place sets Dir. By default it is in Results for a manifest in [Folder], which has the name of its file, in
// the same folder for one among results, and in OwnResults beside any other; with other values than those of
// the manifest it is NAME@KEY=VALUE,…. It is an error if other results are published there, or would be.
func (e *Experiment) place(out string) error {
	folder, name := filepath.Dir(e.File), e.Name
	standard := filepath.Join(folder, OwnResults)
	switch file := strings.TrimSuffix(filepath.Base(e.File), ".toml"); {
	case e.Folder != folder && file == "manifest": // which a run has written
		standard = filepath.Dir(folder)
	case SameFile(folder, Folder) && file != name:
		return e.Errorf("name", "%q is not allowed; allowed: that of the file, %q", name, file)
	case SameFile(folder, Folder):
		standard = Results
	}
	switch others := len(e.Overrides) > 0; {
	case out == "":
		if out = standard; others {
			name = folderName(name + "@" + strings.Join(e.Overrides, ","))
		}
	case Published(out) && (others || !SameFile(standard, Results)):
		return fmt.Errorf("%s: -out %s has the published results, and those of other values, or of a manifest "+
			"outside of %s/, go elsewhere: leave out -out, or name another folder", e.Name, out, Folder)
	}
	e.Dir = filepath.Join(out, name)
	var made manifest.Header // none, or damaged: no other
	_, err := toml.DecodeFile(filepath.Join(e.Dir, "manifest.toml"), &made)
	if err == nil && made.Folder != "" && !SameFile(made.Folder, e.Folder) {
		return fmt.Errorf("%s: %s has the results of a manifest in %s, not in %s; choose another folder by -out, "+
			"or remove them", e.Name, e.Dir, made.Folder, e.Folder)
	}
	return nil
}

var notPlain = regexp.MustCompile(`[^A-Za-z0-9_+=@,.-]`)

// folderName returns text as a folder name that is valid anywhere. A hash keeps changed names different.
func folderName(text string) string {
	name := notPlain.ReplaceAllString(text, "_")
	if name != text || len(name) > 100 {
		name = fmt.Sprintf("%.100s-%.8s", name, Checksum([]byte(text)))
	}
	return name
}

// SameFile reports whether two paths lead to one file or folder, or would.
func SameFile(a, b string) bool {
	one, _ := os.Stat(a)
	two, _ := os.Stat(b)
	whole, err := filepath.Abs(a)
	other, _ := filepath.Abs(b)
	return os.SameFile(one, two) || err == nil && whole == other
}

// Cells returns the cells and their fingerprints: checksums of source digest and spec.
func (e *Experiment) Cells() (cells []study.Cell, prints []string, err error) {
	if cells = e.Study.Cells(); len(cells) > manifest.MaxCells {
		return nil, nil, fmt.Errorf("%d cells; allowed: %d", len(cells), manifest.MaxCells)
	}
	for _, c := range cells {
		spec, err := json.Marshal(c.Spec)
		if err != nil {
			return nil, nil, fmt.Errorf("cell %s: %w", c.Key, err)
		}
		prints = append(prints, Checksum([]byte(SourceDigest()), spec))
	}
	return cells, prints, nil
}

// Checksum returns the SHA-256, in hexadecimal, of all parts.
func Checksum(parts ...[]byte) string {
	return fmt.Sprintf("%x", sha256.Sum256(fmt.Appendf(nil, "%q", parts)))
}

// Executable is the digest of the binary: a cell follows from the code that makes numbers, but how tables are
// written and drawn may be any other.
var Executable = sync.OnceValue(func() []byte {
	path, _ := os.Executable()
	code, unread := os.ReadFile(path)
	return fmt.Appendf(nil, "%x %v", sha256.Sum256(code), unread)
})

// program is what a program is, which may be another version than that of the results.
var program = regexp.MustCompile(`(?m)^program = .*\n`)

// Behind returns why its results are not those of the current sources, manifest and results that they
// are derived from, or "" if they are. It reads no data.
func (e *Experiment) Behind() (why string, err error) {
	run, unread := store.ReadRun(e.Dir)
	made, _ := os.ReadFile(filepath.Join(e.Dir, "manifest.toml")) // none is another one
	elsewhere := e.Elsewhere()                                    // first, as it sets the checksums of programs
	text, err := e.Resolved()
	switch {
	case errors.Is(unread, fs.ErrNotExist):
		return "no results", nil
	case unread != nil || err != nil:
		return "", cmp.Or(unread, err)
	case run.SourceDigest != SourceDigest():
		why = "of other sources"
	case !bytes.Equal(program.ReplaceAll(made, nil), program.ReplaceAll(text, nil)):
		why = "of another manifest"
	case !e.sameTables():
		why = "derived of other results"
	}
	if why != "" && elsewhere {
		why += "; its program, or this version of it, is not installed"
	}
	return why, nil
}

// sameTables reports whether its tables are those that are derived of other results, if any are.
func (e *Experiment) sameTables() bool {
	d, derived := e.Study.(study.Derived)
	if !derived {
		return true
	}
	_, err := Use(d, filepath.Dir(e.Dir))
	return err == nil && !slices.ContainsFunc(e.Study.Tables(nil), func(t *table.Table) bool {
		file := store.TableFile(t)
		old, _ := os.ReadFile(filepath.Join(e.Dir, file.Name))
		return !bytes.Equal(old, file.Data)
	})
}

// Elsewhere reports whether its results cannot be made here: a program is missing or of another version.
func (e *Experiment) Elsewhere() bool {
	installed, err := e.FindPrograms()
	run, unread := store.ReadRun(e.Dir)
	return err != nil || unread == nil && slices.ContainsFunc(run.Programs, func(p string) bool {
		return !slices.Contains(installed, p)
	})
}

// Use gives an experiment access to the results of others in a folder, and returns their checksums.
func Use(d study.Derived, results string) (sums []byte, err error) {
	for _, name := range d.Sources() {
		r, err := store.OpenResults(filepath.Join(results, name))
		if errors.Is(err, fs.ErrNotExist) {
			_, unknown := find(name)
			err = cmp.Or(unknown, fmt.Errorf("%w; run it first: -exp %s -out %s", err, name, results))
		}
		if err != nil {
			return nil, fmt.Errorf("reads the results of %s: %w", name, err)
		}
		sums = append(sums, r.Sums()...)
	}
	return sums, d.Use(store.Published(results))
}

// Draw returns the files of a figure, which is drawn from only the published tables that it needs.
func Draw(figure study.Figure, read func(string) (*table.Table, error)) ([]store.File, error) {
	var needs table.Set
	for _, name := range figure.Needs {
		t, err := read(name)
		if err != nil {
			return nil, fmt.Errorf("needs %w", err)
		}
		needs = append(needs, t)
	}
	page := figure.Draw(needs)
	png, err1 := page.Encode("png")
	pdf, err2 := page.Encode("pdf")
	return []store.File{{Name: figure.Name + ".png", Data: png}, {Name: figure.Name + ".pdf", Data: pdf}},
		errors.Join(err1, err2)
}
