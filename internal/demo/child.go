package demo

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// stopTimeout is the time that a child gets to end by itself.
const stopTimeout = 5 * time.Second

// child is a simulator that runs as a process.
type child struct {
	name  string
	cmd   *exec.Cmd
	ready chan string // its address, once
	ended chan struct{}
	err   error // valid after ended
	last  *lines
}

// launch starts a program; name is for errors. The child gets only a small environment. When it has ended,
// launch sends it to died, which must have room.
func launch(program, name string, args []string, variable string, died chan<- *child, log *slog.Logger) (*child, error) {
	c := &child{name: name, cmd: exec.Command(program, args...), ready: make(chan string, 1), ended: make(chan struct{})}
	c.cmd.Env = []string{variable, "PATH=" + os.Getenv("PATH"), "HOME=" + os.Getenv("HOME"), "TMPDIR=" + os.TempDir(), "LANG=C.UTF-8"}
	c.cmd.SysProcAttr = attributes()
	c.cmd.WaitDelay = stopTimeout
	c.cmd.Stdout = &lines{each: func(line string) {
		var said struct{ Ready string }
		if json.Unmarshal([]byte(line), &said) == nil && said.Ready != "" {
			select {
			case c.ready <- said.Ready:
			default:
			}
			return
		}
		log.Debug(line)
	}}
	c.last = &lines{each: func(line string) { log.Debug(line) }}
	c.cmd.Stderr = c.last
	started := make(chan error, 1)
	go func() {
		// The kernel ends the child with the thread that started it (prctl(2),
		// PR_SET_PDEATHSIG), so that thread must live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := c.cmd.Start()
		started <- err
		if err == nil {
			c.err = c.cmd.Wait()
			close(c.ended)
			died <- c
		}
	}()
	return c, <-started
}

// await waits for the child's address.
func (c *child) await(ctx context.Context) (string, error) {
	select {
	case base := <-c.ready:
		return base, nil
	case <-c.ended:
		return "", c.reason()
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// reason says why the child ended.
func (c *child) reason() error {
	err := c.err
	if err == nil {
		err = errors.New("exit status 0")
	}
	if text := c.last.latest(); text != "" {
		return fmt.Errorf("%w: %s", err, text)
	}
	return err
}

// stop sends the child SIGTERM, kills it after the grace time, and waits for its end.
func (c *child) stop() {
	_ = c.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	timer := time.NewTimer(stopTimeout)
	defer timer.Stop()
	select {
	case <-c.ended:
	case <-timer.C:
		_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL) // its group: git may run
		<-c.ended
	}
}

// maxLine bounds a line of a child's output.
const maxLine = 64 << 10

// lines splits what is written to it.
type lines struct {
	each func(string)
	mu   sync.Mutex
	rest []byte
	last string
}

// Write implements io.Writer.
func (l *lines) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := len(b)
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			break
		}
		l.last = string(append(l.rest, b[:i]...))
		l.each(l.last)
		l.rest, b = nil, b[i+1:]
	}
	if len(l.rest)+len(b) <= maxLine {
		l.rest = append(l.rest, b...)
	}
	return n, nil
}

func (l *lines) latest() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest) > 0 {
		return string(l.rest)
	}
	return l.last
}
