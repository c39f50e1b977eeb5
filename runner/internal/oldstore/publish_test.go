package store

import (
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func publish(t testing.TB, f *Folder, inputs string, files ...File) {
	t.Helper()
	if err := f.Publish(inputs, files, testRun(), []*Cell{newCell("k", "f", 1)}); err != nil {
		t.Fatal(err)
	}
}

func testRun() *Run {
	return &Run{Command: []string{"runner"}, Manifest: "x", Start: time.Unix(1000, 0).UTC()}
}

func read(t testing.TB, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func overwrite(t testing.TB, text string, path ...string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(path...), []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

func TestPublish(t *testing.T) {
	f := openTemp(t)
	publish(t, f, "i",
		File{"train.csv", []byte("a\n1\n")}, File{"fig01.png", []byte("png")}, File{"manifest.toml", []byte("name = 1\n")})
	want := "SHA256SUMS cells/lock cells/published fig01.png manifest.toml run.json timing.csv train.csv"
	if got := fileNames(t, f.dir); got != want {
		t.Errorf("there is %s, want %s", got, want)
	}
	if got := read(t, f.dir, "train.csv"); got != "a\n1\n" {
		t.Errorf("train.csv is %q", got)
	}
	if got := read(t, f.dir, "timing.csv"); got != "key,seconds\nk,0.25\n" {
		t.Errorf("timing.csv is %q", got)
	}
	// sha256 of "abc" is the example of FIPS 180-4; the order is that of names.
	publish(t, f, "i", File{"b.csv", []byte("abc")}, File{"a.csv", nil})
	sums := "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  a.csv\n" +
		"ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad  b.csv\n"
	if got := read(t, f.dir, "SHA256SUMS"); got != sums {
		t.Errorf("SHA256SUMS is %q, want %q", got, sums)
	}
}

// Times are published and neither summed nor compared.
func TestPublishTimes(t *testing.T) {
	f := openTemp(t)
	publish(t, f, "i", File{"a.csv", nil}, File{"timing_cost.csv", []byte("ns\n1\n")})
	if got := read(t, f.dir, "timing_cost.csv"); got != "ns\n1\n" {
		t.Errorf("timing_cost.csv is %q", got)
	}
	if sums := read(t, f.dir, "SHA256SUMS"); strings.Contains(sums, "timing") || !strings.Contains(sums, "a.csv") {
		t.Errorf("SHA256SUMS is %q", sums)
	}
	other := openTemp(t)
	publish(t, other, "i", File{"a.csv", nil})
	for _, pair := range [][2]string{{f.dir, other.dir}, {other.dir, f.dir}} {
		if d, err := Compare(pair[0], pair[1], 0); err != nil || len(d) != 0 {
			t.Errorf("Compare = %v, %v", d, err)
		}
	}
	if err := f.Publish("i", []File{{"timing_a.csv", nil}, {"timing_a.csv", nil}}, testRun(), nil); err == nil {
		t.Error("two files of one name were published")
	}
}

func TestSha256sumChecksOurSums(t *testing.T) {
	tool, err := exec.LookPath("sha256sum")
	if err != nil {
		t.Skip("no sha256sum on this machine")
	}
	f := openTemp(t)
	publish(t, f, "i", File{"b.csv", []byte("x\n1\n")}, File{"a+b=c_d-e.png", []byte("\x89PNG")})
	check := func() (string, error) {
		cmd := exec.Command(tool, "-c", "--strict", "SHA256SUMS")
		cmd.Dir = f.dir
		cmd.Env = append(os.Environ(), "LC_ALL=C")
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := check(); err != nil || out != "a+b=c_d-e.png: OK\nb.csv: OK\n" {
		t.Errorf("sha256sum -c says %q, %v", out, err)
	}
	overwrite(t, "x\n2\n", f.dir, "b.csv")
	if out, err := check(); err == nil {
		t.Errorf("sha256sum -c says %q of a changed file", out)
	}
}

func TestPublishDropsOnlyItsOwnOldFiles(t *testing.T) {
	f := openTemp(t)
	publish(t, f, "1", File{"a.csv", []byte("1")}, File{"b.csv", []byte("2")}, File{"c.png", []byte("3")})
	overwrite(t, "keep me", f.dir, "notes.txt")
	publish(t, f, "2", File{"a.csv", []byte("1")})
	want := "SHA256SUMS a.csv cells/lock cells/published notes.txt run.json timing.csv"
	if got := fileNames(t, f.dir); got != want {
		t.Errorf("there is %s, want %s", got, want)
	}
}

// A clone has the sums and no cells.
func TestPublishDropsInClone(t *testing.T) {
	f := openTemp(t)
	publish(t, f, "0", version(0)...)
	f.Close()
	if err := os.RemoveAll(f.cells()); err != nil {
		t.Fatal(err)
	}
	f = open(t, f.dir)
	publish(t, f, "1", version(1)...)
	if exists(filepath.Join(f.dir, "c.csv")) {
		t.Error("c.csv is still there")
	}
}

// A run that was killed before it wrote its sums leaves files that only the
// seal names.
func TestPublishDropsAfterKill(t *testing.T) {
	f := openTemp(t)
	publish(t, f, "1", version(1)...)
	before := read(t, f.dir, sumsFile)
	publish(t, f, "0", version(0)...)
	overwrite(t, before, f.dir, sumsFile)
	publish(t, f, "1", version(1)...)
	if exists(filepath.Join(f.dir, "c.csv")) {
		t.Error("c.csv is still there")
	}
}

func TestPublishWritesSumsLast(t *testing.T) {
	f := openTemp(t)
	publish(t, f, "1", File{"a.csv", []byte("1")})
	before := read(t, f.dir, sumsFile)
	if err := os.MkdirAll(filepath.Join(f.dir, "z.csv", "in the way"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := f.Publish("2", []File{{"a.csv", []byte("2")}, {"z.csv", nil}}, testRun(), nil); err == nil {
		t.Error("a folder was replaced by a file")
	}
	if read(t, f.dir, sumsFile) != before {
		t.Error("the sums are of files that could not be written")
	}
	if f.Published("1") || f.Published("2") {
		t.Error("half published and recognised")
	}
}

func TestPublishOverBrokenSums(t *testing.T) {
	f := openTemp(t)
	publish(t, f, "1", File{"a.csv", []byte("1")}, File{"b.csv", []byte("2")})
	outside := filepath.Join(filepath.Dir(f.dir), "outside.csv")
	overwrite(t, "not ours", outside)
	sum := sumOf(nil)
	overwrite(t, "<<<<<<< HEAD\n"+read(t, f.dir, sumsFile)+"=======\n"+sum+"  ../outside.csv\n"+sum+"  run.json\n", f.dir, sumsFile)
	publish(t, f, "2", File{"a.csv", []byte("1")})
	if exists(filepath.Join(f.dir, "b.csv")) {
		t.Error("b.csv is still there")
	}
	if !exists(outside) {
		t.Error("a file outside the folder was removed")
	}
	if !f.Published("2") {
		t.Error("the folder is not as published")
	}
}

func TestPublishRefusesNames(t *testing.T) {
	f := openTemp(t)
	for _, name := range []string{
		"", ".", "..", ".x.csv", "a/b.csv", "../x.csv", `a\b`, "a b.csv", "a\nb", "-x.csv", "SHA256SUMS", "cells", "run.json", "timing.csv",
	} {
		if err := f.Publish("i", []File{{name, nil}}, testRun(), nil); err == nil {
			t.Errorf("published a file named %q", name)
		}
	}
	err := f.Publish("i", []File{{"a.csv", []byte("1")}, {"a.csv", []byte("2")}}, testRun(), nil)
	if err == nil || err.Error() != "publish: two files are named a.csv" {
		t.Errorf("two files of one name: %v", err)
	}
	if got := fileNames(t, f.dir); got != "cells/lock" {
		t.Errorf("refused, and yet there is %s", got)
	}
}

func TestPublished(t *testing.T) {
	f := openTemp(t)
	if f.Published("i") {
		t.Error("an empty folder is published")
	}
	files := []File{{"a.csv", []byte("a\n0.5\n")}, {"fig.svg", []byte("<svg/>")}}
	publish(t, f, "i", files...)
	if !f.Published("i") {
		t.Error("just published and not recognised")
	}
	if f.Published("j") {
		t.Error("recognised under other inputs")
	}
	harm := map[string]func(){
		"a changed byte":      func() { overwrite(t, "a\n0.6\n", f.dir, "a.csv") },
		"a removed figure":    func() { os.Remove(filepath.Join(f.dir, "fig.svg")) },
		"no sums":             func() { os.Remove(filepath.Join(f.dir, sumsFile)) },
		"empty sums":          func() { overwrite(t, "", f.dir, sumsFile) },
		"a shorter list":      func() { overwrite(t, read(t, f.dir, sumsFile)[:64+2+6], f.dir, sumsFile) },
		"a removed run.json":  func() { os.Remove(filepath.Join(f.dir, "run.json")) },
		"a clone, no cells":   func() { os.RemoveAll(f.cells()) },
		"other inputs before": func() { publish(t, f, "j", files...) },
	}
	for what, do := range harm {
		do()
		if f.Published("i") {
			t.Errorf("%s: still recognised", what)
		}
		os.MkdirAll(f.cells(), 0o777)
		publish(t, f, "i", files...)
		if !f.Published("i") {
			t.Errorf("%s: not repaired", what)
		}
	}
}

// version returns one of two sets of files, of which the second lacks one.
func version(n int) []File {
	files := []File{
		{"a.csv", []byte(strings.Repeat(fmt.Sprintf("row of %d\n", n), 1000))},
		{"b.csv", []byte(strings.Repeat(fmt.Sprintf("line of %d\n", n), 1000))},
	}
	if n == 0 {
		files = append(files, File{"c.csv", []byte("only the first\n")})
	}
	return files
}

// publishForever is a child process that publishes one version after the
// other, until it is killed.
func publishForever(dir string) {
	f, err := Open(dir)
	if err != nil {
		panic(err)
	}
	for n := 0; ; n = 1 - n {
		if err := f.Publish(fmt.Sprint(n), version(n), testRun(), nil); err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
}

func TestKilledWhilePublishing(t *testing.T) {
	undisturbed := openTemp(t)
	publish(t, undisturbed, "1", version(1)...)
	want := fileNames(t, undisturbed.dir)

	dir := filepath.Join(t.TempDir(), "x")
	r := rand.New(rand.NewPCG(1, 2))
	broken := 0
	for range 20 {
		child := startChild(t, "publish", dir, 1+r.IntN(3))
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
		kill(t, child)
		f := open(t, dir)
		// If the folder says it is published, it is.
		recognised := false
		for n := range 2 {
			if f.Published(fmt.Sprint(n)) {
				recognised = true
				for _, file := range version(n) {
					if read(t, dir, file.Name) != string(file.Data) {
						t.Fatalf("published, but %s is another", file.Name)
					}
				}
			}
		}
		if !recognised {
			broken++
		}
		publish(t, f, "1", version(1)...)
		if got := fileNames(t, dir); got != want {
			t.Fatalf("after a kill and a rerun there is %s, want %s", got, want)
		}
		for _, name := range []string{"a.csv", "b.csv", sumsFile, "cells/published"} {
			if read(t, dir, name) != read(t, undisturbed.dir, name) {
				t.Fatalf("after a kill and a rerun %s is another", name)
			}
		}
		f.Close()
	}
	t.Logf("%d of 20 kills came in the middle", broken)
}

func TestPublishSweeps(t *testing.T) {
	f := openTemp(t)
	other := open(t, f.dir)
	leftover := leave(t, f, ".a.csv123")
	publish(t, f, "i", version(0)...)
	if !exists(leftover) {
		t.Error("removed while another has the folder open")
	}
	other.Close()
	publish(t, f, "i", version(0)...)
	if exists(leftover) {
		t.Error("the temporary file is still there")
	}
	// The shared lock is held again.
	leftover = leave(t, f, ".a.csv123")
	open(t, f.dir)
	if !exists(leftover) {
		t.Error("the folder is no longer locked")
	}
}
