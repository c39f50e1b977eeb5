//go:build !linux

package command

import "syscall"

// attributes cannot end the program with this process: the program ends when its input does.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
