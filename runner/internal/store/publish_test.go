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
	data := check.Must(os.ReadFile(filepath.Join(path...)))
	return string(data)
}

func overwrite(t testing.TB, text string, path ...string) {
	t.Helper()
	check.OK(t, os.WriteFile(filepath.Join(path...), []byte(text), 0o666))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
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
	if tool, err := exec.LookPath("sha256sum"); err == nil {
		cmd := exec.Command(tool, "-c", "--strict", "--quiet", "SHA256SUMS")
		cmd.Dir = f.Dir
		if out, err := cmd.CombinedOutput(); err != nil || len(out) > 0 {
			t.Errorf("sha256sum -c says %q, %v", out, err)
		}
	}
	// A later run drops what was published and no more, be it in a clone, which has
	// sums and no cells, or after a kill before the sums were written.
	overwrite(t, "keep me", f.Dir, "notes.txt")
	for _, harm := range []func(){
		func() {},
		func() { os.Remove(f.seal()) },
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
		if got := fileNames(t, f.Dir); got != "README.md SHA256SUMS a.csv cells/published notes.txt run.json" {
			t.Errorf("there is %s", got)
		}
	}
	check.OK(t, os.Mkdir(filepath.Join(f.Dir, "folder.csv"), 0o777))
	if _, err := f.Publish(t.Context(), "3", []File{{"folder.csv", nil}}, testRun(), nil); err == nil ||
		f.Published("3") {
		t.Errorf("in place of a folder: %v", err)
	}
	publish(t, f, "2", File{"a.csv", []byte("1")})
	if read(t, f.Dir, "..", "outside.csv") != "not ours" || !f.Published("2") {
		t.Error("a file outside was touched, or the folder is not as published")
	}
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

func TestPublishRefusesNames(t *testing.T) {
	f := openTemp(t)
	for _, name := range []string{"", "..", ".x.csv", "../x.csv", `a\b`, "a b.csv", "-x.csv", "run.json"} {
		_, err := f.Publish(t.Context(), "i", []File{{name, nil}}, testRun(), nil)
		check.Refuses(t, name, err)
	}
	_, err := f.Publish(t.Context(), "i", []File{{"a.csv", nil}, {"a.csv", nil}}, testRun(), nil)
	check.Refuses(t, "two files of one name", err)
	check.Equal(t, "refused, and yet there", fileNames(t, f.Dir), "")
}

func TestResults(t *testing.T) {
	f := openTemp(t)
	if _, err := OpenResults(f.Dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing was published: %v", err)
	}
	numbers := newCell("k", "f", 3).Tables[0]
	packedFile := TableFile(numbers)
	if packedFile.Name != "grid.csv.gz" || !bytes.Equal(packedFile.Data, TableFile(numbers).Data) {
		t.Errorf("%s, or not the same bytes every time", packedFile.Name)
	}
	large := table.New("large", table.Int("i", ""))
	for i := range 200_000 {
		large.Add(i)
	}
	check.Equal(t, "a large table", TableFile(large).Name, "large.csv.gz")
	check.Equal(t, "it is packed from then on", large.Packed, true)
	publish(t, f, "i", File{"a.csv", []byte("a,b\n1,x\n")}, File{"b.csv", []byte("b\n")},
		File{"c.csv", []byte("c\n")}, packedFile)
	r, err := OpenResults(f.Dir)
	if err != nil || string(r.Sums()) != read(t, f.Dir, sumsFile) {
		t.Fatalf("sums %q, %v", r.Sums(), err)
	}
	for name, want := range map[string]string{"a": "a,b\n1,x\n", "grid": string(numbers.CSV())} {
		if got, err := r.Table(name); err != nil || string(got.CSV()) != want || got.Name != name {
			t.Errorf("%s is %v, %v", name, got, err)
		}
	}
	overwrite(t, "b\n2\n", f.Dir, "b.csv")
	os.Remove(filepath.Join(f.Dir, "c.csv"))
	os.Remove(filepath.Join(f.Dir, "grid.csv.gz"))
	for name, want := range map[string]string{
		"b": "b.csv: its checksum is not that of SHA256SUMS", "c": "no such file",
		"grid": "grid.csv.gz, which is not committed", "d": "d.csv: SHA256SUMS does not list it",
	} {
		if got, err := r.Table(name); err == nil || !strings.Contains(err.Error(), want) || got != nil {
			t.Errorf("%s is %v, error %v, want %s", name, got, err, want)
		}
	}
	overwrite(t, "<<<<<<<\n", f.Dir, sumsFile)
	if _, err := OpenResults(f.Dir); err == nil || errors.Is(err, fs.ErrNotExist) {
		t.Errorf("sums that cannot be read: %v", err)
	}
}
