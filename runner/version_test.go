package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"closedform/runner/internal/study"
)

// Cells of one experiment that run different methods have versions of their own.
func TestVersionsOfCells(t *testing.T) {
	defer func(f func(study.Experiment, []string) (string, error)) { codeVersion = f }(codeVersion)
	codeVersion = studyVersion
	e, err := newExperiment("../experiments/own_data.toml", nil)
	if err != nil {
		t.Fatal(err)
	}
	cells := e.study.Cells()
	each, all, err := codeVersions(e.study, cells)
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range cells {
		if same := each[i] == each[0]; same != strings.HasPrefix(c.Key, "model ") || each[i] == all {
			t.Errorf("%s has the version %s, %s has %s, all have %s", c.Key, each[i], cells[0].Key, each[0], all)
		}
	}
}

// A kernel in assembly that computes something else makes the cells stale, of a real study; a
// comment in it does not.
func TestBrokenKernelMakesCellsStale(t *testing.T) {
	if testing.Short() || runtime.GOARCH != "amd64" {
		t.Skip("builds the program")
	}
	const kernel = "../core/kernel/vector_amd64.s"
	text, out := read(t, kernel), t.TempDir()
	sum, dot, found := strings.Cut(text, "TEXT ·dotVector")
	if !found {
		t.Fatal("no dotVector")
	}
	for _, c := range []struct{ kernel, want string }{
		{text, " cells, 10 computed, 0 done before; "},
		{sum + "// it\nTEXT   ·dotVector" + dot, " cells, 0 computed, 10 done before; "},
		{sum + "TEXT ·dotVector" + strings.Replace(dot, "VADDPD", "VMAXPD", 1), " cells, 10 computed, 0 done before; "},
	} {
		folder := t.TempDir()
		program, copied := filepath.Join(folder, "program"), write(t, c.kernel, folder, "copy.s")
		name, err := filepath.Abs(kernel)
		if err != nil {
			t.Fatal(err)
		}
		overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{name: copied}})
		if err != nil {
			t.Fatal(err)
		}
		build := exec.Command("go", "build", "-overlay", write(t, string(overlay), folder, "overlay.json"), "-o", program, ".")
		build.Env = append(os.Environ(), "GOFLAGS=")
		if log, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %v\n%s", build, err, log)
		}
		log, err := exec.Command(program, "-exp", "own_data", "-out", out, "-quiet").CombinedOutput()
		if err != nil || !strings.Contains(string(log), c.want) {
			t.Errorf("%s (%v), want %q", log, err, c.want)
		}
	}
}
