package store

import (
	"maps"
	"os"
	"path/filepath"
	"strings"
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
		return f.dir
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
			"same.csv": "x\n1\n", "table.csv": "x,y\n1,a\n2,b\n", "gone.csv": "x\n", "fig.png": "png", "fig.svg": "svg",
			"forged.csv": "x\n5\n", "lost.csv": "x\n", "lost.pdf": "pdf", "forged.svg": "svg", "torn.csv": "x\n", "note.toml": "n = 1",
		},
		map[string]string{"table.csv": "x,y\n1,a\n2.5,b\n", "gone.csv": "", "new.csv": "x\n", "fig.png": "PNG", "fig.svg": "SVG", "note.toml": "n = 2"})
	overwrite(t, "x\n6\n", committed, "forged.csv")
	overwrite(t, "SVG", committed, "forged.svg")
	overwrite(t, "x\n", committed, "stale.csv")
	overwrite(t, "y\n", fresh, "torn.csv")
	os.Remove(filepath.Join(committed, "lost.csv"))
	os.Remove(filepath.Join(committed, "lost.pdf"))
	differences(
		t, committed, fresh, 11,
		"fig.png: another figure, of tables with other bytes",
		"fig.svg: another figure, of tables with other bytes",
		"forged.csv: tampered: in the committed folder",
		"forged.svg: tampered: in the committed folder",
		"gone.csv: missing: a fresh run does not make it",
		"lost.csv: absent: in the committed folder",
		"new.csv: extra: only a fresh run makes it",
		"note.toml: other bytes",
		"stale.csv: unlisted: in the committed folder",
		"table.csv: line 3, x: 2, and now 2.5, off by 0.2",
		"torn.csv: tampered: in the fresh folder",
	)
}

// What cannot be compared by its numbers is accepted beside tables that are equal: a
// figure if one of them has other bytes, what is not committed if there is one.
func TestCompareUnseen(t *testing.T) {
	packed := func(x float64) string {
		c := newCell("k", "f", 0)
		c.Tables[0].Columns[2].Digits = 0
		c.Tables[0].Add("", 0, x)
		return string(TableFile(c.Tables[0]).Data)
	}
	old := map[string]string{"a.csv": "x\n1\n", "b.csv": "x\n1\n", "grid.csv.gz": packed(1), "fig.png": "png", "net.npz": "npz"}
	const (
		nearly  = 1 + 1e-12
		a       = "a.csv: line 2, x: 1, and now 1.000000000001, off by 1e-12: equal"
		b       = "b.csv: line 2, x: 1, and now 2, off by 0.5"
		grid    = "grid.csv.gz: line 3, p: 1, and now 1.000000000001, off by 1e-12: equal"
		unseen  = ": other bytes, and not committed: not compared"
		figure  = "fig.png: another figure, of tables with other bytes"
		figure0 = "fig.png: another figure of the same tables"
	)
	for _, c := range []struct {
		lost    bool
		changes map[string]string
		bad     int
		want    []string
	}{
		{false, map[string]string{"a.csv": "x\n1.000000000001\n", "fig.png": "PNG"}, 0, []string{a, figure}},
		{false, map[string]string{"a.csv": "x\n1.000000000001\n", "fig.png": "PNG", "b.csv": "x\n2\n"}, 2, []string{a, b, figure}},
		{false, map[string]string{"fig.png": "PNG"}, 1, []string{figure0}},
		{false, map[string]string{"net.npz": "NPZ"}, 1, []string{"net.npz: other bytes"}},
		{false, map[string]string{"grid.csv.gz": packed(nearly), "fig.png": "PNG"}, 0, []string{figure, grid}},
		{false, map[string]string{"grid.csv.gz": packed(2)}, 1, []string{"grid.csv.gz: line 3, p: 1, and now 2, off by 0.5"}},
		{false, map[string]string{"grid.csv.gz": "no gzip"}, 1, []string{"grid.csv.gz: table grid: unexpected EOF"}},
		{true, map[string]string{"grid.csv.gz": packed(2), "fig.png": "PNG"}, 0, []string{figure, "grid.csv.gz" + unseen}},
		{true, map[string]string{"net.npz": "NPZ"}, 0, []string{"net.npz" + unseen}},
		{true, map[string]string{"grid.csv.gz": packed(nearly), "b.csv": "x\n2\n"}, 2, []string{b, "grid.csv.gz" + unseen}},
	} {
		committed, fresh := twoFolders(t, old, c.changes)
		if c.lost {
			os.Remove(filepath.Join(committed, "grid.csv.gz"))
			os.Remove(filepath.Join(committed, "net.npz"))
		}
		differences(t, committed, fresh, c.bad, c.want...)
	}
	committed, fresh := twoFolders(t, map[string]string{"grid.csv.gz": packed(1)}, map[string]string{"grid.csv.gz": packed(nearly)})
	os.Remove(filepath.Join(committed, "grid.csv.gz"))
	differences(t, committed, fresh, 1, "grid.csv.gz"+unseen)
}

func TestCompareTables(t *testing.T) {
	for _, c := range []struct {
		a, b    string
		differs bool
		says    string
	}{
		{"x,y\n1,2\n4,8\n", "x,y\n1,3\n5,8\n", true, "line 3, x: 4, and now 5, off by 0.2 | line 2, y: 2, and now 3, off by 0.12"},
		{"x\nfail\n", "x\nskip\n", true, "line 2, x: fail, and now skip"},
		{"x\n1\n", "x\nNaN\n", true, "line 2, x: 1, and now NaN"},
		{"x\n1e308\n", "x\n+Inf\n", true, "line 2, x: 1e308, and now +Inf"},
		{"x\n1\n", "x\n\"\"\n", true, "line 2, x: 1, and now "},
		{"x\n0\n1\n", "x\r\n-0\r\n1.0\r\n", false, "the same fields, spelled in other bytes: equal"},
		{"x\n1\n", "y\n1\n", true, "line 1, x: x, and now y"},
		{"x\n1\n2\n", "x\n1\n", true, "3 lines of 1 fields, and now 2 of 1"},
		{"x\n1\n", "x,y\n1,2\n", true, "2 lines of 1 fields, and now 2 of 2"},
		{"", "x\n", true, "table x: it has no header line"},
		// Where it is most, and on either side of the bound.
		{"x\n1\n1\n", "x\n1.0000000005\n1.0000000009\n", false, "line 3, x: 1, and now 1.0000000009, off by 9e-10: equal"},
		{"x\n1\n1\n", "x\n1.0000000005\n1.0000000011\n", true, "line 3, x: 1, and now 1.0000000011, off by 1.1e-09"},
		// Sign and size count, but not what rounding leaves of zero, nor is the scale of a
		// column that of an outlier, or nought where most are.
		{"x\n1\n", "x\n-1\n", true, "line 2, x: 1, and now -1, off by 2"},
		{"x\n1\n0\n", "x\n1\n1e-10\n", false, "line 3, x: 0, and now 1e-10, off by 1e-10: equal"},
		{"x\n1\n1\n2e-8\n", "x\n1\n1\n1e-8\n", true, "line 4, x: 2e-8, and now 1e-8, off by 1e-08"},
		{"x\n1e9\n1\n1\n", "x\n1e9\n1.1\n1\n", true, "line 3, x: 1, and now 1.1, off by 0.091"},
		{"x\n0\n0\n0\n1\n", "x\n0\n0\n1e-17\n1\n", false, "line 4, x: 0, and now 1e-17, off by 1e-17: equal"},
		{"x,y\n1,0\n", "x,y\n1,1e-15\n", false, "line 2, y: 0, and now 1e-15, off by 1e-10: equal"},
		{"x,y\n1,0\n", "x,y\n1,1e-12\n", true, "line 2, y: 0, and now 1e-12, off by 1e-07"},
	} {
		lines, differs := compareTables(File{"x.csv", []byte(c.a)}, File{"x.csv", []byte(c.b)})
		if says := strings.Join(lines, " | "); differs != c.differs || says != c.says {
			t.Errorf("%q and %q: %v, %q; want %v, %q", c.a, c.b, differs, says, c.differs, c.says)
		}
	}
}
