package store

import (
	"bufio"
	"bytes"
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
	f, err := Open(dir)
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
	for range 20 {
		child := startChild(t, "save", dir, 1)
		time.Sleep(time.Duration(r.IntN(5000)) * time.Microsecond)
		kill(t, child)
		leftovers += strings.Count(fileNames(t, dir), "cells/.k")
		f := open(t, dir)
		c, ok, err := f.LoadCell("k", "f")
		if !ok || err != nil {
			t.Fatalf("after the kill: %v, %v", ok, err)
		}
		rows := newCell("k", "f", len(c.Tables[0].Rows)).Tables[0]
		if !bytes.Equal(c.Tables[0].CSV(), rows.CSV()) {
			t.Fatal("after the kill the cell is not one that was saved")
		}
		if got := fileNames(t, dir); got != want {
			t.Fatalf("after the kill there is %s, want %s", got, want)
		}
		f.Close()
	}
	t.Logf("%d of 20 kills left a temporary file", leftovers)
}

func leave(t *testing.T, f *Folder, name string) string {
	t.Helper()
	path := filepath.Join(f.cells(), name)
	if err := os.WriteFile(path, []byte("half a c"), 0o666); err != nil {
		t.Fatal(err)
	}
	return path
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

func TestOpenSweepsOnlyWhenAlone(t *testing.T) {
	f := openTemp(t)
	leftover := leave(t, f, ".k-0123456789ab.json.gz1234567890123")
	foreign := leave(t, f, ".DS_Store")

	// Another process may be writing this file just now.
	other := open(t, f.dir)
	if !exists(leftover) {
		t.Error("a temporary file was removed while another has the folder open")
	}
	other.Close()
	f.Close()
	open(t, f.dir)
	if exists(leftover) {
		t.Error("the temporary file is still there")
	}
	if !exists(foreign) {
		t.Error("a file that is none of ours was removed")
	}
}

func TestOpenWaitsForNobody(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "x")
	startChild(t, "save", dir, 1)
	for range 3 {
		f := open(t, dir)
		save(t, f, newCell("mine", "f", 10))
		f.Close()
	}
}

func TestOpenWithoutLocks(t *testing.T) {
	f := openTemp(t)
	f.Close()
	// A folder in place of the lock file stands for a file system that cannot
	// lock.
	lock := filepath.Join(f.cells(), "lock")
	if err := os.Remove(lock); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(lock, 0o777); err != nil {
		t.Fatal(err)
	}
	f = open(t, f.dir)
	save(t, f, newCell("k", "f", 1))
	if !f.HasCell("k", "f") {
		t.Error("no cell")
	}
}

func TestOpenError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(filepath.Join(file, "x")); err == nil {
		t.Error("a folder was opened below a file")
	}
}

// A sweep on another machine, whose locks are not ours, takes a temporary file
// away between writing and renaming.
func TestSaveSurvivesForeignSweep(t *testing.T) {
	f := openTemp(t)
	swept, done := make(chan struct{}), make(chan struct{})
	defer func() { close(done); <-swept }()
	go func() {
		defer close(swept)
		for {
			leftovers, _ := filepath.Glob(filepath.Join(f.cells(), ".k-*"))
			if len(leftovers) > 0 && os.Remove(leftovers[0]) == nil {
				return
			}
			select {
			case <-done:
				return
			default:
			}
		}
	}()
	for once := false; !once; {
		save(t, f, newCell("k", "f", 1000))
		select {
		case <-swept:
			once = true
		default:
		}
	}
	if _, ok, err := f.LoadCell("k", "f"); !ok || err != nil {
		t.Errorf("after the sweep: %v, %v", ok, err)
	}
}
