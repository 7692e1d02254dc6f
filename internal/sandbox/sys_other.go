//go:build !unix

package sandbox

import (
	"errors"
	"os"
	"os/exec"
)

func self() string { return ownPath() }

func confine(Limits) (Status, error) { return Status{Missing: []string{notHere}}, nil }

func endInTime() {}

// become runs another program, without limits, and ends with its exit code.
func become(_ Limits, args []string) error {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(exit.ExitCode())
	}
	if err == nil {
		os.Exit(0)
	}
	return err
}

// group leaves the child as it is: there are no process groups here.
func group(*exec.Cmd) {}

func killGroup(cmd *exec.Cmd) error { return cmd.Process.Kill() }

func limitSignal(*os.ProcessState) Cause { return "" }
