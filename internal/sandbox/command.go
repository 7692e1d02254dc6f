package sandbox

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"time"
)

// shell sets the limits of other programs before it executes them. This program could do so too, but its
// start takes ten times as long as most git commands, and it reserves more address space than git is
// allowed.
const shell = "/bin/sh"

// endTime is how long a child may take to end after it was told to.
const endTime = 5 * time.Second

// Command returns another program under limits. The end of the context kills its process group. The caller
// enforces Limits.Wall and Limits.Output and sets the environment. Start it with [Start], and pass its end
// to [FaultOf]. With a nil launcher the program has no limits.
func (l *Launcher) Command(ctx context.Context, limits Limits, path string, args ...string) (*exec.Cmd, error) {
	argv := append([]string{path}, args...)
	if l != nil {
		var err error
		if argv, err = limitedCommand(limits, argv); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = os.TempDir() // never inside a foreign folder
	cmd.WaitDelay = endTime
	cmd.Cancel = func() error { return killGroup(cmd) }
	group(cmd)
	return cmd, nil
}

// selfCommand returns the command line that starts this program as a child.
func (l *Launcher) selfCommand(limits Limits, args ...string) ([]string, error) {
	encoded, err := json.Marshal(limits)
	if err != nil {
		return nil, fmt.Errorf("encode the limits of a child process: %w", err)
	}
	return append([]string{l.path, childArgument, string(encoded)}, args...), nil
}

// Start starts a command from an OS thread that exists until wait has returned, because the kernel ends a
// child with its parent's thread (PR_SET_PDEATHSIG). The thread has given up new privileges and ends with
// the child. The caller must call wait once.
func Start(cmd *exec.Cmd) (wait func() error, err error) {
	started, finish, done := make(chan error), make(chan struct{}), make(chan error, 1)
	go func() {
		runtime.LockOSThread() // without unlock: the thread ends with this function
		err := unprivileged()
		if err == nil {
			err = cmd.Start()
		}
		started <- err
		if err != nil {
			return
		}
		<-finish
		done <- cmd.Wait()
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return func() error {
		close(finish)
		return <-done
	}, nil
}
