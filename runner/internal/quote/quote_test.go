package quote

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"

	"closedform/internal/check"
)

const root = "../../.."

// notResults are decimal numbers that are not results: in code, settings and versions.
var notResults = regexp.MustCompile("(?s:```.*?```)|`[^`]*`|(?m)^    .*$|\\]\\([^)]*\\)|" +
	"λ = [0-9.]+|(?:Sec|Prop)\\. [0-9.]+|arXiv[: ][0-9.]+|Go [0-9.]+|CC [A-Z-]+ [0-9.]+")

var decimal = regexp.MustCompile(`\b[0-9]+\.[0-9]+\b`)

// Every number of a result in a README is that of the published table, and the paper quotes those of
// the findings, too.
func TestNumbersInREADMEs(t *testing.T) {
	var list struct {
		Readme struct{ Findings, Output []string }
	}
	numbers := check.Must(os.ReadFile(filepath.Join(root, "paper/numbers.toml")))
	check.Must(toml.Decode(string(numbers), &list))
	quotes := list.Readme
	files := check.Must(filepath.Glob(filepath.Join(root, "*/README.md")))
	main := filepath.Join(root, "README.md")
	generated := filepath.Join(root, "results/README.md")
	files = slices.DeleteFunc(files, func(file string) bool { return file == generated })
	for _, file := range append(files, filepath.Join(root, "paper/summary.md"), main) {
		data := check.Must(os.ReadFile(file))
		text := string(data)
		if file == main {
			prose := strings.Join(strings.Fields(text), " ")
			for _, quote := range slices.Concat(quotes.Findings, quotes.Output) {
				want, err := Fill(quote, Open(filepath.Join(root, "results")))
				if check.OK(t, err); !strings.Contains(prose, want) {
					t.Errorf("%s lacks %q", file, want)
				}
				text = strings.ReplaceAll(text, want, "")
			}
		}
		for _, x := range decimal.FindAllString(notResults.ReplaceAllString(text, ""), -1) {
			t.Errorf("%s: %s is in no table that [readme] of paper/numbers.toml names", file, x)
		}
	}
	for _, quote := range quotes.Findings {
		for _, m := range references.FindAllStringSubmatch(quote, -1) {
			from, rest, _ := strings.Cut(m[1], " ")
			fields := regexp.MustCompile(`^(.*=\S+) (\w+)`).FindStringSubmatch(rest)
			if same := fmt.Sprintf(`from = %q, row = %q, column = %q`, from, fields[1], fields[2]); !strings.Contains(string(numbers), same) {
				t.Errorf("paper/numbers.toml lacks { %s }, which is a finding of the README", same)
			}
		}
	}
}

func TestErrors(t *testing.T) {
	results := Open(filepath.Join(root, "results"))
	for _, c := range []struct {
		Source
		want string
	}{
		{Source{From: "fig1_12/summary", Row: "method=jiont", Column: "accuracy"}, `0 rows of fig1_12/summary have "method=jiont"; need one`},
		{Source{From: "stability/summary", Row: "classes=2", Column: "definite"}, "5 rows"},
		{Source{From: "fig1_12/summary", Row: "method=joint", Column: "acuracy"}, `no column "acuracy"; allowed: method, lambda`},
		{Source{From: "fig1_12/summary", Row: "methd=joint", Column: "accuracy"}, `no column "methd"; allowed: method, lambda`},
		{Source{From: "fig1_12/summary", Row: "method=joint_slope", Column: "variance_auroc"}, "variance_auroc is empty"},
		{Source{From: "fig1_12/summary", Row: "lambda=0.3", Column: "method"}, `method is "joint"`},
		{Source{From: "fig1_12/sumary", Column: "accuracy"}, "does not list it"},
	} {
		_, err := results.Number(c.Source)
		check.Refuses(t, fmt.Sprint(c.Source), err, c.want)
	}
}
