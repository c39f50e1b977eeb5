package report

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
	"closedform/runner/internal/study"
	"closedform/runner/internal/table"
)

func has(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("%q is missing in\n%s", part, text)
		}
	}
}

func means() table.Set {
	means := table.New("summary", table.Text("method", "what learns"), table.Text("set", ""),
		table.Num("error", "share"), table.Num("error_low", ""), table.Num("error_high", ""),
		table.Num("log_loss", ""), table.Num("brier", ""), table.Text("interval", ""))
	means.Add("model", "iris", 0.1, 0.08, 0.12, 1.25, 0.2, "t, seeds")
	means.Add("majority", "iris", 0.6, 0.6, 0.6, 1.1, 0.7, "t, seeds")
	means.Add("very |sure|<b>", "iris", 0.1, 0, 0.4, 0.3, 0, "t, seeds") // its interval is cut off at 0
	large := table.New("large", table.Int("p1", "of a class"), table.Int("p2", "of a class"))
	large.Packed = true
	return table.Set{means, large}
}

// A run ends with its result, and a warning where guessing is better.
func TestResult(t *testing.T) {
	times := map[string]float64{"set=iris method=model": 2, "set=iris method=very |sure|<b>": 1}
	run := &store.Run{CellSeconds: times}
	r := NewResult(means(), run)
	has(t, r.Text(),
		"\n  method          error            log loss  Brier   ECE  seconds\n",
		"  model           0.1000 ± 0.0200  1.2500    0.2000       2.0000\n",
		"  very |sure|<b>  0.1000 ± 0.3000  0.3000    0.0000       1.0000\n",
		"  ± is half of the 95 % interval: t, seeds\n",
		"  model has a larger log loss than the frequencies of the classes\n")
	has(t, string((&README{Result: r}).Markdown()),
		"\n\n| method | error | log loss | Brier | ECE | seconds |\n|---|---|---|---|---|---|\n",
		`| very \|sure\|&lt;b> | 0.1000 ± 0.3000 | 0.3000 |`)
	scoreless := table.New("summary", table.Text("method", ""))
	check.Equal(t, "without scores it says", NewResult(table.Set{scoreless}, run).Text(), "")
	claims := table.New("claims", table.Text("claim", ""), table.Text("holds_with", ""),
		table.Text("fails_with", ""), table.Text("open_with", ""))
	claims.Add("closed_form", "λ = 0.3", "the slope-matched λ", "")
	has(t, NewResult(table.Set{claims}, run).Text(), "  closed_form  λ = 0.3     the slope-matched λ")
	swept := table.New("summary", table.Text("method", ""), table.Num("lambda", ""), table.Num("rho", ""),
		table.Int("seeds", ""), table.Num("error", ""), table.Num("log_loss", ""))
	swept.Add("model", 0.2, 0.5, 1, 0.1, 0.3)
	swept.Add("model", 0.4, 0.5, 1, 0.2, 0.4)
	has(t, NewResult(table.Set{swept}, run).Text(), "  method  lambda  error ", "  model   0.2     0.1000 ")
}

// The README of a result begins with what was found and ends with its columns.
func TestREADME(t *testing.T) {
	r := README{
		Name: "digits", Asks: "How well?", Finding: "Well.", Notes: []string{"one failed"}, Tables: means(),
		Result: NewResult(means(), &store.Run{}), Command: "go run ./runner -all",
		Figures:  []study.Figure{{Name: "curve", Needs: []string{"summary", "large"}}},
		Programs: []string{"python 3"}, Kept: []string{"network.npz"},
	}
	text, at := string(r.Markdown()), 0
	for _, part := range []string{
		"# digits\n\nHow well?\n\n**Well.**\n\n| method |",
		" |\n\n- one failed\n- ± is half of the 95 % interval: t, seeds\n",
		"- model has a larger log loss than the frequencies of the classes\n\n## Figures\n",
		"\n`curve`, drawn from `summary`, `large`:\n\n![curve](curve.png)\n\n## Command\n",
		"\n    go run ./runner -all\n", "python 3",
		"\n`summary.csv`\n\n- `method` (words): what learns\n- `set` (words)\n",
		"\n- `error`, `error_low`, `error_high` (numbers): share\n",
		"\n`large.csv.gz` is large and, as a rule, not committed", "\n\n- `p1`, `p2` (integers): of a class\n",
		"\n- `network.npz`: ",
	} {
		i := strings.Index(text[at:], part)
		if i < 0 {
			t.Fatalf("%q is not there, or too early, in\n%s", part, text)
		}
		at += i
	}
	r = README{Name: "plain", Asks: "What?", Command: "go run ./runner plain"}
	has(t, string(r.Markdown()), "# plain\n\nWhat?\n\n## Command\n\n    go run")
}

// The page has the READMEs of all folders, with their pictures. What is damaged does not hide the others.
func TestPage(t *testing.T) {
	results, manifests := t.TempDir(), t.TempDir()
	write := func(text string, path ...string) {
		t.Helper()
		file := filepath.Join(path...)
		check.OK(t, os.MkdirAll(filepath.Dir(file), 0o777))
		check.OK(t, os.WriteFile(file, []byte(text), 0o666))
	}
	var picture bytes.Buffer
	check.OK(t, png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 30))))
	for _, name := range []string{"digits", "damaged", "lost"} {
		write("", manifests, name+".toml")
		text := "\n\nHow <b>well</b>?\n\n| a |\n|---|\n| 1 |\n\n![curve](curve.png) [run.json](run.json)\n"
		write("# "+name+text, results, name, "README.md")
		write("", results, name, "SHA256SUMS")
		write("group = \"learning\"\nfinding = \"An error with `b`.\"\n", results, name, "manifest.toml")
	}
	write(picture.String(), results, "digits", "curve.png")
	write("group = [", results, "damaged", "manifest.toml")
	write("# Mine\n", results, "mine", "README.md")
	write("", results, "unfinished", "cells", "a.cell")

	html := string(check.Must(os.ReadFile(check.Must(Write(results, manifests, true)))))
	at := 0
	for _, part := range []string{
		"Runs of your own</h2>", `id="mine"`, "Learning</h2>", "<b>digits</b> <p>An error with <code>b</code>.</p>",
		`id="digits"`, "<h3>digits</h3>", "<td>1</td>", `src="data:image/png;base64,`, `href="digits/run.json"`,
		`id="lost"`, `src="curve.png"`, "Others</h2>", `id="damaged"`,
	} {
		i := strings.Index(html[at:], part)
		if i < 0 {
			t.Fatalf("%q is not there, or too early, in\n%s", part, html)
		}
		at += i
	}
	check.Equal(t, "HTML of the READMEs or unfinished results are in the page",
		[]bool{strings.Contains(html, "<b>well"), strings.Contains(html, "unfinished")}, []bool{false, false})
	list := string(check.Must(os.ReadFile(filepath.Join(results, "README.md"))))
	has(t, list, "\n## Learning\n\n- [digits](digits/README.md): An error with `b`.\n- [lost]",
		"\n## Others\n\n- [damaged](damaged/README.md)\n")
}
