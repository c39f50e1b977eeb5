package main

import (
	"io/fs"
	"path/filepath"
	"strings"
	"testing"
)

// snapshot returns all that is under a folder, with size and time.
func snapshot(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if e.IsDir() {
			files[path] = ""
		} else {
			files[path] = info.ModTime().String() + read(t, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func unchanged(t testing.TB, dir string, before map[string]string) {
	t.Helper()
	now := snapshot(t, dir)
	for path := range now {
		if was, ok := before[path]; !ok {
			t.Errorf("%s is new", path)
		} else if was != now[path] {
			t.Errorf("%s was written", path)
		}
	}
	for path := range before {
		if _, ok := now[path]; !ok {
			t.Errorf("%s is gone", path)
		}
	}
}

func TestBadManifestTouchesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	mustRun(t, "-exp", write(t, small))
	before := snapshot(t, "results")
	good := edit(t, small, `name  = "small"`, `name = "good"`)
	write(t, good, "good.toml")
	for _, c := range []struct{ old, new, want string }{
		{"lambda     = 0.3", "lamda = 0.3", `x.toml:11: model.lamda: unknown key; did you mean "lambda"? allowed: alpha, `},
		{"train     = 6\n", "", "x.toml:5: data.train: missing; allowed: an integer from 1 to "},
		{"lambda     = 0.3", "lambda = true", `x.toml:11: model.lambda = true: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"lambda     = 0.3", "lambda = -0.3", `x.toml:11: model.lambda = -0.3: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"lambda     = 0.3", "prior_var = -1", "x.toml:11: model.prior_var = -1: must be a finite number > 0"},
		{"lambda     = 0.3", "rho = 1", "x.toml:11: model.rho = 1: must be a number ≥ 0 and < 1"},
		{"[[1, 0], [0, 1], [1, 1]]", "[[1, 0], [0, 1]]", "x.toml:12: model.prior_mean = [[1, 0], [0, 1]]: has 2 rows; allowed: 3, one per neuron"},
		{`"small"`, `"../small"`, `x.toml:1: name = "../small": must be a name of 1 to 64 characters a-z, 0-9, _, -`},
		{"snapshots = [1, 3, 6]", "snapshots = [1, 3, 7]", "x.toml:15: evaluate.snapshots = [1, 3, 7]: 7 is beyond data.train = 6; allowed: 1 to 6"},
		{`"entropy_drop"`, `"entropy"`, `x.toml:34: claim.1.statistic = "entropy": must be "accuracy" or "entropy_drop" or `},
		{"seed  = 2", "seed  = ", "x.toml:3: TOML syntax: "},
	} {
		write(t, edit(t, small, c.old, c.new), "x.toml")
		// The good one, though before it, must not be run.
		code, stdout, stderr := exit(t, "-exp", "good.toml", "-exp", "x.toml")
		if code != 1 || stdout != "" {
			t.Errorf("%s: exit code %d, want 1; it prints %q", c.want, code, stdout)
		}
		begins(t, stderr, "runner: "+c.want)
		if strings.Count(stderr, "\n") != 1 {
			t.Errorf("the error is not one line: %q", stderr)
		}
	}
	for _, c := range []struct{ args, want string }{
		{"-exp good.toml -set model.lambda=0", `-set model.lambda=0: model.lambda = 0: must be from 1e-30 to 1e+30 or one of the words "slope", "lsq", "minimax"`},
		{"-exp good.toml -set model.lamda=1", `-set model.lamda=1: `},
		{"-exp good.toml -set lambda", "-set lambda: must be key=value, "},
		{"-exp missing.toml", `no manifest "missing.toml"`},
		{"-exp results", `no manifest "results"`}, // a folder
		{"-all", "manifests: "},                   // there is no experiments/
		{"-list", "manifests: "},
	} {
		code, stdout, stderr := exit(t, strings.Fields(c.args)...)
		if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s: exit code %d, want 1; it prints %q", c.args, code, stdout+stderr)
		}
		begins(t, stderr, "runner: "+c.want)
	}
	unchanged(t, "results", before)
}

func TestUnusableOut(t *testing.T) {
	m, dir := write(t, small), t.TempDir()
	file := write(t, "mine", dir, "file")
	write(t, "mine", dir, "folder", "small")
	before := snapshot(t, dir)
	for _, c := range []struct{ out, want string }{
		{file, "results folder: mkdir " + file + ": not a directory"},
		{filepath.Join(dir, "folder"), "results folder: mkdir " + filepath.Join(dir, "folder", "small") + ": not a directory"},
		{filepath.Join(file, "deeper"), "results folder: mkdir " + file + ": not a directory"},
	} {
		code, stdout, stderr := exit(t, "-exp", m, "-out", c.out)
		if code != 1 || stdout != "" || stderr != "runner: "+c.want+"\n" {
			t.Errorf("-out %s: exit code %d and %q, want 1 and %q", c.out, code, stdout+stderr, c.want)
		}
	}
	unchanged(t, dir, before)
}

// failing has a variant that works, then one whose first step is indefinite.
func failing(t testing.TB) string {
	return edit(t, small, `name = "joint"`, "name = \"total\"\nrule = \"total\"",
		"name   = \"total\"\nrule   = \"total\"\nlambda = \"slope\"", "name = \"steep\"\nlambda = 3")
}

func TestIndefiniteStepFails(t *testing.T) {
	m, out := write(t, failing(t)), t.TempDir()
	dir := filepath.Join(out, "small")
	code, stdout, stderr := exit(t, "-exp", m, "-out", out, "-progress", "off", "-workers", "1")
	if code != 1 || stdout != "" || strings.Count(stderr, "\n") != 1 {
		t.Errorf("exit code %d, want 1; it prints %q", code, stdout+stderr)
	}
	begins(t, stderr, "runner: small: cell steep seed=1: example 1: ")
	contains(t, stderr, "smallest eigenvalue")
	if exists(dir, "SHA256SUMS") || len(glob(t, dir, "*.csv")) > 0 {
		t.Error("it has published results")
	}
	begins(t, mustRun(t, "-exp", m, "-out", out, "-set", "variant.steep.on_indefinite=project"),
		"small: 4 cells, 2 computed, 2 done before; ")
	steps := table(t, dir, "steps.csv")
	for i, action := range steps.rows("action") {
		if steps.rows("variant")[i] == "total" && action != "applied" {
			t.Errorf("a step of variant total is %s", action)
		}
	}
	contains(t, strings.Join(steps.rows("action"), " "), "projected")

	// A run that fails leaves earlier results alone.
	before := results(t, dir)
	if _, _, err := try(t, "-exp", m, "-out", out, "-force"); err == nil {
		t.Error("it did not fail again")
	}
	same(t, results(t, dir), before)
}

func TestIndefiniteStepSaysWhatToSet(t *testing.T) {
	_, _, err := try(t, "-exp", write(t, failing(t)), "-out", t.TempDir())
	if err == nil {
		t.Fatal("it did not fail")
	}
	contains(t, err.Error(), "on_indefinite", "skip", "project")
}
