package store

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	check "closedform/internal/checktest"
)

// twoFolders publishes the same files in two folders, the second with changes:
// other contents, or none for a file that is not there.
func twoFolders(t *testing.T, files, changes map[string]string) (committed, fresh string) {
	t.Helper()
	build := func(changes map[string]string) string {
		contents, list := maps.Clone(files), []File{}
		maps.Copy(contents, changes)
		for name, text := range contents {
			if text != "" {
				list = append(list, File{name, []byte(text)})
			}
		}
		f := openTemp(t)
		publish(t, f, "i", list...)
		return f.Dir
	}
	return build(nil), build(changes)
}

// differences checks the lines of Compare.
func differences(t *testing.T, committed, fresh string, want ...string) {
	t.Helper()
	check.Equal(t, "differences", check.Must(Compare(committed, fresh)), want)
}

func TestCompareNamesEachFile(t *testing.T) {
	committed, fresh := twoFolders(t,
		map[string]string{
			"same.csv": "x\n1\n", "table.csv": "x,y\n1,a\n2,b\n", "gone.csv": "x\n", "fig.png": "png",
			"fig.pdf": "pdf", "forged.csv": "x\n5\n", "lost.csv": "x\n", "lost.pdf": "pdf", "note.toml": "n = 1",
			"short.csv": "x\n1\n2\n",
		},
		map[string]string{
			"table.csv": "x,y\n1,a\n2.5,b\n", "gone.csv": "", "new.csv": "x\n", "fig.png": "PNG",
			"fig.pdf": "PDF", "note.toml": "n = 2", "short.csv": "x\n1\n",
		})
	overwrite(t, "x\n6\n", committed, "forged.csv")
	overwrite(t, "x\n", committed, "stale.csv")
	os.Remove(filepath.Join(committed, "lost.csv"))
	os.Remove(filepath.Join(committed, "lost.pdf"))
	differences(
		t, committed, fresh,
		"forged.csv: not what SHA256SUMS says",
		"lost.csv (lost): not what SHA256SUMS says",
		"stale.csv: not listed in SHA256SUMS",
		"fig.pdf: other bytes",
		"fig.png: other bytes",
		"gone.csv: missing: a fresh run does not make it",
		"new.csv: extra: only a fresh run makes it",
		`note.toml:1: "n = 1", and now "n = 2"`,
		`short.csv:3: "2", and now ""`,
		`table.csv:3: "2,b", and now "2.5,b"`,
	)
}

// What is not committed counts by its committed checksum, whatever lies in the folder: figures drawn of other
// results are no fault.
func TestCompareNotCommitted(t *testing.T) {
	files := map[string]string{"a.csv": "x\n1\n", "fig.pdf": "pdf", "grid.csv.gz": "gz"}
	committed, fresh := twoFolders(t, files, nil)
	overwrite(t, "of another day", committed, "fig.pdf")
	overwrite(t, "of another day", committed, "gone.pdf")
	os.Remove(filepath.Join(committed, "grid.csv.gz"))
	differences(t, committed, fresh)
	if r := check.Must(OpenResults(committed)); len(r.Differing()) > 0 {
		t.Errorf("%q differ from their checksums", r.Differing())
	}
	committed, fresh = twoFolders(t, files, map[string]string{"fig.pdf": "PDF"})
	differences(t, committed, fresh, "fig.pdf: other bytes")
}
