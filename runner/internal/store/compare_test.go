package store

import (
	"maps"
	"os"
	"path/filepath"
	"testing"

	"closedform/internal/check"
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

// differences checks the lines of Compare, and how many files it does not accept.
func differences(t *testing.T, committed, fresh string, bad int, want ...string) {
	t.Helper()
	got, n, err := Compare(committed, fresh)
	check.OK(t, err)
	check.Equal(t, "differences", []any{got, n}, []any{want, bad})
}

func TestCompareNamesEachFile(t *testing.T) {
	committed, fresh := twoFolders(t,
		map[string]string{
			"same.csv": "x\n1\n", "table.csv": "x,y\n1,a\n2,b\n", "gone.csv": "x\n", "fig.png": "png", "fig.pdf": "pdf",
			"forged.csv": "x\n5\n", "lost.csv": "x\n", "lost.pdf": "pdf", "note.toml": "n = 1",
		},
		map[string]string{"table.csv": "x,y\n1,a\n2.5,b\n", "gone.csv": "", "new.csv": "x\n", "fig.png": "PNG", "fig.pdf": "PDF", "note.toml": "n = 2"})
	overwrite(t, "x\n6\n", committed, "forged.csv")
	overwrite(t, "x\n", committed, "stale.csv")
	os.Remove(filepath.Join(committed, "lost.csv"))
	os.Remove(filepath.Join(committed, "lost.pdf"))
	differences(
		t, committed, fresh, 9,
		"forged.csv: not what SHA256SUMS says",
		"lost.csv (lost): not what SHA256SUMS says",
		"stale.csv: not listed in SHA256SUMS",
		"gone.csv: missing: a fresh run does not make it",
		"new.csv: extra: only a fresh run makes it",
		"note.toml: other bytes",
		"table.csv: 1 of 4 values changed, most line 3, x: 2, and now 2.5 +0.5 (+25 %)",
		"fig.pdf: other bytes",
		"fig.png: other bytes",
	)
}

// What is not committed counts by its committed checksum, whatever lies in the folder: figures drawn of other results are no fault.
func TestCompareNotCommitted(t *testing.T) {
	files := map[string]string{"a.csv": "x\n1\n", "fig.pdf": "pdf", "grid.csv.gz": "gz"}
	committed, fresh := twoFolders(t, files, nil)
	overwrite(t, "of another day", committed, "fig.pdf")
	overwrite(t, "of another day", committed, "gone.pdf")
	os.Remove(filepath.Join(committed, "grid.csv.gz"))
	if lines, bad, err := Compare(committed, fresh); len(lines) > 0 || bad > 0 || err != nil {
		t.Errorf("%q, %d, %v", lines, bad, err)
	}
	if r := check.Must(OpenResults(committed)); len(r.Differing()) > 0 {
		t.Errorf("%q differ from their checksums", r.Differing())
	}
	committed, fresh = twoFolders(t, files, map[string]string{"fig.pdf": "PDF"})
	differences(t, committed, fresh, 1, "fig.pdf: other bytes")
}

// Figures and what is not committed may be others beside tables that are equal, one of them in other bytes.
func TestCompareRounded(t *testing.T) {
	old := map[string]string{"a.csv": "x\n1\n", "b.csv": "x\n1\n", "grid.csv.gz": "gz", "fig.png": "png", "net.npz": "npz"}
	const (
		rounded = "x\n1.000000000001\n"
		a       = "a.csv: equal to 1e-09"
		b       = "b.csv: 1 of 1 values changed, most line 2, x: 1, and now 2 +1 (+1e+02 %)"
		figure  = "fig.png: other bytes"
		grid    = "grid.csv.gz: other bytes"
		network = "net.npz: other bytes"
	)
	for _, c := range []struct {
		changes map[string]string
		bad     int
		want    []string
	}{
		{map[string]string{"a.csv": rounded, "fig.png": "PNG", "grid.csv.gz": "GZ", "net.npz": "NPZ"}, 0, []string{a, figure, grid, network}},
		{map[string]string{"a.csv": rounded, "fig.png": "PNG", "b.csv": "x\n2\n"}, 2, []string{a, b, figure}},
		{map[string]string{"fig.png": "PNG", "net.npz": "NPZ"}, 2, []string{figure, network}},
	} {
		committed, fresh := twoFolders(t, old, c.changes)
		differences(t, committed, fresh, c.bad, c.want...)
	}
}

func TestCompareTables(t *testing.T) {
	for _, c := range []struct{ a, b, says string }{
		{"x,y\n1,2\n4,8\n", "x,y\n1,3\n5,8\n", "2 of 4 values changed, most line 2, y: 2, and now 3 +1 (+50 %)"},
		{"x\nfail\n", "x\nskip\n", "1 of 1 values changed, most line 2, x: fail, and now skip "},
		{"x\n1\n", "x\nNaN\n", "1 of 1 values changed, most line 2, x: 1, and now NaN "},
		{"x\n1e308\n", "x\n+Inf\n", "1 of 1 values changed, most line 2, x: 1e308, and now +Inf "},
		{"x\n1\n", "x\n\"\"\n", "1 of 1 values changed, most line 2, x: 1, and now none "},
		{"x\n0\n1\n", "x\r\n-0\r\n1.0\r\n", ""},
		{"x\n1\n", "y\n1\n", "x: column x removed; x: column y added"},
		{"x\n1\n2\n", "x\n1\n", "x: 1 rows removed"},
		{"x\n1\n", "x,y\n1,2\n", "x: column y added"},
		{"", "x\n", "table x: it has no header line"},
		// On either side of the bound.
		{"x\n1\n1\n", "x\n1.0000000005\n1.0000000009\n", ""},
		{"x\n1\n1\n", "x\n1.0000000005\n1.0000000011\n", "1 of 2 values changed, most line 3, x: 1, and now 1.0000000011 +1.1e-09 (+1.1e-07 %)"},
		// Sign and size count, but not what rounding leaves of zero, nor is the scale of a
		// column that of an outlier, or nought where most are.
		{"x\n1\n", "x\n-1\n", "1 of 1 values changed, most line 2, x: 1, and now -1 -2 (-2e+02 %)"},
		{"x\n1\n0\n", "x\n1\n1e-10\n", ""},
		{"x\n1\n1\n2e-8\n", "x\n1\n1\n1e-8\n", "1 of 3 values changed, most line 4, x: 2e-08, and now 1e-08 -1e-08 (-50 %)"},
		{"x\n1e9\n1\n1\n", "x\n1e9\n1.1\n1\n", "1 of 3 values changed, most line 3, x: 1, and now 1.1 +0.1 (+10 %)"},
		{"x\n0\n0\n0\n1\n", "x\n0\n0\n1e-17\n1\n", ""},
		{"x,y\n1,0\n", "x,y\n1,1e-15\n", ""},
		{"x,y\n1,0\n", "x,y\n1,1e-12\n", "1 of 2 values changed, most line 2, y: 0, and now 1e-12 +1e-12"},
	} {
		committed, fresh := twoFolders(t, map[string]string{"x.csv": c.a + " "}, nil)
		overwrite(t, c.a, committed, "x.csv")
		overwrite(t, c.b, fresh, "x.csv")
		says, err := compareTables(&Results{dir: committed}, &Results{dir: fresh}, "x.csv")
		if says != c.says || err != nil {
			t.Errorf("%q and %q: %q, %v; want %q", c.a, c.b, says, err, c.says)
		}
	}
}
