package main

import (
	"path/filepath"
	"strings"
	"testing"
)

// A run leaves a page of what it published; report makes one with everything in it, of all
// folders, and with what is known of a run that was not finished.
func TestReport(t *testing.T) {
	_, out, _ := published(t, drawn)
	page := read(t, out, "index.html")
	contains(t, page, `id="small"`, "Where do they end?", "computed, not committed", `src="small/walks.png"`, `href="small/walks.pdf"`)
	unfinished := write(t, edit(t, drawn, `name  = "small"`, `name  = "half"`, "scale = 2", "fail = true"))
	fails(t, "lost its way", "-exp", unfinished, "-out", out, "-workers", "1")
	write(t, read(t, unfinished), out, "half", "manifest.toml") // as of one that is known
	write(t, "name = ", out, "small@sweep.seed=7", "manifest.toml")
	file := filepath.Join(t.TempDir(), "all.html")
	mustRun(t, "report", file, "-out", out)
	page = read(t, file)
	contains(t, page, `id="small@sweep.seed=7"`, "cannot be read", "partly computed (2 of 4 cells)", "data:image/png;base64,")
	if strings.Contains(page, `href="small/`) {
		t.Error("a page with everything links to files beside it")
	}
}
