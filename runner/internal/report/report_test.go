package report

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"maps"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"closedform/internal/check"
)

// publish makes a results folder of the files, with a run of version 1.
func publish(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	check.OK(t, os.MkdirAll(dir, 0o777))
	sums := ""
	for _, name := range slices.Sorted(maps.Keys(files)) {
		write(t, files[name], dir, name)
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(files[name])), name)
	}
	write(t, sums+strings.Repeat("0", 64)+"  x.npz\n"+strings.Repeat("0", 64)+"  x.pdf\n", dir, "SHA256SUMS")
	write(t, `{"command": ["runner", "-exp", "x"], "commit": "c0ffee", "tree": "clean", "source_digest": "1", "seeds": [1, 2], "wall_seconds": 7}`, dir, "run.json")
}

func write(t *testing.T, text string, path ...string) {
	t.Helper()
	check.OK(t, os.WriteFile(filepath.Join(path...), []byte(text), 0o666))
}

func drawing(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	check.OK(t, png.Encode(&b, image.NewGray(image.Rect(0, 0, 40, 30))))
	return b.String()
}

// example is a page of two experiments and the claims.
func example(t *testing.T) *Page {
	t.Helper()
	p := &Page{Results: t.TempDir()}
	p.Picture = "digits/drawing"
	curve, large := "method,k,error,error_low,error_high\n", "method,k,tv\n"
	for i, method := range []string{"a", "b", "c<script>"} {
		for _, k := range []int{1, 10, 100, 1000} {
			curve += fmt.Sprintf("%s,%d,%g,%g,%g\n", method, k, 1/float64(k+i+1), 0.9/float64(k+i+1), 1.1/float64(k+i+1))
		}
		for k := range 900 {
			large += fmt.Sprintf("%s,%d,%g\n", method, k, float64(k*i)/7)
		}
	}
	sweep := "lambda,rho,tv\n"
	for _, lambda := range []float64{0.1, 0.2, 0.3} {
		for _, rho := range []float64{0, 0.5} {
			sweep += fmt.Sprintf("%g,%g,%g\n", lambda, rho, math.Abs(lambda-0.2)+rho/100)
		}
	}
	publish(t, filepath.Join(p.Results, "digits"), map[string]string{
		"curve_summary.csv": curve,
		"large.csv":         large,
		"summary.csv":       "method,error,log_loss,note\na,0.5,9,\"one, two\"\nb,0.25,10,\"he said \"\"so\"\"\"\nc,0.125,,\n",
		"sweep.csv":         sweep,
		"drawing.png":       drawing(t),
		"manifest.toml":     "[model]\nrule = \"adf\"\n[[method]]\nname = \"a\"\nrule = \"adf\"\n[[method]]\nname = \"b\"\nkind = \"tagi\"\n",
		"schema.json": `{"finding": "An error of 25 % with ` + "`b`" + `, <less> than before.", "tables": [{"file": "summary.csv", "columns": [{"name": "error", "kind": "numbers", "doc": "share of wrong answers"}]}],
			"figures": [{"name": "drawing", "needs": ["summary"]}]}`,
	})
	claims := "claim,where,sentence,verdict,holds_with,fails_with,open_with,manifests\n"
	for i, verdict := range []string{"holds", "fails", "holds with x; y", "open", "fails", "holds"} {
		claims += fmt.Sprintf("c%d,Section %d,It is so %d.,%s,x,,,digits\n", i, 6-i, i, verdict)
	}
	publish(t, filepath.Join(p.Results, "claims"), map[string]string{"claims.csv": claims})
	for name, group := range map[string]string{"claims": "paper", "digits": "learning", "later": "learning"} {
		p.Experiments = append(p.Experiments, Experiment{Name: name, Asks: "How well?", Command: "run " + name, Cells: 60, Manifest: "name = 1 # <&>", Group: group})
	}
	slices.SortFunc(p.Experiments, func(a, b Experiment) int { return strings.Compare(a.Name, b.Name) })
	return p
}

func render(t *testing.T, p *Page) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "index.html")
	check.OK(t, p.Write(file))
	text := check.Must(os.ReadFile(file))
	return string(text)
}

func has(t *testing.T, page string, wanted ...string) {
	t.Helper()
	for _, text := range wanted {
		if !strings.Contains(page, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
}

func TestPage(t *testing.T) {
	p := example(t)
	page := render(t, p)
	check.Equal(t, "the same results give other bytes", render(t, p), page)
	has(t, page, "An error of 25 % with <code>b</code>, &lt;less&gt; than before.", `<figure class="picture"><img src="digits/drawing.png"`, "c0ffee",
		`src="digits/drawing.png"`, `width="40" height="30"`, "Figure drawing of digits, drawn of summary. How well?",
		"name = 1 # &lt;&amp;&gt;", `"path":"digits/large.csv"`, `share of wrong answers`)
	if strings.Contains(page, "c<script>") {
		t.Error("a table is not escaped")
	}
	if strings.Contains(page, "899,") && strings.Count(page, `\nb,`) > 2000 {
		t.Error("a large table is in the page twice")
	}
	p.Embed = true
	all := render(t, p)
	has(t, all, `src="data:image/png;base64,`, `b,899,128.`)
	if strings.Contains(all, `"path":"d`) {
		t.Error("a page with everything has tables beside it")
	}
	own := regexp.MustCompile(`(?s)<script>.*?</script>|<pre.*?</pre>`).ReplaceAllString(all, "")
	for _, link := range regexp.MustCompile(`(?:href|src)="([^"]*)"`).FindAllStringSubmatch(own, -1) {
		if !strings.HasPrefix(link[1], "#") && !strings.HasPrefix(link[1], "data:") {
			t.Errorf("a page with everything links to %s", link[1])
		}
	}
}

func TestStates(t *testing.T) {
	p := example(t)
	digits := filepath.Join(p.Results, "digits")
	e := Experiment{Name: "digits", Cells: 60}
	is := func(want int, problem string, e Experiment) {
		t.Helper()
		s := p.section(e, committed(p.Results))
		if got := strings.Join(s.Problems, "; "); s.State != states[want] || !strings.Contains(got, problem) || problem == "" && got != "" {
			t.Errorf("%q with problems %q, want %q with %q", s.State.Word, got, states[want].Word, problem)
		}
	}
	git := func(args ...string) {
		t.Helper()
		cmd := exec.Command("git", append([]string{"-c", "user.name=x", "-c", "user.email=x", "-c", "commit.gpgsign=false"}, args...)...)
		cmd.Dir = p.Results
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git: %v\n%s", err, out)
		}
	}
	is(notRun, "", Experiment{Name: "later"})
	is(needsData, "", Experiment{Name: "later", Missing: errors.New("no data")})
	is(partly, "", Experiment{Name: "later", Missing: errors.New("no data"), Done: 38, Cells: 60})
	is(unreadable, "manifest: a line", Experiment{Name: "later", Err: errors.New("a line")})
	is(fresh, "", e)
	if err := os.Mkdir(filepath.Join(digits, "cells"), 0o777); err != nil { // as a run and -draw leave it
		t.Fatal(err)
	}
	is(fresh, "", e)
	git("init", "-q")
	git("add", ".")
	git("commit", "-q", "-m", "x")
	is(same, "", e)
	is(stale, "", Experiment{Name: "digits", Behind: "of other sources"})
	write(t, "method,error\n", digits, "summary.csv")
	is(differs, "summary.csv", e)
	os.Remove(filepath.Join(digits, "summary.csv"))
	is(differs, "summary.csv (lost)", e)
	write(t, "a,b\n1\n", digits, "summary.csv")
	is(differs, "summary.csv: table summary", e)
	write(t, "{", digits, "run.json")
	is(unreadable, "run.json", e)
	has(t, render(t, p), "run.json", "It is so 5.") // the rest of the page is made
}

// Experiments stand in groups, and runs that are not among the published ones apart.
func TestGroups(t *testing.T) {
	p := example(t)
	p.Experiments[1].Own = true
	page := render(t, p)
	place := -1
	for _, text := range []string{">Runs of your own<", `id="digits"`, ">The paper’s claims<", `id="claims"`, ">Learning<", `id="later"`} {
		at := strings.Index(page, text)
		if at <= place {
			t.Errorf("%s stands at %d, not after %d", text, at, place)
		}
		place = at
	}
}

// The metadata beside the page describe the published experiments and files, and refer only to what they describe.
// The findings stand there as Markdown, by groups.
func TestCrate(t *testing.T) {
	p := example(t)
	p.Experiments[0].Own = true
	check.OK(t, p.Write(filepath.Join(p.Results, "index.html")))
	findings := check.Must(os.ReadFile(filepath.Join(p.Results, FindingsFile)))
	has(t, string(findings), "## Learning\n\n- [digits](digits): An error of 25 % with `b`, <less> than before.\n")
	text := check.Must(os.ReadFile(filepath.Join(p.Results, CrateFile)))
	var crate struct {
		Graph []map[string]any `json:"@graph"`
	}
	check.OK(t, json.Unmarshal(text, &crate))
	types := map[string]any{}
	for _, e := range crate.Graph {
		types[e["@id"].(string)] = e["@type"]
	}
	for _, m := range regexp.MustCompile(`\{"@id":"([^"]*)"\}`).FindAllStringSubmatch(string(text), -1) {
		if types[m[1]] == nil && !strings.HasPrefix(m[1], "https://") {
			t.Errorf("%s is not described", m[1])
		}
	}
	for id, want := range map[string]any{
		"./": "Dataset", "digits/": "Dataset", "digits/summary.csv": "File", "digits/drawing.png": "File", "digits/run.json": "File",
		"#run-digits": "CreateAction", "claims/": nil, "later/": nil,
	} {
		check.Equal(t, fmt.Sprintf("%s is a", id), types[id], want)
	}
	has(t, string(text), "An error of 25 % with `b`", `"endTime":"0001-01-01T00:00:07Z"`)
	for i := range p.Experiments { // runs of your own change neither file, which git has
		p.Experiments[i].Own = true
	}
	check.OK(t, p.Write(filepath.Join(p.Results, "index.html")))
	check.Equal(t, "findings", string(check.Must(os.ReadFile(filepath.Join(p.Results, FindingsFile)))), string(findings))
}
