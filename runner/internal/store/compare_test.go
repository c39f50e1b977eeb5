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
func twoFolders(t *testing.T, files, changes map[string]string) (dirs [2]string) {
	t.Helper()
	for i := range dirs {
		f, list := openTemp(t), []File{}
		for name, text := range files {
			if text != "" {
				list = append(list, File{name, []byte(text)})
			}
		}
		publish(t, f, "i", list...)
		dirs[i], files = f.Dir, maps.Clone(files)
		maps.Copy(files, changes)
	}
	return dirs
}

func TestCompareNamesEachFile(t *testing.T) {
	dirs := twoFolders(t,
		map[string]string{
			"same.csv": "x\n1\n", "table.csv": "x,y\n1,a\n2,b\n", "gone.csv": "x\n", "fig.png": "png",
			"fig.pdf": "pdf", "forged.csv": "x\n5\n", "lost.csv": "x\n", "lost.pdf": "pdf", "note.toml": "n = 1",
			"short.csv": "x\n1\n2\n",
		},
		map[string]string{
			"table.csv": "x,y\n1,a\n2.5,b\n", "gone.csv": "", "new.csv": "x\n", "fig.png": "PNG",
			"fig.pdf": "PDF", "note.toml": "n = 2", "short.csv": "x\n1\n",
		})
	committed := dirs[0]
	overwrite(t, "x\n6\n", committed, "forged.csv")
	overwrite(t, "x\n", committed, "stale.csv")
	os.Remove(filepath.Join(committed, "lost.csv"))
	os.Remove(filepath.Join(committed, "lost.pdf"))
	check.Equal(t, "differences", check.Must(Compare(committed, dirs[1])), []string{
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
	})
}

// What is not committed counts by its committed checksum, whatever lies in the folder: figures drawn of other
// results are no fault.
func TestCompareNotCommitted(t *testing.T) {
	dirs := twoFolders(t, map[string]string{"a.csv": "x\n1\n", "fig.pdf": "pdf", "grid.csv.gz": "gz"}, nil)
	overwrite(t, "of another day", dirs[0], "fig.pdf")
	overwrite(t, "of another day", dirs[0], "gone.pdf")
	os.Remove(filepath.Join(dirs[0], "grid.csv.gz"))
	check.Equal(t, "differences", len(check.Must(Compare(dirs[0], dirs[1]))), 0)
	check.Equal(t, "differ from their checksums", len(check.Must(OpenResults(dirs[0])).Differing()), 0)
}
