//go:build !linux

package command

import "syscall"

// attributes leaves it to the end of its input that the program ends with this one.
func attributes() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }
