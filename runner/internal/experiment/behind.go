package experiment

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/BurntSushi/toml"

	"closedform/runner/internal/config"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Behind returns why the results in dir are behind the current code or
// manifest, or "" if they are not. It reads no data.
func (e *Experiment) Behind(dir string) (why string, err error) {
	run, err := store.ReadRun(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return "no results", nil
	}
	if err != nil {
		return "", err
	}
	_, version, err := e.Versions()
	if err != nil {
		return "", err
	}
	if run.CodeVersion != version {
		return "other code", nil
	}
	same, err := e.resolvesTo(filepath.Join(dir, "manifest.toml"))
	if err != nil || !same {
		return "another manifest", err
	}
	if d, ok := e.Study.(study.Derived); ok {
		return e.sourcesBehind(d, dir)
	}
	return "", nil
}

// resolvesTo reports whether the manifest can be resolved to that in a file. Values that
// the manifest leaves to the data are only in the file.
func (e *Experiment) resolvesTo(file string) (bool, error) {
	text, err := e.Resolved(e.Study)
	if err != nil {
		return false, err
	}
	var today, then map[string]any
	if _, err := toml.Decode(string(text), &today); err != nil {
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

// sourcesBehind says whether the results that an experiment reads are others than those that it read: its tables are
// made again, unless it has cells.
func (e *Experiment) sourcesBehind(d study.Derived, dir string) (why string, err error) {
	if len(e.Study.Cells()) > 0 {
		return "", nil
	}
	if _, err := Use(d, filepath.Dir(dir)); err != nil {
		return "its sources cannot be read", nil
	}
	tables, err := e.Study.Tables(nil)
	if err != nil {
		return "", err
	}
	for _, t := range tables {
		file := store.TableFile(t)
		if old, _ := os.ReadFile(filepath.Join(dir, file.Name)); !bytes.Equal(old, file.Data) {
			return "its sources have other results", nil
		}
	}
	return "", nil
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
