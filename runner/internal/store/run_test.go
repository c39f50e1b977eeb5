package store

import (
	"context"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"runtime"
	"testing"
	"time"
)

func TestNewRun(t *testing.T) {
	start := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	r := NewRun(context.Background(), []string{"-exp", "x.toml"}, start)
	if want := []string{"runner", "-exp", "x.toml"}; !reflect.DeepEqual(r.Command, want) {
		t.Errorf("command %q, want %q", r.Command, want)
	}
	if r.GOOS != runtime.GOOS || r.GOARCH != runtime.GOARCH || r.Go != runtime.Version() || r.CPUs < 1 || r.CPU == "" {
		t.Errorf("machine: %+v", r)
	}
	if runtime.GOARCH == "amd64" && r.GOAMD64 == "" {
		t.Error("no GOAMD64 level")
	}
	if !r.Start.Equal(start) {
		t.Errorf("start %v, want %v", r.Start, start)
	}
	r.Seeds, r.Overrides, r.Computed = []int{1, 2}, []string{"model.lambda=0.4"}, 7
	data, err := r.json()
	if err != nil {
		t.Fatal(err)
	}
	var back Run
	if err := json.Unmarshal(data, &back); err != nil || !reflect.DeepEqual(&back, r) {
		t.Errorf("run.json reads back as %+v, %v, want %+v", back, err, r)
	}
}

func TestGitState(t *testing.T) {
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git on this machine")
	}
	dir := t.TempDir()
	// A repository around the temporary folder, if there is one, is not meant.
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	// Nor is one whose hook runs this test.
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		t.Setenv(name, "") // restores it after the test
		os.Unsetenv(name)
	}
	ctx := context.Background()
	check := func(what, wantTree string, wantCommit bool) {
		t.Helper()
		commit, tree := gitState(ctx, dir)
		if tree != wantTree || (len(commit) == 40) != wantCommit || (commit == "unknown") == wantCommit {
			t.Errorf("%s: commit %s, tree %s", what, commit, tree)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	check("no repository", "unknown", false)
	git("init", "-q")
	check("no commit", "unknown", false)
	overwrite(t, "1", dir, "code.go")
	git("add", "code.go")
	git("commit", "-q", "-m", "first")
	check("committed", "clean", true)
	if err := os.MkdirAll(filepath.Join(dir, "results", "x"), 0o777); err != nil {
		t.Fatal(err)
	}
	overwrite(t, "1", dir, "results", "x", "a.csv")
	check("new results", "clean", true)
	overwrite(t, "2", dir, "code.go")
	check("changed code", "dirty", true)
	git("commit", "-q", "-a", "-m", "second")
	overwrite(t, "1", dir, "new.go")
	check("new code", "dirty", true)
}
