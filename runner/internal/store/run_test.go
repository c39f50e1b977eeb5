package store

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

// The state of the code is known in a repository, and new results do not change it.
func TestGitState(t *testing.T) {
	dir := t.TempDir()
	// A repository around the temporary folder is not meant, nor one whose hook runs this test.
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(dir))
	for _, name := range []string{"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"} {
		t.Setenv(name, "") // restores it after the test
		os.Unsetenv(name)
	}
	for _, c := range []struct{ do, tree string }{
		{"true", "unknown"},
		{"git init -q && echo 1 > code.go && git add code.go", "unknown"},
		{"git -c user.name=x -c user.email=x -c commit.gpgsign=false commit -qm first", "clean"},
		{"mkdir results && echo 1 > results/a.csv", "clean"},
		{"echo 2 > code.go", "dirty"},
		{"git checkout -q code.go && echo 1 > new.go", "dirty"},
	} {
		cmd := exec.Command("sh", "-c", c.do)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", c.do, err, out)
		}
		commit, tree := gitState(t.Context(), dir)
		known := strings.Trim(commit, "0123456789abcdef") == ""
		check.Equal(t, c.do, []any{tree, known}, []any{c.tree, c.tree != "unknown"})
	}
}

func TestPeakMemory(t *testing.T) {
	if peak := PeakMemory(); runtime.GOOS == "linux" && peak < 1<<20 {
		t.Errorf("the peak is %d bytes", peak)
	}
}
