package store

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Times that were deleted are missed, and those of an earlier run go.
func TestPublishedNeedsTimes(t *testing.T) {
	f := openTemp(t)
	files := []File{{"a.csv", nil}, {"timing_cost.csv", []byte("ns\n1\n")}, {"timing_old.png", nil}}
	publish(t, f, "i", files...)
	if !f.Published("i") {
		t.Error("not published")
	}
	overwrite(t, "ns\n2\n", f.dir, "timing_cost.csv")
	if !f.Published("i") {
		t.Error("other times count as other results")
	}
	if err := os.Remove(filepath.Join(f.dir, "timing_cost.csv")); err != nil {
		t.Fatal(err)
	}
	if f.Published("i") {
		t.Error("published, without its times")
	}
	overwrite(t, "mine", f.dir, "timing_mine.csv")
	publish(t, f, "i", files[:2]...)
	if got := fileNames(t, f.dir); !strings.Contains(got, "timing_cost.csv timing_mine.csv") || strings.Contains(got, "timing_old") {
		t.Errorf("there is %s", got)
	}
	if !f.Published("i") {
		t.Error("not published again")
	}
}

// Times that no run has written are reported like any other file.
func TestCompareFindsStrayTimes(t *testing.T) {
	f := openTemp(t)
	publish(t, f, "i", File{"a.csv", nil}, File{"timing_cost.csv", nil})
	overwrite(t, "mine", f.dir, "timing_mine.csv")
	d, err := Compare(f.dir, f.dir, 0)
	if err != nil || len(d) != 1 || d[0].Name != "timing_mine.csv" || d[0].Kind != Unlisted {
		t.Errorf("Compare = %v, %v", d, err)
	}
}

// A run.json that names files it has no right to deletes none.
func TestPublishTrustsNoNames(t *testing.T) {
	f := openTemp(t)
	overwrite(t, "keep me", f.dir, "notes.txt")
	overwrite(t, `{"timing_files": ["notes.txt", "timing_/../notes.txt"]}`, f.dir, "run.json")
	publish(t, f, "i", File{"a.csv", nil})
	if got := fileNames(t, f.dir); !strings.Contains(got, "notes.txt") {
		t.Errorf("there is %s", got)
	}
}
