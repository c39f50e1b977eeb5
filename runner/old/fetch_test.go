package main

import (
	"crypto/sha256"
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"testing"
)

func TestFetch(t *testing.T) {
	t.Chdir(t.TempDir())
	nothing := httptest.NewServer(nil) // is published: 404
	defer nothing.Close()
	sets := ""
	for _, name := range []string{"one", "two", "three"} {
		sets += fmt.Sprintf("[[set]]\nname = %q\n[[set.file]]\npath = \"%s/a.txt\"\nsha256 = \"%x\"\nurls = [%q]\n\n",
			name, name, sha256.Sum256([]byte(name)), nothing.URL)
	}
	write(t, sets, "experiments", "data", "sets.toml")
	mirror := t.TempDir()
	write(t, "one", mirror, "one", "a.txt")
	write(t, "three", mirror, "three", "a.txt")
	place := func(name string) string { return filepath.Join("experiments", "data", name, "a.txt") }

	stdout, _, err := try(t, "-fetch", "three", "-mirror", mirror)
	if err != nil {
		t.Fatal(err)
	}
	if want := fmt.Sprintf("three: %s: 5 bytes from %s\n", place("three"), filepath.Join(mirror, "three", "a.txt")); stdout != want {
		t.Errorf("it prints %q, want %q", stdout, want)
	}
	if exists(place("one")) {
		t.Error("it got another set")
	}

	code, stdout, stderr := exit(t, "-fetch", "all", "-mirror", mirror)
	if want := fmt.Sprintf("runner: two: %s: %s: refused: status 404 Not Found\n", place("two"), nothing.URL); code != 1 || stderr != want {
		t.Errorf("exit code %d and %q, want 1 and %q", code, stderr, want)
	}
	contains(t, stdout, "one: "+place("one")+": 3 bytes from ", "two: "+place("two")+": failed\n", "three: "+place("three")+": there already\n")
	if read(t, place("one")) != "one" || read(t, place("three")) != "three" || exists(place("two")) || exists("results") {
		t.Error("other files than those of the sets one and three are there")
	}

	if code, _, stderr := exit(t, "-fetch", "four"); code != 1 || stderr != "runner: no data set \"four\"; allowed: all, one, two, three\n" {
		t.Errorf("-fetch four: exit code %d and %q", code, stderr)
	}
}
