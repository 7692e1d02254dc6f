// Package sandbox runs work on untrusted bytes in a child process with limits. The child sets limits of
// memory, processor time, open files and file sizes before it reads a byte. The parent enforces wall clock
// and output. A child is this program again, or another program that a shell executes after it has set the
// limits. Each child has its own process group, which ends as a whole, and it ends when its parent ends.
//
// The limits work only on Linux. Elsewhere children run without them, and [Status] reports it. The callers
// define the work and what its end means for a review.
package sandbox

import (
	"context"
	"encoding/json"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"
)

// childArgument is the first argument of this program as a child.
const childArgument = "__assay-child"

// Limits bound one child. A zero field sets no limit unless its comment says otherwise.
type Limits struct {
	// Memory is the limit of data for this program: heap, stacks and other memory that it writes to
	// (RLIMIT_DATA), in bytes. From three quarters on its garbage collector works harder. Merely reserved
	// memory does not count.
	Memory int64 `json:"memory,omitempty"`
	// AddressSpace is the limit of address space for other programs in bytes (RLIMIT_AS).
	AddressSpace int64 `json:"-"`
	// CPU is the processor time of each process, in whole seconds (RLIMIT_CPU).
	CPU time.Duration `json:"cpu,omitempty"`
	// FileSize is the maximum size of a file in bytes (RLIMIT_FSIZE). 0 forbids all writes.
	FileSize int64 `json:"fileSize"`
	// Files is the maximum number of open files (RLIMIT_NOFILE). 0 means 64.
	Files uint64 `json:"files,omitempty"`

	// Wall is the maximum time of one [Child.Within]. The parent enforces it.
	Wall time.Duration `json:"-"`
	// Output is the maximum size of a child's answers in one [Child.Within], in bytes; 0 means 16 MiB. The
	// parent enforces it. Decoded answers may be much larger, because one byte may become a struct of
	// hundreds of bytes.
	Output int64 `json:"-"`
}

const (
	defaultFiles  = 64
	defaultOutput = 16 << 20
)

// Work is the work of a child: it reads requests and sends answers until Receive returns io.EOF.
type Work func(c *Conn) error

// Status lists the limits and filters in force for a child.
type Status struct {
	Limits          bool // memory, processor time, files
	NoNewPrivileges bool
	Landlock        int      // version of the kernel's Landlock; 0 if it is not in force
	Seccomp         bool     // no system call can open a socket, start a program or reach another process
	Missing         []string // the parts that are not in force, and why
}

// Lacks returns the parts of the sandbox that are not in force, or "".
func (s Status) Lacks() string {
	switch {
	case len(s.Missing) > 0:
		return strings.Join(s.Missing, "; ")
	case !s.Limits || !s.NoNewPrivileges || s.Landlock == 0 || !s.Seccomp:
		return "limits, no_new_privs, Landlock or seccomp"
	}
	return ""
}

// Launcher starts children. Create it with [Enter].
type Launcher struct {
	path     string
	required bool          // see Require
	ways     []confinement // of [Launcher.Run], in tests; nil: all that the system has
}

// Require returns a launcher that starts children only if every part of the sandbox is in force. Otherwise
// Start fails with a [*Fault] of cause [Setup].
func (l *Launcher) Require() *Launcher { return &Launcher{path: l.path, required: true, ways: l.ways} }

// Enter must be the first call of main, and of TestMain if tests start children. In a child it does the
// child's work and ends the process. Everywhere else it returns a launcher, which proves that children will
// run Enter and not the program itself.
func Enter(works map[string]Work) *Launcher {
	if len(os.Args) == 4 && os.Args[1] == childArgument {
		os.Exit(inside(os.Args[2], os.Args[3], works))
	}
	return &Launcher{path: self()}
}

// Exit codes of a child. A crash of Go has code 2.
const (
	exitWork  = 3   // the work returned an error
	exitSetup = 125 // the limits could not be set, and nothing was read
)

// kindProbe is the work of a child that only reports its status.
const kindProbe = "probe"

// inside runs a child and returns its exit code.
func inside(encoded, kind string, works map[string]Work) int {
	var l Limits
	if err := json.Unmarshal([]byte(encoded), &l); err != nil {
		return exitSetup
	}
	if kind == kindProgram {
		return insideProgram()
	}
	work, ok := works[kind]
	if kind == kindProbe {
		work, ok = func(*Conn) error { return nil }, true
	}
	if !ok {
		return exitSetup
	}
	status, err := confine(l)
	if err != nil {
		reportError(err)
		return exitSetup
	}
	if l.Memory > 0 {
		debug.SetMemoryLimit(l.Memory / 4 * 3)
	}
	endInTime()
	runtime.GOMAXPROCS(1) // a child may use only one processor
	conn := newConn(os.Stdin, os.Stdout)
	os.Stdout = os.Stderr // the pipe is only for answers
	if err := conn.Send(status); err != nil {
		return exitWork
	}
	if err := work(conn); err != nil {
		return exitWork
	}
	return 0
}

func reportError(err error) {
	if err != nil {
		_, _ = os.Stderr.WriteString("child: " + err.Error() + "\n")
	}
}

// Probe starts a child that does nothing and returns its status.
func (l *Launcher) Probe(ctx context.Context) (Status, error) {
	c, err := l.Start(ctx, kindProbe, Limits{Memory: 1 << 30, CPU: 10 * time.Second})
	if err != nil {
		return Status{}, err
	}
	defer c.Close()
	return c.Status, nil
}
