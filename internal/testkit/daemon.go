package testkit

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"
)

// startTime bounds the start of a server. It is generous, because tests of several packages share two
// processors.
const startTime = 60 * time.Second

// stopTime bounds an orderly stop.
const stopTime = 30 * time.Second

// daemon is a server process of the kit. Unlike a Process it is not bound to one test. start and stop may
// alternate.
type daemon struct {
	path  string
	args  []string
	dir   string
	log   string
	cred  *syscall.Credential
	death syscall.Signal // what the kernel sends when the test process dies
	ready func() error

	mu   sync.Mutex
	cmd  *exec.Cmd
	done chan struct{}
}

// start starts the server and waits until it is ready. It does nothing if the server runs.
func (d *daemon) start() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cmd != nil {
		return nil
	}
	out, err := os.OpenFile(d.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer out.Close()
	cmd := exec.Command(d.path, d.args...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = d.dir, out, out
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=C", "LC_ALL=C", "HOME=" + d.dir}
	cmd.SysProcAttr = attributes(d.cred, d.death)
	if err := start(cmd); err != nil {
		return err
	}
	done := make(chan struct{})
	go func() { _ = cmd.Wait(); close(done) }()
	d.cmd, d.done = cmd, done

	msg, ok := poll(startTime, func() (bool, string) {
		select {
		case <-done:
			return true, ""
		default:
		}
		if err := d.ready(); err != nil {
			return false, err.Error()
		}
		return true, ""
	})
	select {
	case <-done:
		d.cmd = nil
		return fmt.Errorf("%s ended at its start (%v):\n%s", filepath.Base(d.path), cmd.ProcessState, d.tail())
	default:
	}
	if !ok {
		_ = d.signalAndWait(syscall.SIGKILL)
		return fmt.Errorf("%s is not ready after %v: %s\n%s", filepath.Base(d.path), startTime, msg, d.tail())
	}
	return nil
}

// stop sends the signal and waits for the end. SIGKILL also reaches the server's children, like a crash of the
// machine. A server that has not ended after [stopTime] is killed, and stop returns an error.
func (d *daemon) stop(sig syscall.Signal) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cmd == nil {
		return nil
	}
	return d.signalAndWait(sig)
}

func (d *daemon) signalAndWait(sig syscall.Signal) error {
	done, pid := d.done, d.cmd.Process.Pid
	d.cmd = nil
	if sig == syscall.SIGKILL {
		killFamily(pid, done)
		return nil
	}
	signalAll(family(pid), syscall.SIGCONT) // a stopped process would keep the signal pending
	_ = syscall.Kill(pid, sig)
	timer := time.NewTimer(stopTime)
	defer timer.Stop()
	select {
	case <-done:
		return nil
	case <-timer.C:
		killFamily(pid, done)
		return fmt.Errorf("%s did not stop within %v and was killed", filepath.Base(d.path), stopTime)
	}
}

// killFamily kills a server and its children and waits until all are gone, because a new server refuses to
// start beside a child of the old one. It stops the server first, so that the server starts no more children.
func killFamily(pid int, done <-chan struct{}) {
	_ = syscall.Kill(pid, syscall.SIGSTOP)
	pids := family(pid)
	signalAll(pids, syscall.SIGKILL)
	<-done
	poll(stopTime, func() (bool, string) {
		return !slices.ContainsFunc(pids[1:], alive), ""
	})
}

// pause stops the server's processes (SIGSTOP): connections stay open and nothing answers. resume continues
// them.
func (d *daemon) pause() { d.signalFamily(syscall.SIGSTOP) }

func (d *daemon) resume() { d.signalFamily(syscall.SIGCONT) }

func (d *daemon) signalFamily(sig syscall.Signal) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cmd != nil {
		signalAll(family(d.cmd.Process.Pid), sig)
	}
}

// family returns a server and its direct children.
func family(pid int) []int { return append([]int{pid}, children(pid)...) }

func signalAll(pids []int, sig syscall.Signal) {
	for _, pid := range pids {
		_ = syscall.Kill(pid, sig)
	}
}

// tail returns the end of the server's log.
func (d *daemon) tail() string {
	b, err := os.ReadFile(d.log)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	return strings.Join(lines[max(0, len(lines)-20):], "\n")
}
