package command

import "syscall"

// attributes makes the program end when this process ends, in whatever way.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
