package closedform

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"closedform/internal/check"
)

// The program of the README is the example of package bnn, so it is compiled and
// its output compared.
func TestReadmeProgram(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	check.OK(t, err)
	source, err := os.ReadFile("core/bnn/readme_test.go")
	check.OK(t, err)
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
