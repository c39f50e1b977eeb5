package experiment

import (
	"os"
	"path/filepath"
	"testing"

	check "closedform/internal/checktest"
)

const folder = "../../../" + Folder

// Every experiment of the repository that has cells has a short form with cells.
func TestShortForms(t *testing.T) {
	for _, file := range check.Must(filepath.Glob(filepath.Join(folder, "*.toml"))) {
		e, short := check.Must(Read(file, nil)), check.Must(Open(file, nil, true, ""))
		if len(e.Study.Cells()) > 0 && len(short.Study.Cells()) == 0 {
			t.Errorf("%s: the short form has no cells", file)
		}
	}
}

// The error of a study that was removed says what to do instead.
func TestFormerStudies(t *testing.T) {
	for study, want := range map[string]string{
		"calibrate": "table lambda",
		"stability": `write study = "moments" with against = "definite"`,
		"learning":  "is not a study; allowed: one of learn, ",
	} {
		file := filepath.Join(t.TempDir(), "x.toml")
		check.OK(t, os.WriteFile(file, []byte("name = 'x'\nstudy = '"+study+"'\n"), 0o666))
		_, err := Read(file, nil)
		check.Refuses(t, study, err, "x.toml:2: study: \""+study+"\"", want)
	}
}
