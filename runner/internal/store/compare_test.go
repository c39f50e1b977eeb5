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
	diffs, err := Compare(committed, fresh, tolerance)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range diffs {
		got = append(got, d.String())
	}
	if !slices.Equal(got, want) {
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
		"fig.png: changed",
		"fig.svg: changed",
		"forged.csv: tampered: in the committed folder",
		"forged.svg: tampered: in the committed folder",
		"gone.csv: missing: a fresh run does not make it",
		"lost.csv: absent: in the committed folder",
		"new.csv: extra: only a fresh run makes it",
		"note.toml: changed",
		"stale.csv: unlisted: in the committed folder",
		"table.csv: changed: first in record 3, x: 2, and now 2.5; largest relative difference 0.2",
		"torn.csv: tampered: in the fresh folder",
	}
	differences(t, committed, fresh, 0, want...)
	// A tolerance is for changed tables and figures; the rest stands.
	want[0], want[1], want[9] = "fig.png: changed: a figure, skipped (accepted)", "fig.svg: changed: a figure, skipped (accepted)", want[9]+" (accepted)"
	differences(t, committed, fresh, 0.5, want...)
	want[9] = strings.Replace(want[9], " (accepted)", ", more than 0.1", 1)
	differences(t, committed, fresh, 0.1, want...)
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
	const first = "grid.csv.gz: changed: first in record 3, p: 1, and now "
	for _, c := range []struct {
		fresh     string
		tolerance float64
		lost      bool
		want      string
	}{
		{of(1.0000001), 1e-6, false, first + "1.0000001; largest relative difference 1e-07 (accepted)"},
		{of(1.1), 1e-6, false, first + "1.1; largest relative difference 0.091, more than 1e-06"},
		{of(1.1), 0, false, first + "1.1; largest relative difference 0.091"},
		{of(1.1), 1e-6, true, "grid.csv.gz: changed: not committed, nothing to compare (accepted)"},
		{of(1.1), 0, true, "grid.csv.gz: changed: not committed, nothing to compare"},
		{"no gzip", 1e-6, false, "grid.csv.gz: changed: unexpected EOF"},
	} {
		committed, fresh := twoFolders(t, map[string]string{"grid.csv.gz": of(1)}, map[string]string{"grid.csv.gz": c.fresh})
		if c.lost {
			os.Remove(filepath.Join(committed, "grid.csv.gz"))
		}
		differences(t, committed, fresh, c.tolerance, c.want)
	}
}

func TestCompareTables(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		a, b     string
		relative float64
		detail   string
	}{
		{"x,y\n1,2\n4,8\n", "x,y\n1,3\n5,8\n", 1. / 3, "first in record 2, y: 2, and now 3; largest relative difference 0.33"},
		{"x\nfail\n", "x\nskip\n", inf, "first in record 2, x: fail, and now skip; not only by rounding"},
		{"x\n1\n", "x\nNaN\n", inf, "first in record 2, x: 1, and now NaN; not only by rounding"},
		{"x\n1e308\n", "x\n+Inf\n", inf, "first in record 2, x: 1e308, and now +Inf; not only by rounding"},
		{"x\n1\n", "x\n\"\"\n", inf, "first in record 2, x: 1, and now ; not only by rounding"},
		{"x\nNaN\n-Inf\n1\n", "x\nnan\n-inf\n1.0\n", 0, "first in record 2, x: NaN, and now nan; largest relative difference 0"},
		{"x\n1\n", "x\r\n1\r\n", 0, "the same fields, spelled in other bytes"},
		{"x\n1\n", "y\n1\n", inf, "first in record 1, x: x, and now y; not only by rounding"},
		{"x\n1\n2\n", "x\n1\n", inf, "3 records, and now 2"},
		{"x\n1\n", "x\n1,2\n", inf, "record 2 has 1 fields, and now 2"},
		{"x\n1\n", "x\n\"1\n", inf, "the fresh file is not CSV: "},
		{"", "x\n", inf, "0 records, and now 1"},
		// Sign and size count, but not what rounding leaves of zero.
		{"x\n1\n", "x\n-1\n", 2, "first in record 2, x: 1, and now -1; largest relative difference 2"},
		{"x\n1\n0\n", "x\n1\n1e-17\n", 1e-11, "first in record 3, x: 0, and now 1e-17; largest relative difference 1e-11"},
		{"x\n1\n2e-5\n", "x\n1\n1e-5\n", 0.5, "first in record 3, x: 2e-5, and now 1e-5; largest relative difference 0.5"},
		{"x,y\n1,0\n", "x,y\n1,1e-17\n", 1, "first in record 2, y: 0, and now 1e-17; largest relative difference 1"},
	} {
		relative, detail := compareTables([]byte(c.a), []byte(c.b))
		if relative != c.relative && !scalar.EqualWithinRel(relative, c.relative, 1e-12) || !strings.HasPrefix(detail, c.detail) {
			t.Errorf("%q and %q: %g, %q; want %g, %q", c.a, c.b, relative, detail, c.relative, c.detail)
		}
	}
}

func TestCompareErrors(t *testing.T) {
	committed, fresh := twoFolders(t, map[string]string{"a.csv": "x\n"}, nil)
	if _, err := Compare(t.TempDir(), fresh, 0); err == nil {
		t.Error("no error without committed sums")
	}
	if _, err := Compare(committed, t.TempDir(), 0); err == nil {
		t.Error("no error without fresh sums")
	}
	good := read(t, committed, sumsFile)
	for _, bad := range []string{"x\n", good + good, strings.Replace(good, "a.csv", "../a.csv", 1), good[1:], good + "\n"} {
		overwrite(t, bad, committed, sumsFile)
		if diffs, err := Compare(committed, fresh, 0); err == nil || !strings.Contains(err.Error(), "SHA256SUMS:") {
			t.Errorf("sums %q: %v, %v", bad, diffs, err)
		}
	}
}
