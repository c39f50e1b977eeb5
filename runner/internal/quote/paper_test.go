package quote

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	check "closedform/internal/checktest"
	"closedform/runner/internal/store"
)

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
