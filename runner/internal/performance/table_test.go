package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestMarkdown(t *testing.T) {
	got := string(markdown([]row{
		{classes: 3, method: "probit", seconds: 2.44e-6, error: 0.0048},
		{classes: 3, method: "fast", seconds: 5.96e-6, error: 3.14e-11, bound: "< "},
		{classes: 3, method: "sampling", seconds: 1e-7, error: 0.2, sampling: true},
	}))
	want := `| n | method | error of p | one call | to reach 1e-3 | to reach 1e-4 | to reach 1e-6 |
| ---: | --- | ---: | ---: | ---: | ---: | ---: |
| 3 | probit | 0.0048 | 2.4 µs | never | never | never |
| 3 | fast | < 3.1e-11 | 6.0 µs | 6.0 µs | 6.0 µs | 6.0 µs |
| 3 | sampling | 0.2 | 100 ns | 4.0 ms | 400 ms | 1.1 h |
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestDuration(t *testing.T) {
	for seconds, want := range map[float64]string{
		1.04e-9: "1.0 ns", 12.6e-9: "13 ns", 123e-6: "120 µs", 59.9: "60 s", 90: "1.5 min", 1e9: "32 years", 86400 * 3: "3.0 days",
	} {
		if got := duration(seconds); got != want {
			t.Errorf("%g s is %q, want %q", seconds, got, want)
		}
	}
}

func TestReplace(t *testing.T) {
	got, err := replace([]byte("a\n"+begin+"old\n"+end+"z\n"), []byte("new\n"))
	if want := "a\n" + begin + "new\n" + end + "z\n"; err != nil || string(got) != want {
		t.Errorf("got %q, %v; want %q", got, err, want)
	}
	for _, text := range []string{"", begin, end + begin} {
		if _, err := replace([]byte(text), nil); err == nil {
			t.Errorf("%q has no place for a table", text)
		}
	}
}

// The README has the table, with every method.
func TestReadme(t *testing.T) {
	text, err := os.ReadFile("../../../README.md")
	if err != nil {
		t.Fatal(err)
	}
	i, j := bytes.Index(text, []byte(begin)), bytes.Index(text, []byte(end))
	if i < 0 || j < i || !strings.Contains(string(text[i:j]), "| 1000 | Monte Carlo") {
		t.Error("README.md has no table; make performance writes it")
	}
}

func TestRunNeedsAPlace(t *testing.T) {
	name := filepath.Join(t.TempDir(), "README.md")
	if err := os.WriteFile(name, []byte("text\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run(io.Discard, name); err == nil || !strings.Contains(err.Error(), "no lines") {
		t.Errorf("error %v", err)
	}
}
