package command

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os/exec"
	"syscall"
	"time"
)

// process is a running program, in a separate process group: terminal interrupts do not reach it.
type process struct {
	cmd    *exec.Cmd
	kill   func() // kills the program and its children
	stdin  io.Closer
	in     *bufio.Writer
	out    *bufio.Reader
	stderr tail
}

func start(ctx context.Context, folder string, command []string) (*process, error) {
	p := &process{cmd: exec.CommandContext(ctx, command[0], command[1:]...)}
	p.cmd.Dir, p.cmd.Stderr, p.cmd.SysProcAttr = folder, &p.stderr, attributes()
	p.cmd.WaitDelay = time.Second // children may keep the standard error open
	p.cmd.Cancel = func() error { return syscall.Kill(-p.cmd.Process.Pid, syscall.SIGKILL) }
	p.kill = func() { _ = p.cmd.Cancel() }
	stdin, err1 := p.cmd.StdinPipe()
	stdout, err2 := p.cmd.StdoutPipe()
	if err := errors.Join(err1, err2, p.cmd.Start()); err != nil {
		return nil, err
	}
	p.stdin, p.in, p.out = stdin, bufio.NewWriter(stdin), bufio.NewReader(stdout)
	return p, nil
}

// end closes the program's input, kills the program after ten seconds, and returns its processor seconds.
func (p *process) end() (seconds float64) {
	p.stdin.Close()
	timer := time.AfterFunc(10*time.Second, p.kill)
	_ = p.cmd.Wait() // the exit status does not matter
	timer.Stop()
	p.kill()
	return (p.cmd.ProcessState.UserTime() + p.cmd.ProcessState.SystemTime()).Seconds()
}

type tail []byte

func (t *tail) Write(b []byte) (int, error) {
	const most = 4096
	*t = append(*t, b...)
	*t = (*t)[max(0, len(*t)-most):]
	return len(b), nil
}

func lastLines(text []byte) string {
	lines := bytes.Split(bytes.TrimSpace(text), []byte("\n"))
	return string(bytes.Join(lines[max(0, len(lines)-5):], []byte("\n")))
}
