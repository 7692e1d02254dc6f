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

// shell sets the limits of other programs before it becomes them. This program
// could do so, too, but takes ten times as long to start as git needs for most of
// its work, and reserves more address space than git may have.
const shell = "/bin/sh"

// endTime is how long a child may take to end once it was told to.
const endTime = 5 * time.Second

// Command is another program under limits, in a process group of its own that the
// end of the context kills. Limits.Wall and Limits.Output are the caller's to keep,
// and the environment is its to set. Start it with [Start], and ask [FaultOf] why
// it ended. Without a launcher (nil) the program runs in its group without limits.
func (l *Launcher) Command(ctx context.Context, limits Limits, path string, args ...string) (*exec.Cmd, error) {
	argv := append([]string{path}, args...)
	if l != nil {
		var err error
		if argv, err = under(limits, argv); err != nil {
			return nil, err
		}
	}
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = os.TempDir() // never inside a tree of somebody else
	cmd.WaitDelay = endTime
	cmd.Cancel = func() error { return killGroup(cmd) }
	group(cmd)
	return cmd, nil
}

// again is the command line that starts this program as a child.
func (l *Launcher) again(limits Limits, args ...string) ([]string, error) {
	encoded, err := json.Marshal(limits)
	if err != nil {
		return nil, fmt.Errorf("encode the limits of a child process: %w", err)
	}
	return append([]string{l.path, word, string(encoded)}, args...), nil
}

// Start starts a command from a thread of the system that stays until wait has
// returned: a child that ends with its parent ends with the parent's thread
// (PR_SET_PDEATHSIG). The thread has given up new privileges, and ends with the
// child. The caller must call wait, once.
func Start(cmd *exec.Cmd) (wait func() error, err error) {
	started, finish, done := make(chan error), make(chan struct{}), make(chan error, 1)
	go func() {
		runtime.LockOSThread() // and it stays so: the thread ends with this function
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
