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

// limitedCommand returns the command line unchanged, because this system has no limits.
func limitedCommand(_ Limits, argv []string) ([]string, error) { return argv, nil }

func unprivileged() error { return nil }

func group(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

func limitSignal(*os.ProcessState) Cause { return "" }
