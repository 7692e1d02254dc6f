//go:build !unix

package sandbox

import (
	"os"
	"os/exec"
)

func self() string { return ownPath() }

func confine(Limits) (Status, error) { return Status{Missing: []string{notHere}}, nil }

func endInTime() {}

// limitedCommand returns the command line unchanged, because this system has no limits.
func limitedCommand(_ Limits, argv []string) ([]string, error) { return argv, nil }

func unprivileged() error { return nil }

// group does nothing, because this system has no process groups.
func group(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func limitSignal(*os.ProcessState) Cause { return "" }
