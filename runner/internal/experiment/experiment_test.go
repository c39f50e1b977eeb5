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

// The error of a study that was removed says what to do instead.
func TestFormerStudies(t *testing.T) {
	for study, want := range map[string]string{
		"discover": "AddClass", "drift": "process_noise", "vouched": "baselines/README.md", "learning": "is not a study; allowed: one of learn, ",
	} {
		file := filepath.Join(t.TempDir(), "x.toml")
		check.OK(t, os.WriteFile(file, []byte("name = 'x'\nstudy = '"+study+"'\n"), 0o666))
		_, err := Read(file, nil)
		check.Refuses(t, study, err, "x.toml:2: study: \""+study+"\"", want)
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
