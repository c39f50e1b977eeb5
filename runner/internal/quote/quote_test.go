package quote

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"closedform/internal/check"
)

const root = "../../.."

var decimal = regexp.MustCompile(`\b[0-9]+\.[0-9]+\b`)

// notResults are decimal numbers that are none of a table: in code, settings and versions.
var notResults = regexp.MustCompile("(?s)```.*?```|`[^`]*`|(?m)^    .*$|\\]\\([^)]*\\)|" +
	"λ = [0-9.]+|Sec\\. [0-9.]+|Go [0-9.]+|CC [A-Z-]+ [0-9.]+")

// Every number of a result in a README is that of the table, rounded to its digits.
func TestNumbersInREADMEs(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(root, "*/README.md"))
	check.OK(t, err)
	results, count := Open(filepath.Join(root, "results")), 0
	for _, file := range append(files, filepath.Join(root, "README.md")) {
		text, err := os.ReadFile(file)
		check.OK(t, err)
		prose := Replace(string(text), func(q Quote) string {
			count++
			now, err := q.Now(results)
			if err != nil {
				t.Errorf("%s: %s: %v", file, q.Number, err)
			} else if now != strings.TrimPrefix(q.Number, "+") {
				t.Errorf("%s: %s: %s of %s with %q is %s", file, q.Number, q.Column, q.From, q.Row, now)
			}
			return ""
		})
		if strings.Contains(prose, "<!--") {
			t.Errorf("%s: a comment that does not tell where a number comes from", file)
		}
		for _, x := range decimal.FindAllString(notResults.ReplaceAllString(prose, ""), -1) {
			t.Errorf("%s: %s does not say which table it comes from", file, x)
		}
	}
	if count == 0 {
		t.Error("no text quotes a number")
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
		if _, err := results.Number(c.Source); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: error %v, want %s", c.Source, err, c.want)
		}
	}
}
