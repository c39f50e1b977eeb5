package store

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	switch dir := os.Getenv("STORE_TEST_FOLDER"); os.Getenv("STORE_TEST_CHILD") {
	case "save":
		saveForever(dir)
	case "publish":
		publishForever(dir)
	default:
		os.Exit(m.Run())
	}
}

// saveForever is a child process that saves a cell again and again, until it
// is killed. It encodes its two versions beforehand, for the kill to come
// while it writes.
func saveForever(dir string) {
	f, err := Open(dir, false)
	if err != nil {
		panic(err)
	}
	var data [2][]byte
	for i := range data {
		if data[i], err = encodeCell(newCell("k", "f", 5000+i)); err != nil {
			panic(err)
		}
	}
	for n := 0; ; n++ {
		if err := f.write(f.cellFile("k"), data[n%2]); err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
}

// publishForever publishes one version after the other.
func publishForever(dir string) {
	f, err := Open(dir, false)
	if err != nil {
		panic(err)
	}
	for n := 0; ; n = 1 - n {
		if err := f.Publish(fmt.Sprint(n), version(n), testRun()); err != nil {
			panic(err)
		}
		fmt.Println(n)
	}
}

// startChild starts this test as a child process that plays the named part in
// a folder, and waits until it has written a few lines.
func startChild(t *testing.T, part, dir string, lines int) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), "STORE_TEST_CHILD="+part, "STORE_TEST_FOLDER="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	in := bufio.NewScanner(out)
	for range lines {
		if !in.Scan() {
			t.Fatal("the child wrote too little")
		}
	}
	go func() { // its pipe must not fill up
		for in.Scan() {
		}
	}()
	return cmd
}

func kill(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait() // reports the kill
}

// fileNames returns the files below dir, in order.
func fileNames(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(names, " ")
}

func TestKilledWhileSaving(t *testing.T) {
	undisturbed := openTemp(t)
	save(t, undisturbed, newCell("k", "f", 1000))
	want := fileNames(t, undisturbed.dir)

	dir := filepath.Join(t.TempDir(), "x")
	r := rand.New(rand.NewPCG(1, 2))
	leftovers := 0
	for range 8 {
		child := startChild(t, "save", dir, 1)
		time.Sleep(time.Duration(r.IntN(5000)) * time.Microsecond)
		kill(t, child)
		leftovers += strings.Count(fileNames(t, dir), "cells/.k")
		f := mustOpen(t, dir)
		c, err := f.LoadCell("k", "f")
		if c == nil || err != nil || text(c) != text(newCell("k", "f", c.Tables[0].Len()-1)) {
			t.Fatalf("after the kill: %v, %v", c, err)
		}
		if got := fileNames(t, dir); got != want {
			t.Fatalf("after the kill there is %s, want %s", got, want)
		}
		f.Close()
	}
	t.Logf("%d of 8 kills left a temporary file", leftovers)
}

func TestKilledWhilePublishing(t *testing.T) {
	undisturbed := openTemp(t)
	publish(t, undisturbed, "1", version(1)...)
	want := fileNames(t, undisturbed.dir)

	dir := filepath.Join(t.TempDir(), "x")
	r := rand.New(rand.NewPCG(1, 2))
	broken := 0
	for range 8 {
		child := startChild(t, "publish", dir, 1+r.IntN(3))
		time.Sleep(time.Duration(r.IntN(3000)) * time.Microsecond)
		kill(t, child)
		f := mustOpen(t, dir)
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
	t.Logf("%d of 8 kills came in the middle", broken)
}

// A folder is open for one run alone, or for shards together; what killed runs left
// is removed when nobody else is there.
func TestLock(t *testing.T) {
	alone := openTemp(t)
	if _, err := Open(alone.dir, false); err == nil || err.Error() != "another run is at work in "+alone.dir {
		t.Errorf("opened twice: %v", err)
	}
	if _, err := Open(alone.dir, true); err == nil {
		t.Error("shared while open alone")
	}
	alone.Close()
	one, err := Open(alone.dir, true)
	if err != nil {
		t.Fatal(err)
	}
	leftover, foreign := filepath.Join(one.cells(), ".k-0123456789ab.cell1234567890123"), filepath.Join(one.cells(), ".DS_Store")
	overwrite(t, "half a c", leftover)
	overwrite(t, "", foreign)
	two, err := Open(alone.dir, true)
	if err != nil {
		t.Fatal(err)
	}
	if !exists(leftover) { // the other may be writing it just now
		t.Error("a temporary file was removed while another has the folder open")
	}
	if _, err := Open(alone.dir, false); err == nil {
		t.Error("open alone beside a shard")
	}
	one.Close()
	two.Close()
	mustOpen(t, alone.dir)
	if exists(leftover) || !exists(foreign) {
		t.Error("the temporary file is still there, or one that is none of ours is not")
	}
}

func TestOpenWithoutLocks(t *testing.T) {
	f := openTemp(t)
	f.Close()
	// A folder in place of the lock file stands for a file system that cannot lock.
	lock := filepath.Join(f.cells(), "lock")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(lock, 0o777); err != nil {
		t.Fatal(err)
	}
	save(t, mustOpen(t, f.dir), newCell("k", "f", 1))
}

func TestOpenError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	overwrite(t, "", file)
	if _, err := Open(filepath.Join(file, "x"), false); err == nil {
		t.Error("a folder was opened below a file")
	}
}
