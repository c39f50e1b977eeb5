package paper

import (
	"cmp"
	"crypto/sha256"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"closedform/internal/check"
	"closedform/runner/internal/quote"
)

const root = "../../.."

var (
	comment  = regexp.MustCompile(`(?m)(^|[^\\])%.*$`)
	preamble = regexp.MustCompile(`(?s)^.*\\begin\{document\}`)
	// notNumbers are the arguments of commands that are not printed, and numbers of sections.
	notNumbers = regexp.MustCompile(`\\(includegraphics|label|ref|eqref|cite\w*(\[[^\]]*\])*|input|tabulate|setlength|bibliography\w*)(\[[^\]]*\])?\{[^}]*\}(\{[^}]*\})?|Proposition~[0-9.]+`)
	decimal    = regexp.MustCompile(`[0-9]\.[0-9]`)
	macro      = regexp.MustCompile(`\\([A-Z][A-Za-z]+)`)
	figure     = regexp.MustCompile(`\\includegraphics(?:\[[^\]]*\])?\{([^}]*)\}`)
	tabulated  = regexp.MustCompile(`\\(?:tabulate\{|input\{tables/)([a-z_]+)`)
	plotted    = regexp.MustCompile(`\\(?:plotted|lineof|settings)(?:\{[^}]*\}){2}\{([a-z_]+)\}`)
)

// text is the paper without comments.
func text(t *testing.T) string {
	data := check.Must(os.ReadFile(filepath.Join(root, "paper/paper.tex")))
	return comment.ReplaceAllString(string(data), "$1")
}

// No number of a result is typed by hand.
func TestNumbersAreMacros(t *testing.T) {
	for i, line := range strings.Split(notNumbers.ReplaceAllString(preamble.ReplaceAllString(text(t), ""), ""), "\n") {
		if decimal.MatchString(line) {
			t.Errorf("line %d of the text: a number that is no macro of %s: %s", i+1, List, line)
		}
	}
}

// What the list has is in the paper, and what the paper uses is in the list and among the results.
func TestPaper(t *testing.T) {
	folder := t.TempDir()
	list := check.Must(os.ReadFile(filepath.Join(root, "paper", List)))
	check.OK(t, os.WriteFile(filepath.Join(folder, List), list, 0o666))
	stale := filepath.Join(folder, "tables", "of-yesterday.tex")
	check.OK(t, cmp.Or(os.MkdirAll(filepath.Dir(stale), 0o777), os.WriteFile(stale, nil, 0o666)))
	check.OK(t, Write(folder, filepath.Join(root, "results")))
	macros := check.Must(os.ReadFile(filepath.Join(folder, "numbers.tex")))
	paper := text(t)
	for _, m := range macro.FindAllStringSubmatch(string(macros), -1) {
		if !regexp.MustCompile(`\\` + m[1] + `\b`).MatchString(paper) {
			t.Errorf("number %s is not in the paper", m[1])
		}
	}
	var tables []string
	for _, m := range tabulated.FindAllStringSubmatch(paper, -1) {
		tables = append(tables, m[1]+".tex")
	}
	for _, m := range plotted.FindAllStringSubmatch(preamble.ReplaceAllString(paper, ""), -1) {
		tables = append(tables, m[1]+".dat")
	}
	tables = slices.Compact(tables)
	written, _ := os.ReadDir(filepath.Join(folder, "tables"))
	for _, f := range written {
		if !slices.Contains(tables, f.Name()) {
			t.Errorf("table %s is not in the paper", f.Name())
		}
	}
	check.Equal(t, "the paper has", len(written), len(tables))
	for _, m := range figure.FindAllStringSubmatch(paper, -1) {
		if !strings.HasPrefix(m[0], `\includegraphics{`) {
			t.Errorf("%s: a figure is drawn at the width that it has in print", m[0])
		}
		experiment, name := filepath.Split(m[1])
		sums, err := os.ReadFile(filepath.Join(root, "results", experiment, "SHA256SUMS"))
		if err != nil || !strings.Contains(string(sums), "  "+name+"\n") {
			t.Errorf("figure %s is not among the results: %v", m[1], err)
		}
	}
}

// lines returns what a list makes of the results in testdata-like files made here.
func lines(t *testing.T, list string) (string, error) {
	t.Helper()
	folder := t.TempDir()
	check.OK(t, os.WriteFile(filepath.Join(folder, List), []byte(list), 0o666))
	err := Write(folder, filepath.Join(root, "results"))
	var all string
	for _, pattern := range []string{"numbers.tex", "tables/*.tex"} {
		files, _ := filepath.Glob(filepath.Join(folder, pattern))
		for _, f := range files {
			data, _ := os.ReadFile(f)
			all += string(data)
		}
	}
	return strings.ReplaceAll(all, folder, ""), err
}

func TestErrors(t *testing.T) {
	for list, want := range map[string]string{
		"[number]\n\nX = {from = \"fig1_12/summary\", row = \"method=jiont\", column = \"accuracy\", format = \"%.1f\"}":                                                `numbers.toml:3: number.X: 0 rows of fig1_12/summary have "method=jiont"; need one`,
		"[number]\nX = {from = \"fig1_12/summary\", row = \"method=total\", column = \"variance_auroc\", format = \"%.1f\"}":                                            "numbers.toml:2: number.X: variance_auroc is empty",
		"[number]\nX = {from = \"fig1_12/summary\", row = \"method=joint\", column = \"accuracy\", format = \"%v\"}":                                                    `numbers.toml:2: number.X: format "%v" is not allowed; allowed: %.Nf`,
		"[number]\nX1 = {from = \"uci/ranks\", format = \"%.0f\"}":                                                                                                      "numbers.toml:2: number.X1: need a name of letters",
		"[number]\nX = {from = \"uci/ranks\", rows = \"method=tagi\", format = \"%.0f\"}":                                                                               "numbers.toml:2: number.X.rows is not a key; allowed in [number]: from, row",
		"[[table]]\nname = \"a\"\nrows = [\"method=tagi\"]\n[[table.column]]\nfrom = \"uci/ranks\"\ncolumn = \"log_loss\"\nformat = \"%.1f\"\nbest = \"low\"":           `table a: best "low" is not allowed; allowed: least, greatest`,
		"[number]\nX = {from = \"uci/runs\", column = \"log_loss\", of = \"mean\", format = \"%.1f\"}":                                                                  `numbers.toml:2: number.X: of "mean" is not allowed; allowed: greatest, median, positive, infinite`,
		"[[plot]]\nname = \"a\"\nfrom = \"uci/ranks\"\nrows = [\"method=tgai\"]\ncolumns = [\"log_loss\"]":                                                              `plot a: no row of uci/ranks has " method=tgai"`,
		"[[table]]\nname = \"a\"\nrows = [\"method=tagi\"]\n[[table.column]]\nfrom = \"uci/ranks\"\ncolumn = \"log_loss\"\nformat = \"%.1f\"\nnone = [\"method=tagi\"]": `none has "method=tagi", where a value is`,
	} {
		files, err := lines(t, list)
		check.Refuses(t, list, err, want)
		if files != "" {
			t.Errorf("%s\nwrote %s", list, files)
		}
	}
}

func TestSpell(t *testing.T) {
	for _, c := range []struct {
		format string
		x      float64
		want   string
	}{
		{"%.2f", 0.375, "0.38"},
		{"%.0f", 60000, `60\,000`},
		{"%.1f", 1234567.89, `1\,234\,567.9`},
		{"%.0f", 1234, "1234"},
		{"%.1e", 0.00012, `1.2 \cdot 10^{-4}`},
		{"%.1f", -0.25, "-0.2"},
		{"%.2f", -0.001, "0.00"},
		{"%.1f", math.Inf(1), `\infty`},
		{"%.1f", math.Inf(-1), `-\infty`},
	} {
		check.Equal(t, fmt.Sprintf("%s of %g", c.format, c.x), spell(c.format, c.x), c.want)
	}
}

// The best of each part between rules is bold.
func TestBest(t *testing.T) {
	c := column{number: number{Format: "%.1f", Interval: true}, Best: "least"}
	set := func(values ...value) []string {
		cells := make([]string, len(values))
		c.set(cells, values)
		return cells
	}
	got := set(value{5, 1, 9}, value{2, 1, 3}, value{2.9, 2.3, 3.5})
	want := []string{`$5.0$ & \half{4.0}`, `$\mathbf{2.0}$ & \half{1.0}`, `$2.9$ & \half{0.6}`}
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got := set(value{2, 1, 3}); strings.Contains(got[0], "mathbf") {
		t.Errorf("one row alone is the best: %q", got)
	}
	c.Best = "greatest"
	if got := set(value{5, 4.5, 5.5}, value{2, 1, 3}); !strings.Contains(got[0], "mathbf") || strings.Contains(got[1], "mathbf") {
		t.Errorf("got %q", got)
	}
	results := quote.Open(filepath.Join(root, "results"))
	table := tabular{
		Name: "a", From: "uci/ranks", Label: "method", Rows: []string{"method=tagi : TAGI", "", "method=majority : frequencies & λ"},
		Column: []column{{Head: "sets", number: number{Source: quote.Source{Column: "sets"}, Format: "%.0f"}}},
	}
	text, err := table.tex(results)
	if err != nil || !strings.Contains(text, "TAGI & $8$ \\\\\n\\midrule\nfrequencies \\& $\\lambda$ & $8$ \\\\\n") {
		t.Errorf("%v: %s", err, text)
	}
}

// Where a mean is infinite, or its interval is wider than twice the mean, a table has the median of the runs.
func TestMedian(t *testing.T) {
	folder := t.TempDir()
	check.OK(t, os.Mkdir(filepath.Join(folder, "x"), 0o777))
	sums := ""
	for name, text := range map[string]string{
		"summary.csv": "method,loss,loss_low,loss_high\na,+Inf,,\nb,4,-3,11\nc,2,1,3\n",
		"runs.csv":    "method,loss\na,1\na,+Inf\na,2\na,3\nb,1\nb,2\nb,9\nc,2\n",
	} {
		check.OK(t, os.WriteFile(filepath.Join(folder, "x", name), []byte(text), 0o666))
		sums += fmt.Sprintf("%x  %s\n", sha256.Sum256([]byte(text)), name)
	}
	check.OK(t, os.WriteFile(filepath.Join(folder, "x", "SHA256SUMS"), []byte(sums), 0o666))
	c := column{number: number{Source: quote.Source{Column: "loss"}, Format: "%.1f", Interval: true}}
	table := tabular{From: "x/summary", Rows: []string{"method=a", "method=b", "method=c"}, Column: []column{c}}
	text, err := table.tex(quote.Open(folder))
	if want := "$2.5\\rlap{$^{1\\infty}$}$ & \\\\\n$2.0\\rlap{$^{*}$}$ & \\\\\n$2.0$ & \\half{1.0} \\\\\n"; err != nil || !strings.Contains(text, want) {
		t.Errorf("%v: %s, want %s", err, text, want)
	}
	data, err := plot{From: "x/summary", Rows: []string{"method=c", "method=a"}, Columns: []string{"loss", "loss_low"}}.data(quote.Open(folder))
	if want := "series loss loss_low\n0 2 1\n1 +Inf nan\n"; err != nil || data != want {
		t.Errorf("%v: %q, want %q", err, data, want)
	}
}

// The label of a row without one is that of its method in the published manifest, or its name.
func TestLabels(t *testing.T) {
	folder := t.TempDir()
	manifest := "[[method]]\nname = \"adf_lsq\"\nlabel = \"ADF & λ\"\n[[method]]\nname = \"my-own\"\n"
	check.OK(t, cmp.Or(os.Mkdir(filepath.Join(folder, "x"), 0o777), os.WriteFile(filepath.Join(folder, "x", "manifest.toml"), []byte(manifest), 0o666)))
	for row, want := range map[string]string{"method=adf_lsq k=3": `ADF \& $\lambda$`, "method=adf_lsq : other": "other", "method=my-own": "my own", "method=no-such": "no such"} {
		check.Equal(t, row, (tabular{From: "x/summary"}).label(row, quote.Open(folder)), want)
	}
}

// A mean of one value, here over the only set, has no interval in a table, but is an error where a number quotes it.
func TestNoInterval(t *testing.T) {
	results := quote.Open(filepath.Join(root, "results"))
	n := number{Source: quote.Source{From: "rivals/paired", Row: "set=all method=tagi", Column: "error"}, Format: "%.3f", Interval: true}
	table := tabular{Name: "a", Row: n.Row, Rows: []string{"method=tagi"}, Column: []column{{Head: "error", number: n}}}
	if text, err := table.tex(results); err != nil || strings.Contains(text, `\pm`) || !decimal.MatchString(text) {
		t.Errorf("%v: %s", err, text)
	}
	if text, err := n.tex(results); err == nil {
		t.Errorf("%s", text)
	}
}

// A number has the factor and both ends of its interval, and a setting is that of the manifest.
func TestNumber(t *testing.T) {
	results := quote.Open(filepath.Join(root, "results"))
	source := quote.Source{From: "rivals/summary", Row: "set=mnist method=default", Column: "error", Factor: 100}
	n := number{Source: source, Format: "%.9f", Interval: true}
	var want [3]float64
	for i, column := range []string{"error", "error_low", "error_high"} {
		source.Column = column
		x := check.Must(results.Number(source))
		want[i] = x
	}
	got := check.Must(n.tex(results))
	check.Equal(t, "number", got, fmt.Sprintf(`\ensuremath{%.9f} [\ensuremath{%.9f},~\ensuremath{%.9f}]`, want[0], want[1], want[2]))
	setting := number{Source: quote.Source{From: "posterior/manifest", Column: "method.joint.lambda"}, Format: "%.1f"}
	if got, err := setting.tex(results); err != nil || got != `\ensuremath{0.2}` {
		t.Errorf("%v: %s, want the λ of the method", err, got)
	}
	setting.Column = "method.jiont.lambda"
	_, err := setting.tex(results)
	check.Refuses(t, "error", err, "jiont")
}
