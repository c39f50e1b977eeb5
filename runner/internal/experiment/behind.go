package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/runner/internal/config"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Behind returns why the results in dir are not those of the current sources, manifest and results
// that they are derived of, or "" if they are. It reads no data.
func (e *Experiment) Behind(dir string) (why string, err error) {
	if why, err = e.behind(dir); why != "" && e.Elsewhere(dir) {
		why += "; its program, or this version of it, is not installed"
	}
	return why, err
}

func (e *Experiment) behind(dir string) (why string, err error) {
	run, err := store.ReadRun(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no results", nil
	case err != nil:
		return "", err
	case run.SourceDigest != SourceDigest():
		return "of other sources", nil
	}
	if same, err := e.resolvesTo(filepath.Join(dir, "manifest.toml")); err != nil || !same {
		return "of another manifest", err
	}
	d, ok := e.Study.(study.Derived)
	if !ok || len(e.Study.Cells()) > 0 {
		return "", nil
	}
	// Without cells its tables are made again.
	if _, err := Use(d, filepath.Dir(dir)); err != nil {
		return "derived of results that cannot be read", nil
	}
	tables, err := e.Study.Tables(nil)
	for _, t := range tables {
		file := store.TableFile(t)
		if old, _ := os.ReadFile(filepath.Join(dir, file.Name)); !bytes.Equal(old, file.Data) {
			return "derived of other results", nil
		}
	}
	return "", err
}

// Elsewhere reports whether results in dir cannot be made again here: a program that the manifest
// names is not installed, or not in the version that made them.
func (e *Experiment) Elsewhere(dir string) bool {
	var made struct{ Method []struct{ Program string } }
	_, err1 := toml.DecodeFile(filepath.Join(dir, "manifest.toml"), &made)
	installed, err2 := e.FindPrograms()
	for _, m := range made.Method {
		if m.Program != "" && err1 == nil && !slices.Contains(installed, m.Program) {
			return true
		}
	}
	return err2 != nil
}

// resolvesTo reports whether the manifest can be resolved to that in a file. Values that
// the manifest leaves to the data are only in the file.
func (e *Experiment) resolvesTo(file string) (bool, error) {
	text, err := e.Resolved(e.Study)
	if err != nil {
		return false, err
	}
	var today, then map[string]any
	if err := toml.Unmarshal(text, &today); err != nil {
		return false, err
	}
	_, err = toml.DecodeFile(file, &then)
	prune(then, today)
	prune(today, today)
	return err == nil && fmt.Sprint(then) == fmt.Sprint(today), nil
}

// prune removes plain values of a manifest that another one does not have, or has as empty lists. The
// version of a program in another language goes, too: results that another version made are not behind.
func prune(manifest, other any) {
	switch m := manifest.(type) {
	case map[string]any:
		o, _ := other.(map[string]any)
		for key, value := range m {
			there, has := o[key]
			if list, ok := there.([]any); ok && len(list) == 0 {
				has = false
			}
			switch value.(type) {
			case map[string]any, []map[string]any:
				has = true
			}
			if prune(value, o[key]); !has || key == "program" {
				delete(m, key)
			}
		}
	case []map[string]any:
		o, _ := other.([]map[string]any)
		for i := range min(len(m), len(o)) {
			prune(m[i], o[i])
		}
	}
}

// Use gives an experiment access to the results of others in a folder, and returns their checksums.
func Use(d study.Derived, results string) (sums []byte, err error) {
	sources := map[string]*store.Results{}
	for _, name := range d.Sources() {
		r, err := store.OpenResults(filepath.Join(results, name))
		if errors.Is(err, fs.ErrNotExist) {
			if _, err = config.Find(name, Folder); err == nil {
				err = fmt.Errorf("run it first: -exp %s -out %s", name, results)
			}
			err = fmt.Errorf("none in %s: %w", results, err)
		}
		if err != nil {
			return nil, fmt.Errorf("reads the results of %s: %w", name, err)
		}
		sources[name] = r
		sums = append(sums, r.Sums()...)
	}
	return sums, d.Use(func(experiment, name string) (*table.Table, error) {
		if sources[experiment] == nil {
			return nil, fmt.Errorf("%s is not one of its sources: %s", experiment, strings.Join(d.Sources(), ", "))
		}
		return sources[experiment].Table(name)
	})
}
