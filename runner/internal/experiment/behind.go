package experiment

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

// Behind returns why the results in dir are not those of the current sources, manifest and results
// that they are derived from, or "" if they are. It reads no data.
func (e *Experiment) Behind(dir string) (why string, err error) {
	run, err := store.ReadRun(dir)
	digest, unread := e.Digest()
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no results", nil
	case err != nil || unread != nil:
		return "", cmp.Or(err, unread)
	case run.SourceDigest != SourceDigest():
		why = "of other sources"
	case run.ManifestDigest != digest:
		why = "of another manifest"
	default:
		why, err = e.derivedBehind(dir)
	}
	if why != "" && e.Elsewhere(dir) {
		why += "; its program, or this version of it, is not installed"
	}
	return why, err
}

// derivedBehind returns why results that are derived from those of other experiments alone are not those
// of today. It makes their tables again.
func (e *Experiment) derivedBehind(dir string) (why string, err error) {
	d, ok := e.Study.(study.Derived)
	if !ok || len(e.Study.Cells()) > 0 {
		return "", nil
	}
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
	installed, err := e.FindPrograms()
	run, unread := store.ReadRun(dir)
	return err != nil || unread == nil && slices.ContainsFunc(run.Programs, func(p string) bool {
		return !slices.Contains(installed, p)
	})
}

// Use gives an experiment access to the results of others in a folder, and returns their checksums.
func Use(d study.Derived, results string) (sums []byte, err error) {
	sources := map[string]*store.Results{}
	for _, name := range d.Sources() {
		r, err := store.OpenResults(filepath.Join(results, name))
		if errors.Is(err, fs.ErrNotExist) {
			if _, err = Find(name); err == nil {
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
