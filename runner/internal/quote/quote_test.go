package quote

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
	"closedform/runner/internal/table"
)

// tables are a summary, its runs and a table of texts.
func tables() (list table.Tables) {
	for name, text := range map[string]string{
		"x/summary": "method,k,error,error_low,error_high\na,1,0.024,0.021,0.028\na,10,-0.5,-0.6,0.25\n" +
			"b,1,+Inf,,\nc,1,4,-3,11\nd,1,-0.001,,\ne,1,,,\nf,1,0.02,0.019,0.021\ng,20,0.02,0.019,0.021\n",
		"x/runs":  "method,k,error\nb,1,1\nb,1,+Inf\nb,1,2\nb,1,3\nc,1,1\nc,1,2\nc,1,9\n",
		"x/words": "method,words\na,of a_b\nb,λ (1.3e+02; -1.2e-15; a1e5)\nc,of c\nd,of d\ne,of e\nf,of f\ng,of g\n",
	} {
		list = append(list, check.Must(table.Read(name, strings.NewReader(text))))
	}
	return list
}

func TestFill(t *testing.T) {
	for text, want := range map[string]string{
		"no number": "no number",
		"{x/summary method=a k=1 error 100 %.1f} % wrong, {x/summary k=10 error %.2f}": "2.4 % wrong, −0.50",
		"{x/summary k=10 error %.1f ci}":                                               "−0.5 (−0.6 to 0.2)",
		"{x/summary method=d error %.2f}":                                              "0.00",
		"{x/runs error median %.1f}, {x/runs method=b error median %.1f}":              "2.0, 2.5",
		"{x/runs error infinite %.0f} of {x/runs method=b error count %.0f}":           "1 of 4",
	} {
		check.Equal(t, text, check.Must(Fill(text, tables().Read)), want)
	}
	for text, want := range map[string]string{
		"{x/summary method=a error %.1f}":      "%.1f}: 2 rows have these fields; need one",
		"{x/summary method=z error %.1f}":      "no row has method=z; allowed: a, b, c",
		"{x/sumary k=1 error %.1f}":            "no table x/sumary",
		"{x/summary l=1 error %.1f}":           "l is not a column; there are: method, k",
		"{x/summary k=10 eror %.1f}":           "eror is not a column; there are: method, k",
		"{x/summary k=10 method %.1f}":         `x/summary k=10 method %.1f}: need a number, not "a"`,
		"{x/summary method=e error %.1f}":      "error %.1f}: no value: the field is empty",
		"{x/summary method=d error %.1f ci}":   "ci}: there is no interval",
		"{x/summary method=d error %v}":        "%v is not allowed; allowed: a factor",
		"{x/summary method=d error mean %.1f}": "mean is not allowed",
		"{x/summary method=d error}":           "need a format",
		"{x/summary}":                          "need a table, fields, a column and a format",
	} {
		check.Refuses(t, text, check.Err(Fill(text, tables().Read)), want)
	}
}

func TestLaTeX(t *testing.T) {
	files := check.Must(latex("numbers.toml", `[number]
Two = "x/summary method=a k=10 error 100 %.1f ci"
One = "x/summary method=a k=1 error %.3f"
[[table]]
name = "a"
align = "lr@{\\,}lr"
head = 'method & \both{error}'
rows = [
  ["method=a : $a$", "method=b : b", "method=c : c", "method=f : f"],
  ["method=d : d", "method=e : e", "method=g : g"],
]
columns = ["x/summary k=1 error 10 %.1f ci lowest", "x/words words"]
[[table]]
name = "highest"
rows = [["method=a", "method=f"]]
columns = ["x/summary k=1 error %.3f highest", "x/runs error count %.0f optional"]
`, tables().Read))
	for name, want := range map[string]string{
		"numbers.tex": `\newcommand{\One}{\ensuremath{0.024}\xspace}` + "\n" +
			`\newcommand{\Two}{\ensuremath{-50.0} [\ensuremath{-60.0},~\ensuremath{25.0}]\xspace}` + "\n",
		"tables/a.tex": `\begin{tabular}{@{}lr@{\,}lr@{}}
\toprule
method & \both{error} \\
\midrule
$a$ & $\mathbf{0.2}$ & \interval{0.2}{0.3} & of a\_b \\
b & $\infty$ & & $\lambda$ ($1.3\cdot10^{2}$; $-1.2\cdot10^{-15}$; a1e5) \\
c & $40.0$ & \interval{-30.0}{110.0} & of c \\
f & $\mathbf{0.2}$ & \interval{0.2}{0.2} & of f \\
\midrule
d & $\mathbf{0.0}$ & & of d \\
e & -- & & of e \\
g & -- & & of g \\
\bottomrule
\end{tabular}
`,
		"tables/highest.tex": "\\midrule\n$\\mathbf{0.024}$ & -- \\\\\n$0.020$ & -- \\\\\n\\bottomrule\n",
	} {
		check.Contains(t, files[name], want)
	}
}

func TestErrors(t *testing.T) {
	table := func(row, column string) string {
		return fmt.Sprintf("[[table]]\nname = 't'\nrows = [['%s']]\ncolumns = ['%s']", row, column)
	}
	for _, c := range [][2]string{
		{"[number\n", "f: toml: "},
		{"[number]\n\nX = 'x/summary k=2 error %.1f'", "f:3: X: no row has k=2; allowed: 1, 10"},
		{"[number]\nXY = 'x/summary k=10 error %.1f'\nY = 'x/summary k=10 eror %.1f'", "f:3: Y: eror"},
		{"[[table]]\nname = 't'\n\nbest = 't'", "f:4: best: table.best is not a key; allowed"},
		{table("k=2", "x/runs error %.1f"), "f:2: t: x/runs error %.1f k=2: no row has k=2"},
		{table("k=10", "x/summary error %.1f least"), "least is not allowed"},
	} {
		list, want := c[0], c[1]
		check.Refuses(t, list, check.Err(latex("f", list, tables().Read)), want)
	}
}

// Files of former tables go.
func TestWriteLaTeX(t *testing.T) {
	folder, results := t.TempDir(), t.TempDir()
	stale, numbers := filepath.Join(folder, "tables/of-yesterday.tex"), filepath.Join(folder, "numbers.tex")
	sum := fmt.Sprintf("%x", sha256.Sum256([]byte("k,error\n1,0.25\n")))
	for file, text := range map[string]string{
		stale:                                  "",
		filepath.Join(folder, List):            "[number]\nX = \"x/runs k=1 error %.1f\"\n",
		filepath.Join(results, "x/runs.csv"):   "k,error\n1,0.25\n",
		filepath.Join(results, "x/SHA256SUMS"): sum + "  runs.csv\n",
	} {
		check.Write(t, text, file)
	}
	check.OK(t, WriteLaTeX(folder, results))
	check.Refuses(t, stale, check.Err(os.Stat(stale)), "no such file")
	check.Contains(t, check.Read(numbers), `\X}{\ensuremath{0.2}`)
}

const root = "../../.."

var results = store.Published(filepath.Join(root, "results"))

var (
	comment  = regexp.MustCompile(`(?m)(^|[^\\])%.*$`)
	preamble = regexp.MustCompile(`(?s)^.*\\begin\{document\}`)
	// notNumbers are the arguments of commands that are not printed, and numbers of sections.
	notNumbers = regexp.MustCompile(`\\(includegraphics|label|ref|eqref|cite\w*(\[[^\]]*\])*|input|tabulate|` +
		`setlength|bibliography\w*)(\[[^\]]*\])?\{[^}]*\}(\{[^}]*\})?|Proposition~[0-9.]+`)
	// notResults are decimal numbers that are not results: in code, settings and versions.
	notResults = regexp.MustCompile("(?s:```.*?```)|`[^`]*`|(?m)^    .*$|\\]\\([^)]*\\)|" +
		"λ = [0-9.]+|(?:Sec|Prop)\\. [0-9.]+|arXiv[: ][0-9.]+|Go [0-9.]+|CC [A-Z-]+ [0-9.]+")
	decimal   = regexp.MustCompile(`\b[0-9]+\.[0-9]+\b`)
	figure    = regexp.MustCompile(`\\includegraphics(\[[^\]]*\])?\{([^}]*)\}`)
	tabulated = regexp.MustCompile(`\\(?:tabulate\{|input\{tables/)([a-z_]+)`)
)

// paper returns the list, as it is written and read, and the text without comments and its preamble.
func paper(t *testing.T) (file string, l list, text string) {
	data := check.Must(os.ReadFile(filepath.Join(root, "paper", List)))
	check.Must(toml.Decode(string(data), &l))
	tex := check.Must(os.ReadFile(filepath.Join(root, "paper/paper.tex")))
	return string(data), l, preamble.ReplaceAllString(comment.ReplaceAllString(string(tex), "$1"), "")
}

// What the list has is in the paper, what the paper uses is in the list and among the results, and no
// number of a result is typed by hand.
func TestPaper(t *testing.T) {
	file, l, text := paper(t)
	check.Must(latex(List, file, results))
	for name := range l.Number {
		used := regexp.MustCompile(`\\` + name + `\b`).MatchString(text)
		check.True(t, used, "number %s is not in the paper", name)
	}
	var have []string
	for _, m := range tabulated.FindAllStringSubmatch(text, -1) {
		have = append(have, m[1])
	}
	var listed []string
	for _, x := range l.Table {
		listed = append(listed, x.Name)
	}
	slices.Sort(have)
	slices.Sort(listed)
	check.Equal(t, "tables of the paper", strings.Join(slices.Compact(have), " "), strings.Join(listed, " "))
	for _, m := range figure.FindAllStringSubmatch(text, -1) {
		experiment, name := filepath.Split(m[2])
		if m[1] != "" && experiment != "fig1_12/" { // twelve on a page
			t.Errorf("%s: a figure is drawn at the width that it has in print", m[0])
		}
		sums, err := os.ReadFile(filepath.Join(root, "results", experiment, "SHA256SUMS"))
		listed := strings.Contains(string(sums), "  "+name+"\n")
		check.True(t, listed, "figure %s is not among the results: %v", m[2], err)
	}
	for i, line := range strings.Split(notNumbers.ReplaceAllString(text, ""), "\n") {
		typed := decimal.MatchString(line)
		check.True(t, !typed, "line %d of the text: a number that is no macro of %s: %s", i+1, List, line)
	}
}

// Every number of a result in a README is that of the published table, and the paper quotes those of
// the findings, too.
func TestNumbersInREADMEs(t *testing.T) {
	numbers, l, _ := paper(t)
	main, generated := filepath.Join(root, "README.md"), filepath.Join(root, "results/README.md")
	files := check.Glob(root, "*/README.md")
	for _, file := range append(files, filepath.Join(root, "paper/summary.md"), main) {
		text := check.Read(file)
		if file == main {
			prose := strings.Join(strings.Fields(text), " ")
			text = strings.Join(strings.Fields(notResults.ReplaceAllString(text, "")), " ")
			for _, quoted := range slices.Concat(l.Readme.Findings, l.Readme.More, l.Readme.Output) {
				want := check.Must(Fill(quoted, results))
				check.True(t, strings.Contains(prose, want), "%s lacks %q", file, want)
				text = strings.ReplaceAll(text, want, "")
			}
		}
		for _, x := range decimal.FindAllString(notResults.ReplaceAllString(text, ""), -1) {
			known := file == generated
			check.True(t, known, "%s: %s is in no table that [readme] of paper/numbers.toml names", file, x)
		}
	}
	for _, quoted := range l.Readme.Findings {
		for _, m := range references.FindAllStringSubmatch(quoted, -1) {
			missing := "[number] of paper/numbers.toml lacks %q, which is a finding of the README"
			check.True(t, strings.Contains(numbers, ` = "`+m[1]), missing, m[1])
		}
	}
}
