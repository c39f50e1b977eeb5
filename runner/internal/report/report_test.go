package report

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

func means() table.Tables {
	means := table.New("summary", table.Text("method", "what learns"), table.Text("set", ""))
	means.Columns = append(means.Columns, table.Interval("error", "share")...)
	large := table.New("large", table.Int("p1", "of a class"), table.Int("p2", "of a class"))
	large.Packed = true
	return table.Tables{means, large}
}

// A run ends with its result, which is plain text in the README, too.
func TestResult(t *testing.T) {
	rows := [][]string{{"method", "error", "log loss"}, {"very |sure|<b>", "**0.1**", "a**b**"}}
	r := study.Result{Tables: [][][]string{rows}, Notes: []string{"it guesses"}}
	check.Contains(t, Text(r), "\n  method          error  log loss\n",
		"\n  very |sure|<b>  0.1    a**b**\n  it guesses\n")
	check.Contains(t, string((&README{Result: r}).Markdown()), "\n\n| method | error | log loss |\n|---|",
		`| very \|sure\|&lt;b> | **0.1** | a\*\*b\*\* |`)
	check.Equal(t, "without rows and notes", Text(study.Result{}), "")
}

// The README of a result begins with what was found and ends with its columns.
func TestREADME(t *testing.T) {
	r := README{
		Name: "digits", Asks: "How well?", Finding: "Well.", Tables: means(), Command: "go run ./runner -all",
		Result:   study.Result{Tables: [][][]string{{{"method"}, {"model"}}}, Notes: []string{"one failed"}},
		Figures:  []study.Figure{{Name: "curve", Caption: "It falls.", Needs: []string{"summary", "large"}}},
		Programs: []string{"python 3"}, Kept: []string{"network.npz"},
	}
	check.InOrder(t, string(r.Markdown()),
		"# digits\n\nHow well?\n\n**Well.**\n\n| method |",
		" |\n\n- one failed\n\n## Figures\n",
		"\n`curve`, drawn from `summary`, `large`:\n\n![curve](curve.png)\n\nIt falls.\n\n## Command\n",
		"\n    go run ./runner -all\n", "python 3",
		"\n`summary.csv`\n\n- `method` (words): what learns\n- `set` (words)\n",
		"\n- `error`, `error_low`, `error_high` (numbers): share\n",
		"\n`large.csv.gz` is large and, as a rule, not committed", "\n\n- `p1`, `p2` (integers): of a class\n",
		"\n- `network.npz`: ",
	)
	r = README{Name: "plain", Asks: "What?", Command: "go run ./runner plain"}
	check.Contains(t, string(r.Markdown()), "# plain\n\nWhat?\n\n## Command\n\n    go run")
}

// The page has the READMEs of all folders, with their pictures. What is damaged does not hide the others.
func TestPage(t *testing.T) {
	results, manifests := t.TempDir(), t.TempDir()
	var picture bytes.Buffer
	check.OK(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))))
	for _, name := range []string{"digits", "damaged", "lost"} {
		check.Write(t, "", manifests, name+".toml")
		text := "\n\nHow <b>well</b>?\n\n| a |\n|---|\n| 1 |\n\n![curve](curve.png) [run.json](run.json)\n"
		check.Write(t, "# "+name+text, results, name, "README.md")
		check.Write(t, "", results, name, "SHA256SUMS")
		check.Write(t, "group = \"learning\"\nfinding = \"An error with `b`.\"\n", results, name, "manifest.toml")
	}
	check.Write(t, picture.String(), results, "digits", "curve.png")
	check.Write(t, "group = [", results, "damaged", "manifest.toml")
	check.Write(t, "# Mine\n", results, "mine", "README.md")
	check.Write(t, "", results, "unfinished", "cells", "a.cell")

	html := string(check.Must(os.ReadFile(check.Must(Write(results, manifests, true)))))
	check.InOrder(t, html,
		"Runs of your own</h2>", `id="mine"`, "Learning</h2>", "<b>digits</b> <p>An error with <code>b</code>.</p>",
		`id="digits"`, "<h3>digits</h3>", "<td>1</td>", `src="data:image/png;base64,`, `href="digits/run.json"`,
		`id="lost"`, `src="curve.png"`, "Others</h2>", `id="damaged"`,
	)
	check.Equal(t, "HTML of the READMEs or unfinished results are in the page",
		[]bool{strings.Contains(html, "<b>well"), strings.Contains(html, "unfinished")}, []bool{false, false})
	list := check.Read(results, "README.md")
	check.Contains(t, list, "\n## Learning\n\n- [digits](digits/README.md): An error with `b`.\n- [lost]",
		"\n## Others\n\n- [damaged](damaged/README.md)\n")
}

// What a README says of its files can be read, and written again.
func TestDescribed(t *testing.T) {
	r := README{Tables: means(), Kept: []string{"network.npz", "other.npz"}}
	text := string(r.Markdown())
	var again README
	again.Tables, again.Kept = Described([]byte(text))
	check.Equal(t, "written again", string(again.Markdown()), text)
	check.Equal(t, "kept", again.Kept, r.Kept)
	for k, got := range again.Tables {
		check.Equal(t, "packed", got.Packed, r.Tables[k].Packed)
		check.OK(t, got.Needs(table.Names(r.Tables[k].Columns)...))
	}
}
