package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	check "closedform/internal/checktest"
	"closedform/runner/internal/table"
)

func publish(t testing.TB, f *Folder, inputs string, files ...File) {
	t.Helper()
	_, err := f.Publish(t.Context(), inputs, files, testRun(), []byte("readme"))
	check.OK(t, err)
}

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

func read(t testing.TB, path ...string) string {
	t.Helper()
	return string(check.Must(os.ReadFile(filepath.Join(path...))))
}

func TestPublish(t *testing.T) {
	f := openTemp(t)
	// sha256 of "abc" is the example of FIPS 180-4; the order is that of names.
	publish(t, f, "i", File{"b.csv", []byte("abc")}, File{"a.csv", nil})
	want := "README.md SHA256SUMS a.csv b.csv cells/published run.json"
	check.Equal(t, "there", fileNames(t, f.Dir), want)
	sums := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.csv\n" +
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b.csv\n"
	check.Equal(t, "SHA256SUMS", read(t, f.Dir, "SHA256SUMS"), sums)
	// A later run drops what was published and no more, be it in a clone, which has
	// sums and no cells, or after a kill before the sums were written.
	overwrite(t, "keep me", f.Dir, "notes.txt")
	for _, harm := range []func(){
		func() {},
		func() { os.Remove(f.cells("published")) },
		func() {
			sum, sums := sumOf(nil), read(t, f.Dir, sumsFile)
			sums = "<<<<<<<\n" + sums + "=======\n" + sum + "  ../outside.csv\n" + sum + "  notes/../notes.txt\n"
			overwrite(t, sums, f.Dir, sumsFile)
			overwrite(t, "not ours", f.Dir, "..", "outside.csv")
		},
	} {
		publish(t, f, "1", version(0)...)
		harm()
		publish(t, f, "2", File{"a.csv", []byte("1")})
		want := "README.md SHA256SUMS a.csv cells/published notes.txt run.json"
		check.Equal(t, "there", fileNames(t, f.Dir), want)
	}
	check.OK(t, os.Mkdir(filepath.Join(f.Dir, "folder.csv"), 0o777))
	for _, name := range []string{"folder.csv", "", "..", ".x.csv", "../x.csv", `a\b`, "a b", "-x", "run.json"} {
		_, err := f.Publish(t.Context(), "3", []File{{name, nil}}, testRun(), nil)
		check.Refuses(t, name, err)
		check.Equal(t, "published", f.Published("3"), false)
	}
	publish(t, f, "2", File{"a.csv", []byte("1")})
	check.Equal(t, "outside, and published", []any{read(t, f.Dir, "..", "outside.csv"), f.Published("2")},
		[]any{"not ours", true})
}

// Only one process publishes. A run that changes nothing leaves run.json to the run that made the results,
// and its times tell how long cells take.
func TestMade(t *testing.T) {
	f := openTemp(t)
	files, first, second := version(0), testRun(), testRun()
	first.SourceDigest, second.Command = "1", []string{"runner", "again"}
	first.Computed = 3
	cells := []*Cell{{CPU: 1}, {CPU: 3}, {CPU: 8}}
	first.AddTimes(cells, func(i int) string { return []string{"a", "a", "b"}[i] })
	for i, want := range []bool{true, false} {
		published, err := f.Publish(t.Context(), "i", files, f.Made(files, first), nil)
		check.OK(t, err)
		check.Equal(t, fmt.Sprint("run ", i, " has published"), published, want)
	}
	check.Equal(t, "of other code", f.Made(files, second), second)
	second.SourceDigest = "1"
	check.Equal(t, "of other files", f.Made(version(1), second), second)
	made := f.Made(files, second)
	check.Equal(t, "of the same", made.Command, first.Command)
	got := []float64{made.Expected("a"), made.Expected("b"), made.Expected("c"), (*Run)(nil).Expected("a")}
	check.Equal(t, "expected seconds", got, []float64{2, 8, 4, 1})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := f.Publish(ctx, "j", files, first, nil)
	check.Refuses(t, "interrupted", err, "canceled")
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
	check.Equal(t, "a large table", TableFile(large).Name, "large.csv.gz")
	check.Equal(t, "it is packed from then on", large.Packed, true)
	publish(t, f, "i", File{"a.csv", []byte("a,b\n1,x\n")}, File{"b.csv", []byte("b\n")},
		File{"c.csv", []byte("c\n")}, packedFile)
	r := check.Must(OpenResults(f.Dir))
	check.Equal(t, "sums", string(r.Sums()), read(t, f.Dir, sumsFile))
	for name, want := range map[string]string{"a": "a,b\n1,x\n", "grid": string(numbers.CSV())} {
		check.Equal(t, name, string(check.Must(r.Table(name)).CSV()), want)
	}
	overwrite(t, "b\n2\n", f.Dir, "b.csv")
	os.Remove(filepath.Join(f.Dir, "c.csv"))
	os.Remove(filepath.Join(f.Dir, "grid.csv.gz"))
	for name, want := range map[string]string{
		"b": "b.csv: its checksum is not that of SHA256SUMS", "c": "no such file",
		"grid": "grid.csv.gz, which is not committed", "d": "d.csv: SHA256SUMS does not list it",
	} {
		check.Refuses(t, name, check.Err(r.Table(name)), want)
	}
	overwrite(t, "<<<<<<<\n", f.Dir, sumsFile)
	_, err := OpenResults(f.Dir)
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
	overwrite(t, "x\n6\n", dirs[0], "forged.csv")
	overwrite(t, "of another day", dirs[0], "grid.csv.gz")
	os.Remove(filepath.Join(dirs[0], "lost.csv"))
	os.Remove(filepath.Join(dirs[0], "lost.pdf"))
	check.Equal(t, "differences", check.Must(Compare(dirs[0], dirs[1])), []string{
		"forged.csv: not what SHA256SUMS says",
		"lost.csv (lost): not what SHA256SUMS says",
		"fig.pdf: other bytes",
		"fig.png: other bytes",
		"gone.csv: missing: a fresh run does not make it",
		"new.csv: extra: only a fresh run makes it",
		`short.csv:3: "2", and now ""`,
		`table.csv:3: "2,b", and now "2.5,b"`,
	})
}

// The state of the code is known in a repository, and new results do not change it.
func TestGitState(t *testing.T) {
	dir := t.TempDir()
	// A repository around the temporary folder is not meant, nor one whose hook runs this test.
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		t.Setenv(name, "") // restores it after the test
		os.Unsetenv(name)
	}
	for _, c := range []struct{ do, tree string }{
		{"true", "unknown"},
		{"git init -q && echo 1 > code.go && git add code.go", "unknown"},
		{"git -c user.name=x -c user.email=x -c commit.gpgsign=false commit -qm first", "clean"},
		{"mkdir results && echo 1 > results/a.csv", "clean"},
		{"echo 2 > code.go", "dirty"},
		{"git checkout -q code.go && echo 1 > new.go", "dirty"},
	} {
		cmd := exec.Command("sh", "-c", c.do)
		cmd.Dir = dir
		out, err := cmd.CombinedOutput()
		check.OK(t, err)
		commit, tree := gitState(t.Context(), dir)
		known := strings.Trim(commit, "0123456789abcdef") == ""
		check.Equal(t, c.do+string(out), []any{tree, known}, []any{c.tree, c.tree != "unknown"})
	}
}
