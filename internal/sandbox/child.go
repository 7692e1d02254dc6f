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

// startTime is how long a child may take until it says that it is ready.
const startTime = 30 * time.Second

// Child is a process that does one kind of work. It is for one goroutine at a
// time; Close may come from any.
type Child struct {
	Status Status // what holds it

	limits Limits
	cmd    *exec.Cmd
	conn   *Conn
	pipes  []*os.File // our ends
	stderr Head
	wait   func() error

	once   sync.Once
	result error
	mu     sync.Mutex
	over   bool // it was waited for: its number may belong to somebody else
}

// Start starts a child for a kind of work that [Enter] knows, with an empty
// environment, and waits until its limits are set. The caller must Close it. The
// context is for starting only.
func (l *Launcher) Start(ctx context.Context, kind string, limits Limits) (*Child, error) {
	argv, err := l.again(limits, kind)
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
	cmd.Dir, cmd.Env = os.TempDir(), []string{} // nil would be our environment
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirIn, theirOut, &c.stderr
	cmd.WaitDelay = time.Second // for what holds stderr open although the group is dead
	group(cmd)
	c.wait, err = Start(cmd)
	_, _ = theirIn.Close(), theirOut.Close() // while we hold them, nothing ends with the child
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

// Within lets f talk to the child, for Limits.Wall at most and until the context
// ends; the child is ended then, and the error is the context's, or a [*Fault]. If
// the child ends by itself the error is a [*Fault] as well. Any other error is f's,
// and the child goes on.
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

// Received returns how many bytes of messages the child has sent. It is for the goroutine of Within.
func (c *Child) Received() int64 { return c.conn.in.got }

// why says why the child ended by itself.
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

// Close ends the child and everything that it started.
func (c *Child) Close() {
	c.kill()
	_ = c.end()
}

// end waits until the child is gone.
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
