package demo

import "syscall"

// attributes: a process group of its own, so that Ctrl-C reaches only the
// service, which ends its children last; and no life after the parent.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
