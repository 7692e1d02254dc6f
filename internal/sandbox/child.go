package sandbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// startTime is the maximum time of a child until it reports that it is ready.
const startTime = 30 * time.Second

// Child is a process for one kind of work. One goroutine at a time may use it; any goroutine may call
// Close.
type Child struct {
	Status Status // the limits and filters in force

	limits Limits
	cmd    *exec.Cmd
	conn   *Conn
	pipes  []*os.File // our ends
	stderr Head
	wait   func() error

	once   sync.Once
	result error
	mu     sync.Mutex
	over   bool // waited for, so another process may have its id
}

// Start starts a child for a kind of work that [Enter] got, with an empty environment, and waits until its
// limits are set. The caller must Close it. The context applies only to the start.
func (l *Launcher) Start(ctx context.Context, kind string, limits Limits) (*Child, error) {
	argv, err := l.selfCommand(limits, kind)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	c := &Child{limits: limits, cmd: cmd, stderr: Head{Limit: 8 << 10}}
	theirIn, in, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	out, theirOut, err := os.Pipe()
	if err != nil {
		_, _ = in.Close(), theirIn.Close()
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	c.pipes, c.conn = []*os.File{in, out}, newConn(out, in)
	cmd.Dir, cmd.Env = os.TempDir(), []string{} // nil would mean our environment
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, &c.stderr
	cmd.WaitDelay = time.Second // in case a process outside the group holds stderr open
	group(cmd)
	c.wait, err = Start(cmd)
	_, _ = theirIn.Close(), theirOut.Close() // while we hold them, the child's end is not visible
	if err != nil {
		c.closePipes()
		return nil, fmt.Errorf("start a child process: %w", err)
	}
	c.limits.Wall = startTime
	if err := c.Within(ctx, func(conn *Conn) error { return conn.Receive(&c.Status) }); err != nil {
		c.Close()
		return nil, err
	}
	if why := c.Status.Lacks(); l.required && why != "" {
		c.Close()
		return nil, &Fault{Cause: Setup, State: "the sandbox is required, and not all of it is in force here; missing: " + why}
	}
	c.limits.Wall = limits.Wall
	return c, nil
}

// Within calls f, which may talk to the child, and waits at most Limits.Wall or until the context ends. If
// either passes, it ends the child and returns the context's error or a [*Fault]. It also returns a
// [*Fault] if the child ends by itself. Any other error is from f, and the child continues.
func (c *Child) Within(ctx context.Context, f func(*Conn) error) error {
	limit := c.limits.Output
	if limit <= 0 {
		limit = defaultOutput
	}
	c.conn.in.left = limit
	bounded, cancel := ctx, context.CancelFunc(func() {})
	if c.limits.Wall > 0 {
		bounded, cancel = context.WithTimeout(ctx, c.limits.Wall)
	}
	defer cancel()
	stop := context.AfterFunc(bounded, c.kill)
	err := f(c.conn)
	stopped := !stop()
	if c.conn.bad == nil && !stopped {
		return err
	}
	switch {
	case stopped && ctx.Err() != nil:
		c.Close()
		return context.Cause(ctx)
	case stopped:
		c.Close()
		return &Fault{Cause: Wall, State: fmt.Sprintf("after %v", c.limits.Wall)}
	case errors.Is(c.conn.bad, errOutput):
		c.Close()
		return &Fault{Cause: Output, State: c.conn.bad.Error()}
	}
	return c.why()
}

// Received returns the size of the child's messages in bytes. Only the goroutine of Within may call it.
func (c *Child) Received() int64 { return c.conn.in.got }

// why returns the reason why the child ended by itself.
func (c *Child) why() error {
	err := c.end()
	if fault := FaultOf(c.cmd.ProcessState, c.stderr.Bytes()); fault != nil {
		return fault
	}
	if err == nil {
		err = errors.New("it ended too early")
	}
	return &Fault{Cause: Crash, State: err.Error()}
}

// Close ends the child and all processes that it started.
func (c *Child) Close() {
	c.kill()
	_ = c.end()
}

// end waits until the child has ended.
func (c *Child) end() error {
	c.once.Do(func() {
		c.closePipes()
		late := time.AfterFunc(endTime, c.kill)
		defer late.Stop()
		c.result = c.wait()
		c.mu.Lock()
		defer c.mu.Unlock()
		c.over = true
	})
	return c.result
}

// kill ends the child's process group.
func (c *Child) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.over {
		_ = killGroup(c.cmd)
	}
}

func (c *Child) closePipes() {
	for _, p := range c.pipes {
		_ = p.Close()
	}
}
