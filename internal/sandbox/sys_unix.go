//go:build unix && !linux

package sandbox

import (
	"os"
	"os/exec"
	"syscall"
)

func self() string { return ownPath() }

func confine(Limits) (Status, error) { return Status{Missing: []string{notHere}}, nil }

func endInTime() {}

// become makes this process another program, without limits. It returns only if
// that fails.
func become(_ Limits, args []string) error { return syscall.Exec(args[0], args, os.Environ()) }

func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func limitSignal(*os.ProcessState) Cause { return "" }
