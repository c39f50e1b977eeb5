package store

import (
	"bufio"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"closedform/internal/check"
)

func TestMain(m *testing.M) {
	switch dir := os.Getenv("STORE_TEST_FOLDER"); os.Getenv("STORE_TEST_CHILD") {
	case "publish":
		publishForever(dir)
	case "claim":
		f, err := Open(dir)
		if err != nil || f.Claim("k", "f") == nil {
			panic("no claim")
		}
		fmt.Println()
		select {}
	default:
		os.Exit(m.Run())
	}
}

// publishForever publishes one version after the other.
func publishForever(dir string) {
	f, err := Open(dir)
	if err != nil {
		panic(err)
	}
	for n := 0; ; n = 1 - n {
		if err := f.Publish(fmt.Sprint(n), version(n), testRun(), new(CellSums)); err != nil {
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
	check.OK(t, err)
	cmd.Stderr = os.Stderr
	check.OK(t, cmd.Start())
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
	check.OK(t, cmd.Process.Kill())
	cmd.Wait() // reports the kill
}

// fileNames returns the files below dir, in order, but for the lock and those of who is at work.
func fileNames(t *testing.T, dir string) string {
	t.Helper()
	var names []string
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err == nil && !e.IsDir() && e.Name() != "lock" && filepath.Ext(path) != ".owner" {
			rel, _ := filepath.Rel(dir, path)
			names = append(names, filepath.ToSlash(rel))
		}
		return err
	})
	check.OK(t, err)
	return strings.Join(names, " ")
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

// What a process that was killed left is removed at once by the next on its machine;
// what one that is alive may be writing just now is not.
func TestSweep(t *testing.T) {
	f := openTemp(t)
	foreign := filepath.Join(f.cells(), ".DS_Store")
	overwrite(t, "", foreign)
	release := f.Claim("k", "f")
	save(t, f, newCell("a", "f", 1))
	leftover := filepath.Join(temporary(f.owner.path), ".k-0123456789ab.cell1234567890123")
	overwrite(t, "half a c", leftover)
	if mustOpen(t, f.dir); !exists(leftover) || !exists(f.claimFile("k", "f")) {
		t.Error("a temporary file or a claim was removed while its process is alive")
	}
	release()
	f.Close()
	if exists(leftover) || exists(f.claimFile("k", "f")) || exists(f.owner.path) || !exists(foreign) {
		t.Error("the folder is closed, and what was there for its process is still there, or a file that is none of ours is not")
	}
}

func TestOpenWithoutLocks(t *testing.T) {
	f := openTemp(t)
	f.Close()
	// A folder in place of the lock file stands for a file system that cannot lock.
	lock := filepath.Join(f.cells(), "lock")
	check.OK(t, errors.Join(os.RemoveAll(lock), os.Mkdir(lock, 0o777)))
	f = mustOpen(t, f.dir)
	save(t, f, newCell("k", "f", 1))
	publish(t, f, "1", version(1)...)
}
