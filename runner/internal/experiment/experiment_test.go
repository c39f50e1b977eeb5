package experiment

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"closedform/internal/check"
	"closedform/runner/internal/config"
)

const folder = "../../../" + Folder

// Every experiment of the repository that has cells has a short form, whose strata are its own.
func TestShortForms(t *testing.T) {
	names := check.Must(config.List(folder))
	for _, name := range names {
		e := check.Must(Read(filepath.Join(folder, name+".toml"), nil))
		short := check.Must(e.ShortForm(nil))
		strata := map[string]bool{}
		for _, c := range e.Study.Cells() {
			strata[c.Group()] = true
		}
		for _, c := range short.Study.Cells() {
			if !strata[c.Group()] {
				t.Errorf("%s: the short form has a stratum %q, which the experiment has not", name, c.Group())
			}
		}
		if len(strata) > 0 && len(short.Study.Cells()) == 0 {
			t.Errorf("%s: the short form has no cells", name)
		}
	}
}

// Cells of one experiment that run different methods have versions of their own.
func TestVersionsOfCells(t *testing.T) {
	e := check.Must(Read(filepath.Join(folder, "own_data.toml"), nil))
	cells := e.Study.Cells()
	each, all, err := e.Versions()
	check.OK(t, err)
	for i, c := range cells {
		if same := each[i] == each[0]; same != (strings.HasPrefix(c.Key, "model ") || strings.HasPrefix(c.Key, "linear ")) || each[i] == all {
			t.Errorf("%s has the version %s, %s has %s, all have %s", c.Key, each[i], cells[0].Key, each[0], all)
		}
	}
}

// A study that there was answers with what takes its place.
func TestFormerStudies(t *testing.T) {
	file := filepath.Join(t.TempDir(), "old.toml")
	for study, instead := range former {
		check.OK(t, os.WriteFile(file, []byte("name = 'old'\nstudy = '"+study+"'\n"), 0o600))
		check.Refuses(t, study, check.Err(Read(file, nil)), "not a study any more; allowed: "+instead)
	}
}
