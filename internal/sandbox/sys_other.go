//go:build !unix

package sandbox

import (
	"os"
	"os/exec"
)

func self() string { return ownPath() }

func confine(Limits) (Status, error) { return Status{Missing: []string{notHere}}, nil }

func endInTime() {}

// under leaves the program without limits.
func under(_ Limits, argv []string) ([]string, error) { return argv, nil }

func unprivileged() error { return nil }

// group leaves the child as it is: there are no process groups here.
func group(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func limitSignal(*os.ProcessState) Cause { return "" }
