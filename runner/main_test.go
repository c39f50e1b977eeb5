package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	check "closedform/internal/checktest"
	"closedform/runner/internal/pipeline"
)

// asProgram is the environment variable that makes this test binary the
// program, for what needs a process: signals and exit codes.
const asProgram = "RUNNER_TEST_AS_PROGRAM"

func TestMain(m *testing.M) {
	pipeline.SourceDigest = func() string { return "1" }
	if os.Getenv(asProgram) != "" {
		main()
	}
	os.Exit(m.Run())
}

// try runs the program within this process.
func try(t testing.TB, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	err = run(t.Context(), &out, &errs, args)
	return out.String(), errs.String(), err
}

// mustRun returns the standard output of a run that succeeds and has nothing to warn of.
func mustRun(t testing.TB, args ...string) string {
	t.Helper()
	if strings.HasPrefix(args[0], "-") || slices.Contains([]string{"run", "verify"}, args[0]) {
		args = append(args, "-quiet")
	}
	stdout, stderr, err := try(t, args...)
	if err != nil {
		t.Fatalf("%q: %v", args, err)
	}
	check.Equal(t, fmt.Sprintf("%q prints", args), stderr, "")
	return stdout
}

// fails checks that a run has an error that says this.
func fails(t testing.TB, want string, args ...string) {
	t.Helper()
	_, _, err := try(t, args...)
	check.Refuses(t, strings.Join(args, " "), err, want)
}

// process is the program in a process of its own.
type process struct {
	*exec.Cmd
	stdout, stderr bytes.Buffer
}

func newProcess(t testing.TB, args ...string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(check.Must(os.Executable()), args...)}
	p.Env = append(os.Environ(), asProgram+"=1")
	p.Stdout, p.Stderr = &p.stdout, &p.stderr
	return p
}

// exit runs the program to its end and returns what it leaves.
func exit(t testing.TB, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	p := newProcess(t, args...)
	if err := p.Run(); p.ProcessState == nil {
		t.Fatal(err)
	}
	return p.ProcessState.ExitCode(), p.stdout.String(), p.stderr.String()
}

// write writes a file into a new folder, or the named one, and returns its path.
func write(t testing.TB, text string, path ...string) string {
	t.Helper()
	if len(path) == 0 {
		path = []string{t.TempDir(), "m.toml"}
	}
	file := filepath.Join(path...)
	check.OK(t, os.MkdirAll(filepath.Dir(file), 0o777))
	check.OK(t, os.WriteFile(file, []byte(text), 0o666))
	return file
}

func read(t testing.TB, path ...string) string {
	return string(check.Must(os.ReadFile(filepath.Join(path...))))
}

func remove(t testing.TB, path ...string) {
	t.Helper()
	check.OK(t, os.RemoveAll(filepath.Join(path...)))
}

func exists(path ...string) bool {
	_, err := os.Lstat(filepath.Join(path...))
	return err == nil
}

func glob(t testing.TB, path ...string) []string {
	return check.Must(filepath.Glob(filepath.Join(path...)))
}

// inExperiments goes to a new folder with these manifests in experiments/.
func inExperiments(t *testing.T, manifests map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range manifests {
		write(t, text, "experiments", name)
	}
}

// begins checks that a text is there and how it begins: the rest is a time.
func begins(t testing.TB, got, want string) {
	t.Helper()
	if !strings.HasPrefix(got, want) {
		t.Errorf("got %q, want it to begin %q", got, want)
	}
}

func contains(t testing.TB, got string, want ...string) {
	t.Helper()
	for _, w := range want {
		if !strings.Contains(got, w) {
			t.Errorf("got %q, want %q in it", got, w)
		}
	}
}

// -h lists the commands, and COMMAND -h the flags of one.
func TestHelp(t *testing.T) {
	_, help, _ := exit(t, "-h")
	for _, c := range commands {
		contains(t, help, "\n  "+c.name+" ")
		stdout, stderr, err := try(t, c.name, "-h")
		begins(t, stdout, "Usage: runner "+c.name+" ")
		check.Equal(t, c.name+" -h", []any{errors.Is(err, flag.ErrHelp), stderr}, []any{true, ""})
	}
	for args, want := range map[string]string{
		"run -h": "-data file", "-exp x -h": "-workers number", "help": "COMMAND -h", "version": "closedform ",
	} {
		if code, stdout, _ := exit(t, strings.Fields(args)...); code != 0 || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit code %d, and %q", args, code, stdout)
		}
	}
}

// What the examples of the help say can be typed: there are such flags, and manifests with these values.
func TestExamples(t *testing.T) {
	t.Chdir("..")
	example := regexp.MustCompile(`(?m)go run \./runner (.*?)(  .*)?$`)
	n := 0
	for _, c := range commands {
		for _, found := range example.FindAllStringSubmatch(pipeline.Program+" "+c.examples, -1) {
			n++
			words := strings.Fields(found[1])
			if words[0] == c.name {
				words = words[1:]
			}
			f := flag.NewFlagSet(c.name, flag.ContinueOnError)
			c.declare(f)
			args, err := parse(f, words)
			if err != nil || !c.takes(len(args)) {
				t.Errorf("%s: %v, %d arguments", found[0], err, len(args))
			}
			if f.Lookup("exp") == nil || strings.Contains(found[1], "my") {
				continue // it names no experiment, or a file of the user
			}
			flags := flag.NewFlagSet("", flag.ContinueOnError)
			r := requestFlags(flags)
			check.OK(t, complete(r, &invocation{}, check.Must(parse(flags, words))))
			check.Must(r.Find(false))
		}
	}
	check.Equal(t, "there are examples", n > 10, true)
}

// The commands for experiments do what their names say.
func TestCommands(t *testing.T) {
	inExperiments(t, map[string]string{"moons.toml": keeping})
	begins(t, mustRun(t, "run", "moons"), "moons: 1 cells, 1 computed, ")
	begins(t, mustRun(t, "list"), "NAME ")
	check.Equal(t, "list -check prints", mustRun(t, "list", "-check"), "")
	check.Equal(t, "verify prints", mustRun(t, "verify", "moons"), "moons: same bytes\n")
	check.Equal(t, "draw prints", mustRun(t, "draw", "-all"), "moons: 1 figures drawn\nopen results/index.html\n")
}

// Each line is a command line, and what its error says.
const misused = `
 | nothing to do
-workers 2 | nothing to do
verify | nothing to do
-experiment M |
-exp |
-exp M -workers two | -workers
-exp M -quiet=maybe |
-all -exp M | -all
run -all M | -all
run -data M -exp M | -data
-exp M -class x | -data
predict n.npz | -data FILE
predict -data M | NETWORK
predict n.npz -data M -unknown 1.5 | -unknown
predict n.npz -data M -wrong 2 | -wrong
predict n.npz -data M -familiar 2 | -familiar
predict n.npz -data M -wrong 0.1 -unknown 0.9 | without -wrong
learn n.npz | -data FILE
list M | list takes no arguments; got ["M"]
draw M -workers 2 | -workers
draw M -quiet | -quiet
fetch | SET…
M | runner run M
lsit | did you mean list?
list -check -x |
-exp M -engine slurm | -engine`

func TestWrongUsage(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, keeping, "M")
	for line := range strings.SplitSeq(misused[1:], "\n") {
		args, want, _ := strings.Cut(line, " |")
		stdout, _, err := try(t, strings.Fields(args)...)
		if !errors.Is(err, errUsage) || stdout != "" || !strings.Contains(err.Error(), strings.TrimSpace(want)) {
			t.Errorf("%s: error %v, want %s; it prints %q", args, err, want, stdout)
		}
	}
	code, stdout, stderr := exit(t, "-exp", "M", "-workers", "-1")
	check.Equal(t, "wrong usage", []any{code, stdout, exists("results")}, []any{2, "", false})
	begins(t, stderr, "runner: usage: ")
}
