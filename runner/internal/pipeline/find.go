package pipeline

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"closedform/internal/field"
	"closedform/runner/dataset"
	"closedform/runner/internal/data/fetch"
	"closedform/runner/internal/manifest"
	"closedform/runner/internal/store"
	"closedform/runner/internal/studies"
	"closedform/runner/internal/study"
)

const (
	Folder     = "experiments"        // folder of the manifests that are run by name
	Results    = "results"            // folder of the results of the manifests in Folder
	OwnResults = "closedform-results" // folder of the results of any other manifest, beside the manifest
)

// Kinds are the studies that manifests may name.
var Kinds = studies.All

// Experiment is a manifest that its study has read.
type Experiment struct {
	*manifest.Manifest
	Kind  study.Kind
	Study study.Experiment
	Dir   string // the results folder

	out      string     // the folder Request.Out
	verified *store.Run // while results are verified, the run that made them
}

// Find reads and checks all manifests before the first results folder is touched. All leaves out confirmations.
// If data are needed, All skips manifests whose data are missing, with a line that says so, and a confirmation
// that is published is an error unless it is to run Again.
func (r *Request) Find(data bool) (found []*Experiment, err error) {
	names := r.Names
	if r.All {
		if names, err = manifests(); err != nil {
			return nil, err
		}
	}
	files := map[string]string{} // the manifest's file by results folder
	for _, name := range names {
		e, err := r.open(name)
		if err != nil && len(names) > 1 && !strings.Contains(err.Error(), name) {
			err = fmt.Errorf("%s: %w", name, err) // an error of -set does not name the file
		}
		if err != nil {
			return nil, err
		}
		if r.All && e.Confirmation {
			continue
		}
		dir := store.Target(e.Dir)
		if files[dir] != "" {
			return nil, UsageError{fmt.Errorf("%s and %s would both write to %s", files[dir], e.File, e.Dir)}
		}
		files[dir] = e.File
		if data {
			if err = e.missing(); err == nil && e.Confirmation {
				err = r.confirm(e)
			}
		}
		switch {
		case err == nil:
			found = append(found, e)
		case r.All:
			fmt.Fprintf(r.Stdout, "%v; skipped\n", err)
		default:
			return nil, err
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("no manifest to run in %s", Folder)
	}
	return found, nil
}

// confirm says that an experiment is a confirmation, or returns an error if it is published, be it with other
// values or in another folder.
func (r *Request) confirm(e *Experiment) error {
	for _, dir := range []string{e.Dir, filepath.Join(Results, e.Name)} {
		if run, err := store.ReadRun(dir); err == nil && !r.Again {
			return fmt.Errorf("%s: a confirmation, published in %s, of the commit %s; it is not run again, unless by "+
				"-confirm-again", e.Name, dir, run.Commit)
		}
	}
	fmt.Fprintf(r.Stdout, "%s: a confirmation: it is run once, and nothing is chosen by its results\n", e.Name)
	return nil
}

func manifests() ([]string, error) {
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
	files, err := manifests()
	if err != nil {
		return "", fmt.Errorf("no file %s, and %w", name, err)
	}
	for i, f := range files {
		files[i] = strings.TrimSuffix(filepath.Base(f), ".toml")
	}
	return "", fmt.Errorf("no manifest %q; allowed: the path of a file, or in %s: %s",
		name, Folder, strings.Join(files, ", "))
}

// open reads the manifest called name, or its short form.
func (r *Request) open(name string) (*Experiment, error) {
	path, err := find(name)
	if err != nil {
		return nil, err
	}
	e, err := r.read(path, nil)
	if r.Short && err == nil && !(r.All && e.Confirmation) {
		if len(e.Short) == 0 && len(e.Study.Cells()) > 0 {
			return nil, e.Locate("", field.Refuse(true, "short", nil,
				`values with which it takes seconds, such as ["sweep.seed=[1]"]`))
		}
		e, err = r.read(path, e.Short)
	}
	if err != nil {
		return nil, err
	}
	return e, e.place(r.Out)
}

// UsageError is an error of a command line, not of a manifest.
type UsageError struct{ error }

// read reads a manifest, with the values short and then Overrides in place of its own.
func (r *Request) read(path string, short []string) (*Experiment, error) {
	e, err := read(path, slices.Concat(short, r.Overrides))
	if err != nil && len(r.Overrides) > 0 {
		if _, without := read(path, short); without == nil {
			err = UsageError{err}
		}
	}
	return e, err
}

// read reads a manifest, with values that replace its own. It opens no data.
func read(path string, set []string) (*Experiment, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	m, err := manifest.Parse(path, text, set)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, k := range Kinds {
		if names = append(names, k.Name); k.Name == m.Study {
			s, err := k.New(m)
			return &Experiment{Manifest: m, Kind: k, Study: s}, err
		}
	}
	return nil, m.Locate("", field.Among("study", names, m.Study))
}

// missing returns an error if data files, or a program, are missing. It says how to get the files.
func (e *Experiment) missing() error {
	if d, ok := e.Study.(study.WithData); ok {
		paths, _ := d.Files()
		sets, get := filepath.Join(Folder, "data", fetch.File), CommandLine([]string{"fetch"})
		if err := fetch.Missing(sets, get, paths...); err != nil {
			return fmt.Errorf("%s: %w", e.Name, err)
		}
	}
	_, err := e.FindPrograms()
	return err
}

// place sets Dir. Without out, it is
//
//	in [Results] for a manifest in [Folder], whose name must be that of its file,
//	in the same folder for the manifest.toml of a results folder,
//	in [OwnResults] beside any other manifest,
//
// and its name is NAME@KEY=VALUE,… if values of the manifest are replaced. It is an error if Dir has the
// results of another manifest, or an input, or if other results would get into the published ones.
func (e *Experiment) place(out string) error {
	folder, name := filepath.Dir(e.File), e.Name
	if store.SameFile(e.Folder, Folder) {
		e.Origin = "" // its name is that of its file
	}
	standard, inputs := filepath.Join(folder, OwnResults), []string{e.File}
	switch file := strings.TrimSuffix(filepath.Base(e.File), ".toml"); {
	case e.Folder != folder && file == "manifest": // only a run writes the key folder
		standard, inputs = filepath.Dir(folder), nil
	case store.SameFile(folder, Folder) && file != name:
		return e.Locate("", field.Refuse(true, "name", name, fmt.Sprintf("that of the file, %q", file)))
	case store.SameFile(folder, Folder):
		standard = Results
	}
	e.out = out
	switch replaced := len(e.Overrides) > 0; {
	case out == "":
		if out = standard; replaced {
			name = store.FileName(name + "@" + strings.Join(e.Overrides, ","))
		}
	case isPublished(out) && (replaced || !store.SameFile(standard, Results)):
		return UsageError{fmt.Errorf("%s: -out %s has the published results; results of other values, or of a "+
			"manifest outside of %s/, need another folder: leave out -out, or name another one", e.Name, out, Folder)}
	}
	e.Dir = filepath.Join(out, name)
	var made manifest.Header
	_, err := toml.DecodeFile(filepath.Join(e.Dir, "manifest.toml"), &made)
	if err == nil && made.Folder != "" && (!store.SameFile(made.Folder, e.Folder) || made.Origin != e.Origin) {
		return fmt.Errorf("%s: %s has the results of %s, not of %s; choose another folder by -out or another "+
			"name, or remove these results", e.Name, e.Dir, filepath.Join(made.Folder, made.Origin), e.File)
	}
	if d, ok := e.Study.(study.WithData); ok {
		paths, _ := d.Files()
		inputs = append(inputs, paths...)
	}
	for _, input := range inputs {
		for _, path := range []string{input, store.Target(input)} {
			if store.SameFile(filepath.Dir(path), e.Dir) {
				return fmt.Errorf("%s: %s has the input %s, which the results could replace; choose another folder "+
					"by -out", e.Name, e.Dir, input)
			}
		}
	}
	return nil
}

func isPublished(out string) bool {
	_, err := manifests()
	return err == nil && store.SameFile(out, Results)
}

// GoRun is how the program is run in the root of the repository.
const GoRun = "go run ./runner"

// Program returns how the program was run: by the name that was typed, or by go run.
var Program = sync.OnceValue(func() string {
	if path, _ := os.Executable(); temporary.MatchString(path) {
		return GoRun
	}
	return quoted(os.Args[:1])[1:]
})

// temporary matches the folders in which go run and go test build programs.
var temporary = regexp.MustCompile(`[/\\](go-build\d+|[0-9a-f]{64}-d)[/\\]`)

// CommandLine returns the command line of the program with these words, quoted for a shell.
func CommandLine(words []string) string { return Program() + quoted(words) }

func quoted(words []string) (text string) {
	for _, word := range words {
		text += " " + dataset.Quote(word)
	}
	return text
}
