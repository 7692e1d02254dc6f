package testkit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// Bounds of the output that a Process keeps and shows.
const (
	maxLines  = 50_000  // lines kept; older ones go first
	maxLine   = 1 << 20 // bytes of one line; the rest of it is dropped
	shownTail = 200     // lines shown when the test failed
)

// Command describes a process to start.
type Command struct {
	Path string   // program
	Args []string // without the program's name
	Dir  string   // working folder; default: a new temporary one
	Name string   // for messages; default: the program's name
	// Env is added to a small environment (PATH, HOME and TMPDIR in a folder of the test). The rest of the
	// test's own environment is not passed on, so that a developer's settings cannot change a test.
	Env map[string]string
	// Files are open in the process as descriptors 3 and following. The caller still has to close them.
	Files []*os.File
}

// Process is a child process whose output is kept line by line. It dies with
// the test. Its methods are safe for concurrent use.
type Process struct {
	t    testing.TB
	name string
	cmd  *exec.Cmd
	done chan struct{}

	mu    sync.Mutex
	lines []string
	first int // number of lines dropped from the front
	rest  []byte
	wake  chan struct{} // closed and replaced when a line comes
}

// Start starts the command. When the test ends, the process and its group get SIGKILL; if the test failed, the
// tail of the output is shown.
func Start(t testing.TB, c Command) *Process {
	t.Helper()
	if c.Name == "" {
		c.Name = filepath.Base(c.Path)
	}
	home := t.TempDir()
	if c.Dir == "" {
		c.Dir = home
	}
	p := &Process{t: t, name: c.Name, done: make(chan struct{}), wake: make(chan struct{})}
	p.cmd = exec.Command(c.Path, c.Args...)
	p.cmd.Dir = c.Dir
	p.cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + home, "LANG=C.UTF-8"}
	for k, v := range c.Env {
		p.cmd.Env = append(p.cmd.Env, k+"="+v)
	}
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.ExtraFiles = p, p, c.Files
	p.cmd.WaitDelay = 5 * time.Second // a grandchild may hold the pipe
	p.cmd.SysProcAttr = attributes(nil, syscall.SIGKILL)
	if err := start(p.cmd); err != nil {
		t.Fatalf("testkit: %s does not start: %v", c.Name, err)
	}
	go func() {
		_ = p.cmd.Wait() // the outcome is in ProcessState
		p.flush()
		close(p.done)
	}()
	t.Cleanup(p.end)
	return p
}

func (p *Process) end() {
	p.Kill()
	if !p.t.Failed() {
		return
	}
	lines := p.Lines()
	from := max(0, len(lines)-shownTail)
	p.t.Logf("output of %s (last %d of %d lines):\n%s", p.name, len(lines)-from, len(lines), strings.Join(lines[from:], "\n"))
}

// Write takes output of the process; it implements io.Writer for os/exec.
func (p *Process) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := len(b)
	for {
		i := bytes.IndexByte(b, '\n')
		if i < 0 {
			break
		}
		p.addLine(append(p.rest, b[:i]...))
		p.rest, b = p.rest[:0], b[i+1:]
	}
	if len(p.rest) < maxLine {
		p.rest = append(p.rest, b...)
	}
	return n, nil
}

func (p *Process) addLine(line []byte) {
	p.lines = append(p.lines, string(line[:min(len(line), maxLine)]))
	if len(p.lines) > maxLines {
		cut := len(p.lines) - maxLines/2
		p.lines = append([]string(nil), p.lines[cut:]...)
		p.first += cut
	}
	close(p.wake)
	p.wake = make(chan struct{})
}

// flush turns a rest without a line break into a line.
func (p *Process) flush() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.rest) > 0 {
		p.addLine(p.rest)
		p.rest = nil
	}
}

// PID returns the process id.
func (p *Process) PID() int { return p.cmd.Process.Pid }

// Lines returns the output so far, standard output and error in their order, and an unfinished last line.
func (p *Process) Lines() []string {
	p.mu.Lock()
	defer p.mu.Unlock()
	out := append([]string(nil), p.lines...)
	if len(p.rest) > 0 {
		out = append(out, string(p.rest))
	}
	return out
}

// WaitLine returns the first line since the start that contains the text. It fails the test if the time is
// over or the process ends without that line.
func (p *Process) WaitLine(timeout time.Duration, text string) string {
	p.t.Helper()
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	seen, ended := 0, false
	for {
		p.mu.Lock()
		for ; seen < p.first+len(p.lines); seen++ {
			if line := p.lines[max(0, seen-p.first)]; strings.Contains(line, text) {
				p.mu.Unlock()
				return line
			}
		}
		wake := p.wake
		p.mu.Unlock()
		if ended {
			p.t.Fatalf("%s ended (%v) without a line that contains %q", p.name, p.cmd.ProcessState, text)
		}
		select {
		case <-wake:
		case <-p.done: // all output is in by now: look once more
			ended = true
		case <-timer.C:
			p.t.Fatalf("%s wrote no line that contains %q within %v", p.name, text, timeout)
		}
	}
}

// WaitReady polls the URL until it answers 200. It fails the test if the time is over or the process ends.
func (p *Process) WaitReady(timeout time.Duration, url string) {
	p.t.Helper()
	client := &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}
	msg, ok := poll(timeout, func() (bool, string) {
		if !p.Running() {
			p.t.Fatalf("%s ended (%v) before %s was ready", p.name, p.cmd.ProcessState, url)
		}
		res, err := client.Get(url)
		if err != nil {
			return false, err.Error()
		}
		_ = res.Body.Close()
		return res.StatusCode == http.StatusOK, res.Status
	})
	if !ok {
		p.t.Fatalf("%s is not ready after %v: %s: %s", p.name, timeout, url, msg)
	}
}

// Running reports whether the process has not ended.
func (p *Process) Running() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Signal sends a signal to the process alone (SIGTERM, SIGSTOP, SIGCONT …). It does nothing if the process has
// ended.
func (p *Process) Signal(sig syscall.Signal) {
	p.t.Helper()
	if err := p.cmd.Process.Signal(sig); err != nil && !errors.Is(err, os.ErrProcessDone) {
		p.t.Fatalf("testkit: signal %v to %s: %v", sig, p.name, err)
	}
}

// Wait waits for the end and returns the exit code, -1 after a signal. It fails the test if the time is over.
func (p *Process) Wait(timeout time.Duration) int {
	p.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	select {
	case <-p.done:
	case <-ctx.Done():
		p.t.Fatalf("%s has not ended within %v", p.name, timeout)
	}
	return p.cmd.ProcessState.ExitCode()
}

// Kill ends the process and its group with SIGKILL, also if it is stopped, and waits. It does nothing after
// the end.
func (p *Process) Kill() {
	if !p.Running() {
		return
	}
	_ = signalGroup(p.PID(), syscall.SIGKILL)
	<-p.done
}

// String names the process and its id, for messages.
func (p *Process) String() string { return fmt.Sprintf("%s[%d]", p.name, p.PID()) }
