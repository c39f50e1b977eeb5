package experiment

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"closedform/runner/internal/quote"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

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

// sameTables reports whether the tables in its folder are those that are derived of other results, if any are.
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
	return sums, d.Use(quote.Published(results))
}
