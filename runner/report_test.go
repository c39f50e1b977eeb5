package main

import (
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

// Every run leaves a page of all results in its folder. Those of the project have a README with their
// findings, too, which says nothing of other values, nor of your own runs.
func TestReport(t *testing.T) {
	found := "group = 'learning'\nfinding = 'Above: {summary method=joint above %.0f}.'\n" + drawn
	inExperiments(t, map[string]string{"small.toml": found})
	mustRun(t, "-exp", "small")
	contains(t, read(t, "results", "README.md"), "\n## Learning\n\n- [small](small/README.md): Above: 0.\n")
	contains(t, read(t, "results", "small", "README.md"), "\n\n**Above: 0.**\n\n", "\n![walks](walks.png)\n")

	mustRun(t, "-exp", "small", "-set", "sweep.seed=2")
	lacks := func(text string, parts ...string) {
		t.Helper()
		for _, part := range parts {
			if strings.Contains(text, part) {
				t.Errorf("%q has %q in it", text, part)
			}
		}
	}
	lacks(read(t, "results", "README.md"), "small@")
	lacks(read(t, "results", "small@sweep.seed=2", "README.md"), "Above: ")
	page := read(t, "results", "index.html")
	contains(t, page, "Runs of your own</h2>", `id="small@sweep.seed=2"`, "Learning</h2>",
		`id="small"`,
		"Above: 0.", `src="data:image/png;base64,`, `href="small/run.json"`)
	lacks(page, "<script")

	write(t, "mine", "elsewhere", "README.md")
	mustRun(t, "-exp", "small", "-out", "elsewhere")
	contains(t, read(t, "elsewhere", "index.html"), `id="small"`)
	check.Equal(t, "a README in another folder", read(t, "elsewhere", "README.md"), "mine")
}
