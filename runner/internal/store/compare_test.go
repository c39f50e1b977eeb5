package store

import (
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats/scalar"
)

// twoFolders publishes the same files in two folders, the second with changes:
// other contents, or none for a file that is not there.
func twoFolders(t *testing.T, files, changes map[string]string) (committed, fresh string) {
	t.Helper()
	build := func(sets ...map[string]string) string {
		contents := make(map[string]string)
		for _, set := range sets {
			for name, text := range set {
				contents[name] = text
			}
		}
		var list []File
		for name, text := range contents {
			if text != "" {
				list = append(list, File{name, []byte(text)})
			}
		}
		f := openTemp(t)
		publish(t, f, "i", list...)
		return f.dir
	}
	return build(files), build(files, changes)
}

// differences returns the lines of Compare, which must be as wanted.
func differences(t *testing.T, committed, fresh string, tolerance float64, want ...string) {
	t.Helper()
	got, bad, err := Compare(committed, fresh, tolerance)
	if err != nil {
		t.Fatal(err)
	}
	refused := slices.DeleteFunc(slices.Clone(want), func(s string) bool { return strings.HasSuffix(s, "(accepted)") })
	if !slices.Equal(got, want) || bad != len(refused) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestCompareSame(t *testing.T) {
	files := map[string]string{"a.csv": "x\n1\n", "fig.png": "png", "fig.svg": "svg", "fig.pdf": "pdf", "manifest.toml": "n", "timing_x.csv": "1"}
	committed, fresh := twoFolders(t, files, nil)
	// What git does not keep, and what differs from run to run.
	for _, name := range []string{"fig.svg", "fig.pdf", "timing_x.csv", "run.json", "cells"} {
		os.RemoveAll(filepath.Join(committed, name))
	}
	overwrite(t, "*", committed, ".gitignore")
	differences(t, committed, fresh, 0)
}

func TestCompareNamesEachFile(t *testing.T) {
	committed, fresh := twoFolders(t,
		map[string]string{
			"same.csv": "x\n1\n", "table.csv": "x,y\n1,a\n2,b\n", "gone.csv": "x\n", "fig.png": "png", "fig.svg": "svg",
			"forged.csv": "x\n5\n", "lost.csv": "x\n", "lost.pdf": "pdf", "forged.svg": "svg", "torn.csv": "x\n", "note.toml": "n = 1",
		},
		map[string]string{
			"table.csv": "x,y\n1,a\n2.5,b\n", "gone.csv": "", "new.csv": "x\n", "fig.png": "PNG", "fig.svg": "SVG", "note.toml": "n = 1.0000001",
		})
	overwrite(t, "x\n6\n", committed, "forged.csv")
	overwrite(t, "SVG", committed, "forged.svg")
	overwrite(t, "x\n", committed, "stale.csv")
	overwrite(t, "y\n", fresh, "torn.csv")
	os.Remove(filepath.Join(committed, "lost.csv"))
	os.Remove(filepath.Join(committed, "lost.pdf"))
	want := []string{
		"fig.png: changed: a figure",
		"fig.svg: changed: a figure",
		"forged.csv: tampered: in the committed folder",
		"forged.svg: tampered: in the committed folder",
		"gone.csv: missing: a fresh run does not make it",
		"lost.csv: absent: in the committed folder",
		"new.csv: extra: only a fresh run makes it",
		"note.toml: changed",
		"stale.csv: unlisted: in the committed folder",
		"table.csv: changed: record 3, x: 2, and now 2.5; largest relative difference 0.2",
		"torn.csv: tampered: in the fresh folder",
	}
	differences(t, committed, fresh, 0, want...)
	// A tolerance is for changed tables and figures; the rest stands.
	want[0], want[1] = want[0]+" (accepted)", want[1]+" (accepted)"
	differences(t, committed, fresh, 0.1, want...)
	want[9] += " (accepted)"
	differences(t, committed, fresh, 0.5, want...)
}

// Packed tables that differ are compared by their numbers; one that is not
// committed, by its sum alone.
func TestComparePacked(t *testing.T) {
	of := func(x float64) string {
		c := newCell("k", "f", 0)
		c.Tables[0].Columns[2].Digits = 0
		c.Tables[0].Add("", 0, x)
		return string(TableFile(c.Tables[0]).Data)
	}
	const first = "grid.csv.gz: changed: record 3, p: 1, and now "
	for _, c := range []struct {
		fresh     string
		tolerance float64
		lost      bool
		want      string
	}{
		{of(1.0000001), 1e-6, false, first + "1.0000001; largest relative difference 1e-07 (accepted)"},
		{of(1.1), 1e-6, false, first + "1.1; largest relative difference 0.091"},
		{of(1.1), 0, false, first + "1.1; largest relative difference 0.091"},
		{of(1.1), 1e-6, true, "grid.csv.gz: changed: not committed, nothing to compare (accepted)"},
		{of(1.1), 0, true, "grid.csv.gz: changed: not committed, nothing to compare"},
		{"no gzip", 1e-6, false, "grid.csv.gz: changed: table grid: unexpected EOF"},
	} {
		committed, fresh := twoFolders(t, map[string]string{"grid.csv.gz": of(1)}, map[string]string{"grid.csv.gz": c.fresh})
		if c.lost {
			os.Remove(filepath.Join(committed, "grid.csv.gz"))
		}
		differences(t, committed, fresh, c.tolerance, c.want)
	}
}

func TestCompareTables(t *testing.T) {
	bad := math.NaN() // stands for an error
	for _, c := range []struct {
		a, b     string
		relative float64
		says     string
	}{
		{"x,y\n1,2\n4,8\n", "x,y\n1,3\n5,8\n", 1. / 3, "record 3, x: 4, and now 5"},
		{"x\nfail\n", "x\nskip\n", bad, "record 2, x: fail, and now skip"},
		{"x\n1\n", "x\nNaN\n", bad, "record 2, x: 1, and now NaN"},
		{"x\n1e308\n", "x\n+Inf\n", bad, "record 2, x: 1e308, and now +Inf"},
		{"x\n1\n", "x\n\"\"\n", bad, "record 2, x: 1, and now "},
		{"x\n0\n1\n", "x\r\n-0\r\n1.0\r\n", 0, "the same fields, spelled in other bytes"},
		{"x\n1\n", "y\n1\n", bad, "record 1, x: x, and now y"},
		{"x\n1\n2\n", "x\n1\n", bad, "3 records of 1 fields, and now 2 of 1"},
		{"x\n1\n", "x,y\n1,2\n", bad, "2 records of 1 fields, and now 2 of 2"},
		{"x\n1\n", "x\n\"1\n", bad, "parse error"},
		{"", "x\n", bad, "no header line"},
		// Sign and size count, but not what rounding leaves of zero.
		{"x\n1\n", "x\n-1\n", 2, "record 2, x: 1, and now -1"},
		{"x\n1\n0\n", "x\n1\n1e-17\n", 1e-11, "record 3, x: 0, and now 1e-17"},
		{"x\n1\n2e-5\n", "x\n1\n1e-5\n", 0.5, "record 3, x: 2e-5, and now 1e-5"},
		{"x,y\n1,0\n", "x,y\n1,1e-17\n", 1, "record 2, y: 0, and now 1e-17"},
	} {
		relative, says, err := compareTables(File{"x.csv", []byte(c.a)}, File{"x.csv", []byte(c.b)})
		if err != nil {
			relative, says = bad, err.Error()
		}
		if !scalar.Same(relative, c.relative) && !scalar.EqualWithinRel(relative, c.relative, 1e-12) || !strings.Contains(says, c.says) {
			t.Errorf("%q and %q: %g, %q; want %g, %q", c.a, c.b, relative, says, c.relative, c.says)
		}
	}
}

func TestCompareErrors(t *testing.T) {
	committed, fresh := twoFolders(t, map[string]string{"a.csv": "x\n"}, nil)
	if _, _, err := Compare(t.TempDir(), fresh, 0); err == nil {
		t.Error("no error without committed sums")
	}
	if _, _, err := Compare(committed, t.TempDir(), 0); err == nil {
		t.Error("no error without fresh sums")
	}
	good := read(t, committed, sumsFile)
	for _, bad := range []string{"x\n", good + good, strings.Replace(good, "a.csv", "../a.csv", 1), good[1:], good + "\n"} {
		overwrite(t, bad, committed, sumsFile)
		if diffs, _, err := Compare(committed, fresh, 0); err == nil || !strings.Contains(err.Error(), "SHA256SUMS:") {
			t.Errorf("sums %q: %v, %v", bad, diffs, err)
		}
	}
}
