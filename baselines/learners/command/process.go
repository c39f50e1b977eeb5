package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// process is a running program, in a process group of its own: an interrupt from the terminal is not for it.
type process struct {
	cmd    *exec.Cmd // nil: it does not run
	kill   func()    // kills it, and its children
	stdin  io.Closer
	in     *bufio.Writer
	out    *bufio.Reader
	stderr tail
	spent  float64 // processor seconds of those that have ended
	failed error
}

// start starts the program. The end of the context kills it.
func (p *process) start(ctx context.Context, folder string, command []string) error {
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Dir, cmd.Stderr, cmd.SysProcAttr = folder, &p.stderr, attributes()
	cmd.WaitDelay = time.Second // for children that keep the standard error open
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	stdin, err1 := cmd.StdinPipe()
	stdout, err2 := cmd.StdoutPipe()
	if err := errors.Join(err1, err2, cmd.Start()); err != nil {
		return err
	}
	p.cmd, p.stdin, p.in, p.out = cmd, stdin, bufio.NewWriter(stdin), bufio.NewReader(stdout)
	p.kill = func() { _ = cmd.Cancel() }
	return nil
}

// Close ends the program: at the end of its input, or else by a signal after two seconds. It returns the processor
// seconds that the programs of the model have taken.
func (p *process) Close() (seconds float64) {
	if p.cmd == nil {
		return p.spent
	}
	p.stdin.Close()
	timer := time.AfterFunc(2*time.Second, p.kill)
	_ = p.cmd.Wait() // its state tells
	timer.Stop()
	p.kill()
	p.spent += (p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()).Seconds()
	p.cmd = nil
	return p.spent
}

// fail ends the program, and returns the error with how it ended and what it wrote last.
func (p *process) fail(command []string, err error) error {
	f := failure{cause: err}
	if cmd := p.cmd; cmd != nil {
		p.Close()
		if errors.Is(err, io.EOF) || errors.Is(err, syscall.EPIPE) {
			f.cause = fmt.Errorf("ended without an answer: %v", cmd.ProcessState)
		}
	}
	f.text = strings.Join(command, " ") + ": " + f.cause.Error()
	if lines := lastLines(p.stderr); lines != "" {
		f.text += "; its last lines:\n  " + strings.ReplaceAll(lines, "\n", "\n  ")
	}
	p.failed = f
	return f
}

// failure is an error of the program, not of what it learns.
type failure struct {
	text  string
	cause error
}

func (f failure) Error() string { return f.text }
func (f failure) Unwrap() error { return f.cause }

// Failure tells errors of programs from those of methods.
func (failure) Failure() {}

// tail keeps the last bytes that are written to it.
type tail []byte

func (t *tail) Write(b []byte) (int, error) {
	const most = 4096
	*t = append(*t, b...)
	*t = (*t)[max(0, len(*t)-most):]
	return len(b), nil
}

// lastLines returns the last lines of a text.
func lastLines(text []byte) string {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-5):], []byte("\n")))
}
