package checktest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Program is a program that tests run within their process.
type Program func(ctx context.Context, stdout, stderr io.Writer, args []string) error

// Try runs the program and returns what it prints.
func (p Program) Try(t testing.TB, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	err = p(t.Context(), &out, &errs, args)
	return out.String(), errs.String(), err
}

// Run returns the standard output of a run that succeeds and has nothing to warn of. What reports its
// progress gets the flag -quiet.
func (p Program) Run(t testing.TB, args ...string) string {
	t.Helper()
	if strings.HasPrefix(args[0], "-") || slices.Contains([]string{"run", "verify"}, args[0]) {
		args = append(args, "-quiet")
	}
	stdout, stderr, err := p.Try(t, args...)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	Equal(t, fmt.Sprintf("%q prints", args), stderr, "")
	return stdout
}

// Fails fails unless a run has an error that says this.
func (p Program) Fails(t testing.TB, want string, args ...string) {
	t.Helper()
	_, _, err := p.Try(t, args...)
	Refuses(t, strings.Join(args, " "), err, want)
}

// AsProgram is the environment variable that tells the test binary to be the program, for what needs a
// process: signals and exit codes.
const AsProgram = "CLOSEDFORM_TEST_AS_PROGRAM"

// Process is the program in a process of its own.
type Process struct {
	*exec.Cmd
	Out, Err bytes.Buffer // what it prints
}

// NewProcess returns a process that is not yet started.
func NewProcess(args ...string) *Process {
	p := &Process{Cmd: exec.Command(Must(os.Executable()), args...)}
	p.Env = append(os.Environ(), AsProgram+"=1")
	p.Stdout, p.Stderr = &p.Out, &p.Err
	return p
}

// Start starts the program and waits until ready says so or it has ended. The channel gets the outcome.
func Start(t testing.TB, ready func() bool, args ...string) (*Process, <-chan error) {
	t.Helper()
	p := NewProcess(args...)
	OK(t, p.Start())
	ended := make(chan error, 1)
	go func() { ended <- p.Wait() }()
	t.Cleanup(func() { p.Process.Kill() })
	for !ready() && len(ended) == 0 {
		time.Sleep(100 * time.Microsecond)
	}
	return p, ended
}

// InExperiments goes to a new folder with these manifests, by name, in experiments/.
func InExperiments(t *testing.T, manifests map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range manifests {
		Write(t, text, "experiments", filepath.FromSlash(name))
	}
}

// Proposed returns the arguments of the last command line of the program in a text, as a shell reads them.
func Proposed(t testing.TB, text string) []string {
	t.Helper()
	start := strings.LastIndex(text, "go run ./runner ")
	if start < 0 {
		t.Fatalf("no command in %q", text)
	}
	line, _, _ := strings.Cut(text[start:], "\n")
	words, err := exec.Command("sh", "-c", "printf '%s\\n' "+line).Output()
	OK(t, err)
	return strings.Split(strings.TrimSuffix(string(words), "\n"), "\n")[3:]
}
