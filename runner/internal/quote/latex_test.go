package quote

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/table"
)

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
columns = ["x/summary k=1 error %.3f highest"]
`, append(tables(), words()).Read))
	for name, want := range map[string]string{
		"numbers.tex": `\newcommand{\One}{\ensuremath{0.024}\xspace}` + "\n" +
			`\newcommand{\Two}{\ensuremath{-50.0} [\ensuremath{-60.0},~\ensuremath{25.0}]\xspace}` + "\n",
		"tables/a.tex": `\begin{tabular}{@{}lr@{\,}lr@{}}
\toprule
method & \both{error} \\
\midrule
$a$ & $\mathbf{0.2}$ & \interval{0.2}{0.3} & of a\_b \\
b & $\infty$ & & $\lambda$ \\
c & $40.0$ & \interval{-30.0}{110.0} & of c \\
f & $\mathbf{0.2}$ & \interval{0.2}{0.2} & of f \\
\midrule
d & $\mathbf{0.0}$ & & of d \\
e & -- & & of e \\
g & -- & & of g \\
\bottomrule
\end{tabular}
`,
		"tables/highest.tex": "\\midrule\n$\\mathbf{0.024}$ \\\\\n$0.020$ \\\\\n\\bottomrule\n",
	} {
		check.Contains(t, files[name], want)
	}
}

// words is a table of texts.
func words() *table.Table {
	words := table.New("x/words", table.Text("method", ""), table.Text("words", ""))
	words.Add("a", "of a_b")
	words.Add("b", "λ")
	for _, method := range []string{"c", "d", "e", "f", "g"} {
		words.Add(method, "of "+method)
	}
	return words
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
