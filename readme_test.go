package closedform

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	check "closedform/internal/checktest"
)

// The program of the README is an example of package classifier, so it is compiled and its output compared.
func TestReadmeProgram(t *testing.T) {
	readme := check.Must(os.ReadFile("README.md"))
	source := check.Must(os.ReadFile("core/classifier/example_test.go"))
	block := regexp.MustCompile("(?s)```go\n(.*?)```").FindSubmatch(readme)
	body := regexp.MustCompile(`(?s)func ExampleNew\(\) \{\n(.*?)\t// Output:`).FindSubmatch(source)
	if block == nil || body == nil {
		t.Fatal("no program in the README, or no example")
	}
	unindented := regexp.MustCompile(`(?m)^\t`).ReplaceAllString(string(body[1]), "")
	check.Equal(t, "the program of the README", strings.TrimSpace(string(block[1])), strings.TrimSpace(unindented))
}

// Links between the texts lead to files and headings that are there.
func TestLinks(t *testing.T) {
	var files []string
	for _, pattern := range []string{"*.md", "*/*.md", "experiments/data/*.md"} {
		files = append(files, check.Glob(pattern)...)
	}
	link, heading := regexp.MustCompile(`\]\(([^):#]*)(?:#([^)]*))?\)`), regexp.MustCompile(`(?m)^#+ (.*)$`)
	for _, file := range files {
		text := check.Must(os.ReadFile(file))
		for _, m := range link.FindAllStringSubmatch(string(text), -1) {
			target := filepath.Join(filepath.Dir(file), m[1])
			if m[1] == "" {
				target = file
			}
			if _, err := os.Stat(target); err != nil {
				t.Errorf("%s: %s: %v", file, m[0], err)
			} else if m[2] != "" {
				there := check.Must(os.ReadFile(target))
				names := ""
				for _, h := range heading.FindAllStringSubmatch(string(there), -1) {
					name := regexp.MustCompile(`[^\pL\pN _-]`).ReplaceAllString(strings.ToLower(h[1]), "")
					names += " " + strings.ReplaceAll(name, " ", "-") + " "
				}
				check.True(t, strings.Contains(names, " "+m[2]+" "), "%s: %s: the file has no such heading", file, m[0])
			}
		}
	}
}
