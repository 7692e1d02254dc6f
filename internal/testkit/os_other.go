//go:build unix && !linux

package testkit

import (
	"os/exec"
	"syscall"
	"time"
)

// attributes puts a child into its own process group. Without the death signal
// of Linux, children outlive a test process that is killed.
func attributes(cred *syscall.Credential, _ syscall.Signal) *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Credential: cred}
}

func start(cmd *exec.Cmd) error { return cmd.Start() }

// children returns nil, because only Linux lists them; a server's own children notice its death.
func children(int) []int { return nil }

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// threadTime returns the time of day: the processor time of a thread is not known here.
func threadTime() time.Duration { return time.Since(started) }

var started = time.Now()
