package store

import (
	"fmt"
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

func compare(t *testing.T, committed, fresh string, tolerance float64) []Difference {
	t.Helper()
	diffs, err := Compare(committed, fresh, tolerance)
	if err != nil {
		t.Fatal(err)
	}
	return diffs
}

func TestCompareSame(t *testing.T) {
	files := map[string]string{"a.csv": "x\n1\n", "fig.png": "png", "fig.svg": "svg", "fig.pdf": "pdf", "manifest.toml": "n"}
	committed, fresh := twoFolders(t, files, nil)
	// What git does not keep, and what differs from run to run.
	for _, name := range []string{"fig.svg", "fig.pdf", "timing.csv", "run.json"} {
		if err := os.Remove(filepath.Join(committed, name)); err != nil {
			t.Fatal(err)
		}
	}
	os.RemoveAll(filepath.Join(committed, "cells"))
	overwrite(t, "*", committed, ".gitignore")
	if diffs := compare(t, committed, fresh, 0); len(diffs) != 0 {
		t.Errorf("differences %v", diffs)
	}
}

func TestCompareNamesEachFile(t *testing.T) {
	committed, fresh := twoFolders(t,
		map[string]string{
			"same.csv": "x\n1\n", "table.csv": "x,y\n1,a\n2,b\n", "gone.csv": "x\n", "fig.png": "png", "fig.svg": "svg",
			"forged.csv": "x\n5\n", "lost.csv": "x\n", "lost.pdf": "pdf", "forged.svg": "svg", "torn.csv": "x\n",
		},
		map[string]string{
			"table.csv": "x,y\n1,a\n2.5,b\n", "gone.csv": "", "new.csv": "x\n", "fig.png": "PNG", "fig.svg": "SVG",
		})
	overwrite(t, "x\n6\n", committed, "forged.csv")
	overwrite(t, "SVG", committed, "forged.svg")
	overwrite(t, "x\n", committed, "stale.csv")
	overwrite(t, "y\n", fresh, "torn.csv")
	for _, name := range []string{"lost.csv", "lost.pdf"} {
		if err := os.Remove(filepath.Join(committed, name)); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{
		"fig.png: changed",
		"fig.svg: changed",
		"forged.csv: tampered: in the committed folder",
		"forged.svg: tampered: in the committed folder",
		"gone.csv: missing",
		"lost.csv: absent: in the committed folder",
		"new.csv: extra",
		"stale.csv: unlisted: in the committed folder",
		"table.csv: changed: first on line 3, x: 2, and now 2.5; largest relative difference 0.2",
		"torn.csv: tampered: in the fresh folder",
	}
	var got []string
	for _, d := range compare(t, committed, fresh, 0) {
		if d.Accepted {
			t.Errorf("%s without a tolerance", d)
		}
		got = append(got, d.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// A tolerance is for changed tables and figures; the rest stands.
	for _, d := range compare(t, committed, fresh, 0.5) {
		wantAccepted := d.Name == "table.csv" || d.Name == "fig.png" || d.Name == "fig.svg"
		if d.Accepted != wantAccepted {
			t.Errorf("with a tolerance: %s", d)
		}
	}
}

func TestCompareSumsChangedWithTheTable(t *testing.T) {
	committed, fresh := twoFolders(t, map[string]string{"a.csv": "x\n0.9\n"}, map[string]string{"a.csv": "x\n0.5\n"})
	diffs := compare(t, committed, fresh, 0)
	if len(diffs) != 1 || diffs[0].Kind != Changed {
		t.Errorf("a table forged together with its sum: %v", diffs)
	}
}

func TestCompareTolerance(t *testing.T) {
	committed, fresh := twoFolders(t,
		map[string]string{"a.csv": "x\n0.1\n", "fig.png": "png", "manifest.toml": "n = 1"},
		map[string]string{"a.csv": "x\n0.10000000000000002\n", "fig.png": "PNG", "manifest.toml": "n = 1.0000000001"})
	want := []string{
		"a.csv: changed: first on line 2, x: 0.1, and now 0.10000000000000002; largest relative difference 1.4e-16 (accepted)",
		"fig.png: changed: a figure, skipped (accepted)",
		"manifest.toml: changed",
	}
	var got []string
	for _, d := range compare(t, committed, fresh, 1e-12) {
		got = append(got, d.String())
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	diffs := compare(t, committed, fresh, 1e-17)
	if diffs[0].Accepted || !strings.HasSuffix(diffs[0].Detail, "1.4e-16, more than 1e-17") {
		t.Errorf("beyond the tolerance: %s", diffs[0])
	}
}

func TestCompareTables(t *testing.T) {
	inf := math.Inf(1)
	for _, c := range []struct {
		a, b     string
		relative float64
		detail   string
	}{
		{"x,y\n1,2\n4,8\n", "x,y\n1,3\n5,8\n", 1. / 3, "first on line 2, y: 2, and now 3; largest relative difference 0.33"},
		{"x,y\n\"a\nb\",2\nc,4\n", "x,y\n\"a\nb\",2\nc,8\n", 0.5, "first on line 4, y: 4, and now 8; largest relative difference 0.5"},
		{"x\nfail\n", "x\nskip\n", inf, "first on line 2, x: fail, and now skip; not only by rounding"},
		{"x\n1\n", "x\nNaN\n", inf, "first on line 2, x: 1, and now NaN; not only by rounding"},
		{"x\n1e308\n", "x\n+Inf\n", inf, "first on line 2, x: 1e308, and now +Inf; not only by rounding"},
		{"x\n1\n", "x\n\"\"\n", inf, "first on line 2, x: 1, and now ; not only by rounding"},
		{"x\nNaN\n-Inf\n1\n", "x\nnan\n-inf\n1.0\n", 0, "first on line 2, x: NaN, and now nan; largest relative difference 0"},
		{"x\n1\n", "x\r\n1\r\n", 0, "the same fields, spelled in other bytes"},
		{"x\n1\n", "y\n1\n", inf, "first on line 1, x: x, and now y; not only by rounding"},
		{"x\n1\n2\n", "x\n1\n", inf, "3 records, and now 2"},
		{"x\n1\n", "x\n1,2\n", inf, "line 2 has 1 fields, and now 2"},
		{"x\n1\n", "x\n\"1\n", inf, "the fresh file is not CSV: "},
		{"", "x\n", inf, "0 records, and now 1"},
		// Sign and size count, but not what rounding leaves of zero.
		{"x\n1\n", "x\n-1\n", 2, "first on line 2, x: 1, and now -1; largest relative difference 2"},
		{"x\n1\n0\n", "x\n1\n1e-17\n", 1e-11, "first on line 3, x: 0, and now 1e-17; largest relative difference 1e-11"},
		{"x\n1\n2e-5\n", "x\n1\n1e-5\n", 0.5, "first on line 3, x: 2e-5, and now 1e-5; largest relative difference 0.5"},
		{"x,y\n1,0\n", "x,y\n1,1e-17\n", 1, "first on line 2, y: 0, and now 1e-17; largest relative difference 1"},
	} {
		relative, detail := compareTables([]byte(c.a), []byte(c.b))
		if relative != c.relative && !scalar.EqualWithinRel(relative, c.relative, 1e-12) {
			t.Errorf("%q and %q: relative difference %g, want %g", c.a, c.b, relative, c.relative)
		}
		if !strings.HasPrefix(detail, c.detail) {
			t.Errorf("%q and %q: %q, want %q", c.a, c.b, detail, c.detail)
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
	for _, tolerance := range []float64{-1, math.NaN()} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("tolerance %g: want a panic", tolerance)
				}
			}()
			Compare(committed, fresh, tolerance)
		}()
	}
}

func ExampleDifference() {
	fmt.Println(Difference{Name: "grid.csv", Kind: Changed, Detail: "largest relative difference 2e-16", Relative: 2e-16, Accepted: true})
	// Output: grid.csv: changed: largest relative difference 2e-16 (accepted)
}
