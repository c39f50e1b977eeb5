package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"closedform/internal/check"
	"closedform/runner/internal/experiment"
	"closedform/runner/internal/study"
)

// programWith builds the program with another text in place of a file of the repository.
func programWith(t *testing.T, file, text string) (program string) {
	t.Helper()
	folder := t.TempDir()
	name := check.Must(filepath.Abs(filepath.Join("..", file)))
	overlay := check.Must(json.Marshal(map[string]any{"Replace": map[string]string{name: write(t, text, folder, "copy")}}))
	program = filepath.Join(folder, "program")
	build := exec.Command("go", "build", "-overlay", write(t, string(overlay), folder, "overlay.json"), "-o", program, ".")
	build.Env = append(os.Environ(), "GOFLAGS=")
	if log, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %v\n%s", build, err, log)
	}
	return program
}

// says returns what a program prints.
func says(t *testing.T, program string, args ...string) string {
	t.Helper()
	log, err := exec.Command(program, append(args, "-quiet")...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, log)
	}
	return string(log)
}

// The code version of a study whose source is not embedded cannot be told.
func TestSourceIsNotEmbedded(t *testing.T) {
	defer func(was func(study.Experiment, []string) (string, error)) { experiment.CodeVersion = was }(experiment.CodeVersion)
	experiment.CodeVersion = codeVersion
	fails(t, "the sources of closedform/runner are not embedded", "-exp", write(t, small), "-out", t.TempDir())
}

// A kernel in assembly that computes something else makes the cells stale, of a real study.
func TestBrokenKernelMakesCellsStale(t *testing.T) {
	if testing.Short() || runtime.GOARCH != "amd64" {
		t.Skip("builds the program")
	}
	const kernel = "internal/kernel/vector_amd64.s"
	text, out := read(t, "..", kernel), t.TempDir()
	sum, dot, found := strings.Cut(text, "TEXT ·dotVector")
	if !found {
		t.Fatal("no dotVector")
	}
	for _, c := range []struct{ kernel, want string }{
		{text, " cells, 20 computed, 0 done before; "},
		{text, " cells, all done before; "},
		{sum + "TEXT ·dotVector" + strings.Replace(dot, "VADDPD", "VMAXPD", 1), " cells, 20 computed, 0 done before; "},
	} {
		contains(t, says(t, programWith(t, kernel, c.kernel), "-exp", "../experiments/own_data.toml", "-out", out), c.want)
	}
}

// Where a formula is off by 0.1 %, adopt recomputes the strata that run it and adopts the others: of a baseline, the
// only cells that are stale; of the network, those with a kind of covariance.
func TestAdoptBrokenFormula(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program")
	}
	const methods = "../.ci/methods.toml"
	for _, c := range []struct{ file, old, new, stratum, want string }{
		{"baselines/learners/tagi/tagi.go", "newRemax(cfg.classes(), cfg.SigmaV)", "newRemax(cfg.classes(), 1.001*cfg.SigmaV)", "tagi-remax own-data", "recomputed 1 cells, of 1 of 1 strata"},
		{"core/bnn/full.go", "1+e*size*size", "1+1.001*e*size*size", "shared own-data", "of 20 strata"},
	} {
		out, text := t.TempDir(), read(t, "..", c.file)
		says(t, programWith(t, c.file, text), "-exp", methods, "-out", out)
		log := says(t, programWith(t, c.file, edit(t, text, c.old, c.new)), "adopt", methods, "-out", out)
		contains(t, log, `stratum "`+c.stratum+`" differs: `, c.want, "methods: 20 cells, 1 computed, 19 done before")
		check.Equal(t, fmt.Sprintf("it says %s", log), strings.Count(log, "differs"), 1)
	}
}
