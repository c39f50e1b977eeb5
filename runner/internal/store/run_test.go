package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"

	check "closedform/internal/checktest"
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
	run := func(args ...string) {
		t.Helper()
		options := []string{"-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false"}
		cmd := exec.Command("git", append(options, args...)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	code := filepath.Join(dir, "code.go")
	for _, c := range []struct {
		what string
		do   func()
		tree string
	}{
		{"no repository", func() {}, "unknown"},
		{"no commit", func() { run("init", "-q"); overwrite(t, "1", code); run("add", "code.go") }, "unknown"},
		{"committed", func() { run("commit", "-q", "-m", "first") }, "clean"},
		{"new results", func() {
			check.OK(t, os.Mkdir(filepath.Join(dir, "results"), 0o777))
			overwrite(t, "1", dir, "results", "a.csv")
		}, "clean"},
		{"changed code", func() { overwrite(t, "2", code) }, "dirty"},
		{"new code", func() {
			run("commit", "-q", "-a", "-m", "second")
			overwrite(t, "1", dir,
				"new.go")
		}, "dirty"},
	} {
		c.do()
		commit, tree := gitState(t.Context(), dir)
		if known := c.tree != "unknown"; tree != c.tree || (len(commit) == 40) != known ||
			(commit == "unknown") == known {
			t.Errorf("%s: commit %s, tree %s", c.what, commit, tree)
		}
	}
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
