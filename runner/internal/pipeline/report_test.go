package pipeline

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
	contains(t, content("results", "README.md"), "\n## Learning\n\n- [small](small/README.md): Above: 0.\n")
	contains(t, content("results", "small", "README.md"), "\n\n**Above: 0.**\n\n", "\n![walks](walks.png)\n")
	mustRun(t, "-exp", "small", "-set", "sweep.seed=2")
	for file, without := range map[string]string{"README.md": "@", "small@sweep.seed=2/README.md": "Above"} {
		if text := content("results", file); strings.Contains(text, without) {
			t.Errorf("%s has %q in it:\n%s", file, without, text)
		}
	}
	contains(t, content("results", "index.html"), `id="small@sweep.seed=2"`, `id="small"`, "Above: 0.")

	write(t, "mine", "elsewhere", "README.md")
	mustRun(t, "-exp", "small", "-out", "elsewhere")
	contains(t, content("elsewhere", "index.html"), `id="small"`)
	check.Equal(t, "a README in another folder", content("elsewhere", "README.md"), "mine")
}
