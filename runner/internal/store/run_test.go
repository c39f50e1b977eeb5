package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
)

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
	check := func(what, wantTree string, wantCommit bool) {
		t.Helper()
		commit, tree := gitState(t.Context(), dir)
		if tree != wantTree || (len(commit) == 40) != wantCommit || (commit == "unknown") == wantCommit {
			t.Errorf("%s: commit %s, tree %s", what, commit, tree)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git",
			append([]string{"-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false"}, args...)...)
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

// The peak has what is in use no more.
func TestPeakMemory(t *testing.T) {
	const size = 1 << 26
	before := PeakMemory()
	if before == 0 {
		t.Skip("this system does not tell")
	}
	used := make([]byte, size)
	for i := range used {
		used[i] = 1
	}
	runtime.KeepAlive(used)
	peak := PeakMemory()
	// the race detector takes several times as much
	if rise := peak - before; rise < size/10*9 && peak < size || rise > 8*size {
		t.Errorf("%d bytes used, and the peak rose from %d to %d", size, before, peak)
	}
}
