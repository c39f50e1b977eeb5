package main

import (
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	store "closedform/runner/internal/oldstore"
)

func provenance(t testing.TB, dir string) store.Run {
	t.Helper()
	var r store.Run
	if err := json.Unmarshal([]byte(read(t, dir, "run.json")), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestSetIsRecorded(t *testing.T) {
	m, out := write(t, small), t.TempDir()
	dir := filepath.Join(out, "small")
	mustRun(t, "-exp", m, "-out", out)
	if got := provenance(t, dir).Overrides; len(got) != 0 {
		t.Errorf("overrides %q without -set", got)
	}
	sets := []string{"model.rho=0.25", "sweep.seed=2..4", "variant.total.lambda=slope", "model.rho=0.45"}
	args := []string{"-exp", m, "-out", out, "-progress", "off"}
	for _, s := range sets {
		args = append(args, "-set", s)
	}
	stdout, _, err := try(t, args...)
	if err != nil {
		t.Fatal(err)
	}
	begins(t, stdout, "small: 6 cells, 6 computed, 0 done before; ")
	r := provenance(t, dir)
	if !slices.Equal(r.Overrides, sets) {
		t.Errorf("run.json has overrides %q, want %q", r.Overrides, sets)
	}
	if !slices.Equal(r.Command, append([]string{"runner"}, args...)) {
		t.Errorf("run.json has command %q", r.Command)
	}
	if !slices.Equal(r.Seeds, []int64{2, 3, 4}) {
		t.Errorf("run.json has seeds %d", r.Seeds)
	}
	// The last -set of a key holds.
	contains(t, read(t, dir, "manifest.toml"), "\nrho = 0.45\n", "\nseed = \"2..4\"\n",
		`overrides = ["model.rho=0.25", "sweep.seed=2..4", "variant.total.lambda=slope", "model.rho=0.45"]`+"\n")
	for _, row := range table(t, dir, "summary.csv").rows("rho") {
		if row != "0.45" {
			t.Errorf("summary.csv has rho %s", row)
		}
	}
	// Without -set the results are the manifest's own again; of its cells those
	// of seed 1 were not replaced.
	begins(t, mustRun(t, "-exp", m, "-out", out), "small: 4 cells, 2 computed, 2 done before; ")
	if got := provenance(t, dir).Overrides; len(got) != 0 {
		t.Errorf("overrides %q are left", got)
	}
}

// inExperiments goes to a new folder with these manifests in experiments/.
func inExperiments(t *testing.T, manifests map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range manifests {
		write(t, text, "experiments", name)
	}
}

func TestManifestIsFound(t *testing.T) {
	other := edit(t, small, `name  = "small"`, `name = "other"`)
	inExperiments(t, map[string]string{"first.toml": small, "second.toml": other})
	own := write(t, edit(t, small, `name  = "small"`, `name = "own"`))
	for _, c := range []struct{ exp, name string }{
		{"first", "small"},
		{"second.toml", "other"},
		{filepath.Join("experiments", "first.toml"), "small"},
		{own, "own"},
	} {
		out := t.TempDir()
		begins(t, mustRun(t, "-exp", c.exp, "-out", out), c.name+": 4 cells, 4 computed, ")
		results(t, filepath.Join(out, c.name))
	}
	// Without -out they are in results/.
	stdout := mustRun(t, "-exp", "first", "-exp", own)
	begins(t, stdout, "small: 4 cells, 4 computed, 0 done before; 8 files in "+filepath.Join("results", "small")+", in ")
	contains(t, stdout, "\nown: 4 cells, 4 computed, 0 done before; 8 files in "+filepath.Join("results", "own")+", in ")
	if stdout := mustRun(t, "-all"); strings.Count(stdout, "\n") != 2 {
		t.Errorf("-all says %q", stdout)
	} else {
		begins(t, stdout, "small: 4 cells, all done before; ") // in the order of the files
		contains(t, stdout, "\nother: 4 cells, 4 computed, ")
	}
	if _, _, err := try(t, "-exp", "third"); err == nil {
		t.Error("a manifest that is not there was run")
	} else if want := `no manifest "third"; allowed: the path of a file, or in experiments: first, second`; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestTwoManifestsOfOneName(t *testing.T) {
	inExperiments(t, map[string]string{"first.toml": small, "second.toml": small})
	for _, args := range [][]string{{"-all"}, {"-exp", "first", "-exp", "second"}, {"-exp", "first", "-exp", "first.toml"}} {
		_, _, err := try(t, args...)
		if err == nil {
			t.Fatalf("%q: both were run", args)
		}
		contains(t, err.Error(), `.toml: name = "small": experiments/first.toml has the same, and both would write to one folder`)
		if exists("results") {
			t.Fatalf("%q: it has begun", args)
		}
	}
}

func TestList(t *testing.T) {
	inExperiments(t, map[string]string{
		"wide.toml":  edit(t, small, `name  = "small"`, `name = "a_longer_name"`, "seed = [1, 2]", `seed = "1..50"`),
		"b.toml":     small,
		"notes.text": "no manifest",
	})
	const want = `NAME           STUDY  EFFORT  CELLS  MANIFEST
small          learn  full    4      experiments/b.toml
a_longer_name  learn  full    100    experiments/wide.toml
`
	if got := mustRun(t, "-list"); got != want {
		t.Errorf("-list prints\n%swant\n%s", got, want)
	}
	write(t, "name = 3\n", "experiments", "a.toml")
	stdout, _, err := try(t, "-list")
	if stdout != want {
		t.Errorf("beside a bad manifest -list prints\n%swant\n%s", stdout, want)
	}
	if err == nil {
		t.Error("-list says nothing of a bad manifest")
	} else {
		begins(t, err.Error(), filepath.Join("experiments", "a.toml")+":1: name = 3: must be ")
	}
	if exists("results") {
		t.Error("-list made a folder")
	}
}

func TestEffort(t *testing.T) {
	inExperiments(t, map[string]string{
		"slow.toml": small,
		"fast.toml": edit(t, small, `name  = "small"`, "name = \"fast\"\neffort = \"quick\""),
	})
	const (
		header = "NAME   STUDY  EFFORT  CELLS  MANIFEST\n"
		fast   = "fast   learn  quick   4      experiments/fast.toml\n"
		slow   = "small  learn  full    4      experiments/slow.toml\n"
	)
	narrow := strings.NewReplacer("NAME ", "NAME", "fast ", "fast") // columns are as wide as they must be
	for flags, want := range map[string]string{
		"-list":               header + fast + slow,
		"-list -effort any":   header + fast + slow,
		"-list -effort quick": narrow.Replace(header + fast),
		"-effort=full -list":  header + slow,
	} {
		if got := mustRun(t, strings.Fields(flags)...); got != want {
			t.Errorf("%s prints\n%swant\n%s", flags, got, want)
		}
	}

	stdout := mustRun(t, "-all", "-effort", "quick")
	begins(t, stdout, "fast: 4 cells, 4 computed, ")
	if strings.Count(stdout, "\n") != 1 || exists("results", "small") {
		t.Errorf("-all -effort quick says %q", stdout)
	}
	contains(t, read(t, "results", "fast", "manifest.toml"), "\neffort = \"quick\"\n")
	begins(t, mustRun(t, "-all", "-verify", "-effort", "quick"), "fast: verified\n")
	// The label is no part of a cell: a manifest that only gets another one keeps its cells.
	stdout = mustRun(t, "-all", "-set", "effort=full", "-effort", "full")
	begins(t, stdout, "fast: 4 cells, 0 computed, 4 done before; ")
	contains(t, stdout, "\nsmall: 4 cells, 4 computed, ")

	if _, _, err := try(t, "-all", "-set", "effort=full", "-effort", "quick"); err == nil {
		t.Error("nothing was run, without an error")
	} else if want := `no manifest in experiments has effort = "quick"`; err.Error() != want {
		t.Errorf("error %q, want %q", err, want)
	}
}

func TestProgress(t *testing.T) {
	m := write(t, small)
	for mode, want := range map[string]string{"auto": "small: 0/4 cells\nsmall: 4/4 cells, ", "plain": "small: 0/4 cells\nsmall: 4/4 cells, ", "off": ""} {
		_, stderr, err := try(t, "-exp", m, "-out", t.TempDir(), "-progress", mode)
		if err != nil || !strings.HasPrefix(stderr, want) || want == "" && stderr != "" {
			t.Errorf("-progress %s prints %q, %v; want %q", mode, stderr, err, want)
		}
	}
}
