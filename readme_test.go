package closedform

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// A number of a result in a text is followed by where it comes from: the table, the
// row, the column and, where it is not 1, the factor that it is multiplied by,
//
//	2.57 %<!--mnist/summary method=shared error 100-->
//
// The number must be that of the table, rounded to its digits.
var (
	quoted  = regexp.MustCompile(`([-−+]?[0-9]+(?:\.[0-9]+)?)[^0-9<]{0,6}<!--(\S+)((?: \S+=\S+)*) (\w+)(?: ([0-9.]+))?-->`)
	decimal = regexp.MustCompile(`\b[0-9]+\.[0-9]+\b`)
)

// texts are the files whose numbers are compared.
func texts(t *testing.T) []string {
	t.Helper()
	files, err := filepath.Glob("*/README.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(files, "README.md")
}

func TestNumbersInTexts(t *testing.T) {
	count := 0
	for _, file := range texts(t) {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, q := range quoted.FindAllStringSubmatch(string(text), -1) {
			count++
			if err := compare(q[1], q[2], strings.Fields(q[3]), q[4], q[5]); err != nil {
				t.Errorf("%s: %s: %v", file, q[0], err)
			}
		}
		if n := strings.Count(string(text), "<!--"); n != len(quoted.FindAllString(string(text), -1)) {
			t.Errorf("%s: %d comments, of which not all tell where a number comes from", file, n)
		}
		// A decimal number elsewhere, but for code, settings and versions, was typed by hand.
		prose := quoted.ReplaceAllString(string(text), "")
		prose = regexp.MustCompile("(?s)```.*?```|`[^`]*`|(?m)^    .*$|\\]\\([^)]*\\)|λ = [0-9.]+|Sec\\. [0-9.]+|Go [0-9.]+|CC [A-Z-]+ [0-9.]+").ReplaceAllString(prose, "")
		for _, x := range decimal.FindAllString(prose, -1) {
			t.Errorf("%s: %s does not say which table it comes from", file, x)
		}
	}
	if count == 0 {
		t.Error("no text quotes a number")
	}
}

// compare returns an error unless a number is that of a table.
func compare(number, table string, where []string, column, factor string) error {
	f, err := os.Open(filepath.Join("results", table+".csv"))
	if err != nil {
		return err
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		return err
	}
	field := func(row []string, name string) string {
		if i := slices.Index(rows[0], name); i >= 0 {
			return row[i]
		}
		return "no column " + name
	}
	var found []string
	for _, row := range rows[1:] {
		matches := true
		for _, w := range where {
			key, value, _ := strings.Cut(w, "=")
			matches = matches && field(row, key) == value
		}
		if matches {
			found = append(found, field(row, column))
		}
	}
	if len(found) != 1 {
		return fmt.Errorf("%d rows", len(found))
	}
	x, err := strconv.ParseFloat(found[0], 64)
	if err != nil {
		return err
	}
	if factor != "" {
		k, _ := strconv.ParseFloat(factor, 64) // the expression has seen to it
		x *= k
	}
	_, decimals, _ := strings.Cut(number, ".")
	if want := strconv.FormatFloat(x, 'f', len(decimals), 64); strings.NewReplacer("−", "-", "+", "").Replace(number) != want {
		return fmt.Errorf("the table has %s", want)
	}
	return nil
}

// The program of the README is the example of package bnn, so it is compiled and
// its output compared.
func TestReadmeProgram(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile("core/bnn/readme_test.go")
	if err != nil {
		t.Fatal(err)
	}
	block := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(readme)
	body := regexp.MustCompile(`(?s)func Example_readme\(\) \{\n(.*?)\t// Output:`).FindSubmatch(source)
	if block == nil || body == nil {
		t.Fatal("no program in the README, or no example")
	}
	unindented := regexp.MustCompile(`(?m)^\t`).ReplaceAllString(string(body[1]), "")
	if strings.TrimSpace(string(block[1])) != strings.TrimSpace(unindented) {
		t.Errorf("the README has\n%s\nthe example\n%s", block[1], unindented)
	}
}
