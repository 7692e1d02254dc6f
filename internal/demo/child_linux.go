package demo

import "syscall"

// attributes gives the child its own process group, because Ctrl-C must reach only the service, which ends its
// children last. The kernel kills the child with its parent.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
