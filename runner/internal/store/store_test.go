package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	check "closedform/internal/checktest"
	"closedform/runner/internal/table"
)

// newCell returns a cell of so many rows, whose numbers follow from its key.
func newCell(key, fingerprint string, rows int) *Cell {
	grid := table.New("grid", table.Text("key", "k"), table.Int("i", ""), table.Num("p", "").Rounded(6))
	grid.Packed = true
	for i := range rows {
		grid.Add(key, i, float64(len(key)*i)/7)
	}
	grid.Add("", math.NaN(), math.Inf(-1))
	return &Cell{Key: key, Fingerprint: fingerprint, Tables: table.Tables{grid}, CPU: 0.25}
}

func text(c *Cell) string {
	if c == nil {
		return ""
	}
	t := c.Tables[0]
	return fmt.Sprintf("%s %g %s %v %v\n%s", c.Key, c.CPU, t.Name, t.Packed, t.Columns[0].Doc, t.CSV())
}

func TestCells(t *testing.T) {
	f := openTemp(t)
	keys := []string{
		"lambda=0.3 seed=1", "lambda=0.3/seed=1", "Lambda=0.3 seed=1", "", "..", ".hidden1", "ε=½",
		strings.Repeat("long", 500), "a\x00b\nc",
	}
	for _, key := range keys {
		check.OK(t, f.SaveCell(newCell(key, "f1", 3)))
	}
	f.Close()
	f = mustOpen(t, f.Dir) // which sweeps
	for _, key := range keys {
		check.Equal(t, key, text(check.Must(f.LoadCell(key, "f1"))), text(newCell(key, "f1", 3)))
		check.Equal(t, "of another fingerprint", text(check.Must(f.LoadCell(key, "f2"))), "")
	}
}

// A cell file that was cut off or in which one bit is wrong is never taken for
// another cell, and its cell can be saved anew.
func TestDamagedCell(t *testing.T) {
	f := openTemp(t)
	want := newCell("k", "f", 5)
	check.OK(t, f.SaveCell(want))
	path := f.cellFile("k")
	whole := check.Must(os.ReadFile(path))
	for n := range whole {
		check.Write(t, string(whole[:n]), path)
		c, err := f.LoadCell("k", "f")
		check.True(t, c == nil && err != nil, "cut off after %d of %d bytes: %v, %v", n, len(whole), c, err)
	}
	check.Write(t, string(whole), path)
	file := check.Must(os.OpenFile(path, os.O_WRONLY, 0))
	defer file.Close()
	for bit := range 8 * len(whole) {
		k := bit / 8
		check.Must(file.WriteAt([]byte{whole[k] ^ 1<<(bit%8)}, int64(k)))
		c, _ := f.LoadCell("k", "f")
		check.True(t, c == nil || text(c) == text(want), "bit %d flipped and not noticed", bit)
		check.Must(file.WriteAt(whole[k:k+1], int64(k)))
	}
	check.Write(t, string(append(whole, 0)), path)
	check.Refuses(t, "a byte too many", check.Err(f.LoadCell("k", "f")), "cell k:", path, "damaged")
	check.OK(t, f.SaveCell(want))
	check.Equal(t, "after repair", text(check.Must(f.LoadCell("k", "f"))), text(want))
	check.OK(t, os.Rename(path, f.cellFile("b")))
	check.Refuses(t, "a renamed cell", check.Err(f.LoadCell("b", "f")))
}

func openTemp(t testing.TB) *Folder {
	t.Helper()
	return mustOpen(t, filepath.Join(t.TempDir(), "results", "[x]")) // which is no pattern
}

func mustOpen(t testing.TB, dir string) *Folder {
	t.Helper()
	f := check.Must(Open(dir, "cells"))
	t.Cleanup(func() { f.Close() })
	return f
}

// fileNames returns the files below dir, in order, but for the locks.
func fileNames(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && !slices.Contains([]string{"lock", "users", "run"}, e.Name()) {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	check.OK(t, err)
	return strings.Join(names, " ")
}

// Where there are no locks, cells are computed unclaimed, and results are published. A folder in place of the
// lock stands for that, and a link, of which the target is left alone.
func TestWithoutLocks(t *testing.T) {
	f := openTemp(t)
	f.Close()
	target := filepath.Join(t.TempDir(), "target")
	lock, users := f.cells("lock"), f.cells("users")
	check.OK(t, errors.Join(os.Mkdir(lock, 0o777), os.Remove(users), os.Symlink(target, users)))
	f = mustOpen(t, f.Dir)
	check.OK(t, os.Mkdir(f.cells("at", filepath.Base(f.cellFile("k"))+".claim"), 0o777))
	check.Equal(t, "a claim", f.Claim("k") != nil, true)
	check.OK(t, f.SaveCell(newCell("k", "f", 1)))
	publish(t, f, "1", version(1)...)
	check.Refuses(t, "the target", check.Err(os.Stat(target)))
	// Where nothing can be written, computing goes on to an error that tells of it.
	os.RemoveAll(f.cells("at"))
	check.Write(t, "", f.cells("at"))
	check.Equal(t, "a claim", f.Claim("k") != nil, true)
	check.Refuses(t, "a cell", f.SaveCell(newCell("k", "f", 1)))
}

func publish(t testing.TB, f *Folder, inputs string, files ...File) {
	t.Helper()
	check.Must(f.Publish(t.Context(), inputs, files, readme, testRun()))
}

var readme = []byte("readme")

func testRun() *Run {
	return &Run{Command: []string{"runner"}, Manifest: "x", GOARCH: "amd64", Start: time.Unix(1000, 0).UTC()}
}

// version returns one of two sets of files, of which the second lacks one.
func version(n int) []File {
	files := []File{
		{"a.csv", fmt.Appendf(nil, "row of %d\n", n)},
		{"b.csv", fmt.Appendf(nil, "line of %d\n", n)},
		{"c.csv", []byte("only the first\n")},
	}
	return files[:3-min(n, 1)]
}

func TestPublish(t *testing.T) {
	f := openTemp(t)
	// sha256 of "abc" is the example of FIPS 180-4; the order is that of names.
	publish(t, f, "i", File{"b.csv", []byte("abc")}, File{"a.csv", nil})
	want := "README.md SHA256SUMS a.csv b.csv cells/published run.json"
	check.Equal(t, "there", fileNames(t, f.Dir), want)
	sums := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.csv\n" +
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b.csv\n"
	check.Equal(t, "SHA256SUMS", check.Read(f.Dir, "SHA256SUMS"), sums)
	// A later run drops what was published and no more, be it in a clone, which has
	// sums and no cells, or after a kill before the sums were written.
	check.Write(t, "keep me", f.Dir, "notes.txt")
	for _, harm := range []func(){
		func() {},
		func() { os.Remove(f.cells("published")) },
		func() {
			sum, sums := sumOf(nil), check.Read(f.Dir, sumsFile)
			sums = "<<<<<<<\n" + sums + "=======\n" + sum + "  ../outside.csv\n" + sum + "  notes/../notes.txt\n"
			check.Write(t, sums, f.Dir, sumsFile)
			check.Write(t, "not ours", f.Dir, "..", "outside.csv")
		},
	} {
		publish(t, f, "1", version(0)...)
		harm()
		publish(t, f, "2", File{"a.csv", []byte("1")})
		want := "README.md SHA256SUMS a.csv cells/published notes.txt run.json"
		check.Equal(t, "there", fileNames(t, f.Dir), want)
	}
	check.OK(t, os.Mkdir(filepath.Join(f.Dir, "folder.csv"), 0o777))
	_, err := f.Publish(t.Context(), "3", []File{{"folder.csv", nil}}, readme, testRun())
	check.Refuses(t, "a folder in the way", err)
	check.Equal(t, "published", f.Published("3"), false)
	publish(t, f, "2", File{"a.csv", []byte("1")})
	check.Equal(t, "outside, and published", []any{check.Read(f.Dir, "..", "outside.csv"), f.Published("2")},
		[]any{"not ours", true})
}

// The times of a run tell how long cells take. Results of the same inputs are not published again.
func TestExpected(t *testing.T) {
	f, run := openTemp(t), testRun()
	run.Computed = 3
	run.AddTimes([]*Cell{{CPU: 1}, {CPU: 3}, {CPU: 8}}, func(i int) string { return "aab"[i:][:1] })
	for _, published := range []bool{true, false} {
		check.Equal(t, "published", check.Must(f.Publish(t.Context(), "i", version(0), readme, run)), published)
	}
	made := check.Must(ReadRun(f.Dir))
	got := []float64{made.Expected("a"), made.Expected("b"), made.Expected("c"), new(Run).Expected("a")}
	check.Equal(t, "expected seconds", got, []float64{2, 8, 4, 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	check.Refuses(t, "interrupted", check.Err(f.Publish(ctx, "n", nil, readme, made)), "canceled")
}

func TestResults(t *testing.T) {
	f := openTemp(t)
	check.Equal(t, "none", errors.Is(check.Err(OpenResults(f.Dir)), fs.ErrNotExist), true)
	numbers := newCell("k", "f", 3).Tables[0]
	packedFile := TableFile(numbers)
	check.Equal(t, "the same bytes every time", bytes.Equal(packedFile.Data, TableFile(numbers).Data), true)
	large := table.New("large", table.Int("i", ""))
	for i := range 200_000 {
		large.Add(i)
	}
	file := TableFile(large)
	check.Equal(t, "a large table", []any{file.Name, large.Packed}, []any{"large.csv.gz", false})
	publish(t, f, "i", File{"a.csv", []byte("a,b\n1,x\n")}, File{"c.csv", []byte("c\n")}, packedFile)
	r := check.Must(OpenResults(f.Dir))
	check.Equal(t, "sums", string(r.Sums()), check.Read(f.Dir, sumsFile))
	for name, want := range map[string]string{"a": "a,b\n1,x\n", "grid": string(numbers.CSV())} {
		check.Equal(t, name, string(check.Must(r.Table(name)).CSV()), want)
	}
	os.Remove(filepath.Join(f.Dir, "c.csv"))
	for name, want := range map[string]string{
		"c": "no such file", "d": "d.csv: SHA256SUMS does not list it",
	} {
		check.Refuses(t, name, check.Err(r.Table(name)), want)
	}
	check.Write(t, "<<<<<<<\n", f.Dir, sumsFile)
	err := check.Err(OpenResults(f.Dir))
	check.Refuses(t, "damaged sums", err, "SHA256SUMS: damaged")
	check.Equal(t, "there are sums", errors.Is(err, fs.ErrNotExist), false)
}

// Files that are not committed count by their committed checksum, whatever lies in the folder.
func TestCompare(t *testing.T) {
	var dirs [2]string
	for i, texts := range []map[string]string{{
		"same.csv": "x\n1\n", "table.csv": "x,y\n1,a\n2,b\n", "gone.csv": "x\n", "fig.png": "png", "fig.pdf": "pdf",
		"forged.csv": "x\n5\n", "lost.csv": "x\n", "lost.pdf": "pdf", "grid.csv.gz": "gz", "short.csv": "x\n1\n2\n",
	}, {
		"same.csv": "x\n1\n", "table.csv": "x,y\n1,a\n2.5,b\n", "new.csv": "x\n", "fig.png": "PNG",
		"fig.pdf": "PDF", "forged.csv": "x\n5\n", "lost.csv": "x\n", "lost.pdf": "pdf", "grid.csv.gz": "gz",
		"short.csv": "x\n1\n",
	}} {
		var files []File
		for name, text := range texts {
			files = append(files, File{name, []byte(text)})
		}
		f := openTemp(t)
		publish(t, f, "i", files...)
		dirs[i] = f.Dir
	}
	check.Write(t, "x\n6\n", dirs[0], "forged.csv")
	check.Write(t, "of another day", dirs[0], "grid.csv.gz")
	check.Write(t, "another text", dirs[1], "README.md")
	os.Remove(filepath.Join(dirs[0], "lost.csv"))
	os.Remove(filepath.Join(dirs[0], "lost.pdf"))
	check.Equal(t, "differences", check.Must(Compare(dirs[0], dirs[1])), []string{
		"forged.csv: not what SHA256SUMS says",
		"lost.csv: not what SHA256SUMS says",
		`README.md:1: "readme", and now "another text"`,
		"fig.pdf: other bytes",
		"fig.png: other bytes",
		"gone.csv: missing: a fresh run does not make it",
		"new.csv: extra: only a fresh run makes it",
		`short.csv:3: "2", and now ""`,
		`table.csv:3: "2,b", and now "2.5,b"`,
	})
}

// The times of a run are a table with a column for each key of its cells.
func TestTimes(t *testing.T) {
	dir := t.TempDir()
	check.Write(t, "", dir, "one", sumsFile)
	check.Write(t, `{"cell_seconds": {"set=a method=x": 2.5, "method=y": 1}}`, dir, "one", runFile)
	times := check.Must(Published(dir)("one/times"))
	check.Equal(t, "times", string(times.CSV()), "method,set,seconds\ny,,1\nx,a,2.5\n")
}
