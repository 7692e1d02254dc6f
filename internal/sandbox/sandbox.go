// Package sandbox runs work on strangers' bytes in a child process under limits:
// of memory, processor time, open files and file sizes, set in the child before
// it touches a byte, and of wall clock and output, kept by the parent. A child is
// this program again, or another one that a shell becomes after it has set the
// limits. It has its own process group, which ends as a whole, and it ends
// when its parent does.
//
// The limits are in force on Linux only; elsewhere there is a child without them,
// and [Status] says so. What the work is, and what its end means for a review, do
// not live here.
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

// word is the first argument by which the program knows that it is a child.
const word = "__assay-child"

// Limits bound one child. A field that is 0 sets no limit unless it says otherwise.
type Limits struct {
	// Memory is in bytes of data, for this program: heap, stacks and what else it
	// writes to (RLIMIT_DATA). Its garbage collector works harder from three
	// quarters of it on. What is merely reserved does not count.
	Memory int64 `json:"memory,omitempty"`
	// AddressSpace is in bytes of address space, for other programs (RLIMIT_AS).
	AddressSpace int64 `json:"-"`
	// CPU is the processor time of each process, in whole seconds (RLIMIT_CPU).
	CPU time.Duration `json:"cpu,omitempty"`
	// FileSize is how large a file may become, in bytes (RLIMIT_FSIZE); with 0 none
	// may be written at all.
	FileSize int64 `json:"fileSize"`
	// Files is how many files may be open at once (RLIMIT_NOFILE); with 0 it is 64.
	Files uint64 `json:"files,omitempty"`

	// Wall is the longest time of one [Child.Within]. The parent keeps it.
	Wall time.Duration `json:"-"`
	// Output is how many bytes a child may answer in one [Child.Within], the default
	// 16 MiB. The parent keeps it. A byte may become a struct of hundreds of bytes.
	Output int64 `json:"-"`
}

const (
	defaultFiles  = 64
	defaultOutput = 16 << 20
)

// Work is what a child does: it reads requests and sends answers until the parent
// has no more (Receive returns io.EOF).
type Work func(c *Conn) error

// Status says what holds a child.
type Status struct {
	Limits          bool // memory, processor time, files
	NoNewPrivileges bool
	Landlock        int      // version of the kernel's Landlock; 0 where it is not in force
	Seccomp         bool     // no system call that opens a socket, starts a program or reaches another process
	Missing         []string // what is not in force, and why
}

// Lacks says what of the sandbox is not in force, "" if all of it is.
func (s Status) Lacks() string {
	switch {
	case len(s.Missing) > 0:
		return strings.Join(s.Missing, "; ")
	case !s.Limits || !s.NoNewPrivileges || s.Landlock == 0 || !s.Seccomp:
		return "limits, no_new_privs, Landlock or seccomp"
	}
	return ""
}

// Launcher starts children. Make it with [Enter].
type Launcher struct {
	path     string
	required bool // see Require
}

// Require returns a launcher whose children do nothing where any part of the sandbox is not in
// force: Start fails with a [*Fault] of cause [Setup].
func (l *Launcher) Require() *Launcher { return &Launcher{path: l.path, required: true} }

// Enter must be the first call of main, and of TestMain where tests start
// children: in a child it does the child's work and ends the process. Everywhere
// else it returns a launcher, which is the proof that children will come to Enter
// and not to the program itself.
func Enter(works map[string]Work) *Launcher {
	if len(os.Args) == 4 && os.Args[1] == word {
		os.Exit(inside(os.Args[2], os.Args[3], works))
	}
	return &Launcher{path: self()}
}

// Exit codes of a child that this package chooses. A crash of Go has code 2.
const (
	exitWork  = 3   // the work returned an error
	exitSetup = 125 // the limits could not be set: nothing was touched
)

// kindProbe is the work of a child that only says what holds it.
const kindProbe = "probe"

// inside is the life of a child; it returns its exit code.
func inside(encoded, kind string, works map[string]Work) int {
	var l Limits
	if err := json.Unmarshal([]byte(encoded), &l); err != nil {
		return exitSetup
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
		complain(err)
		return exitSetup
	}
	if l.Memory > 0 {
		debug.SetMemoryLimit(l.Memory / 4 * 3)
	}
	endInTime()
	runtime.GOMAXPROCS(1) // a child takes one processor from its neighbours, not all
	conn := newConn(os.Stdin, os.Stdout)
	os.Stdout = os.Stderr // the pipe is for answers only
	if err := conn.Send(status); err != nil {
		return exitWork
	}
	if err := work(conn); err != nil {
		return exitWork
	}
	return 0
}

func complain(err error) {
	if err != nil {
		_, _ = os.Stderr.WriteString("child: " + err.Error() + "\n")
	}
}

// Probe starts a child that does nothing and says what holds it.
func (l *Launcher) Probe(ctx context.Context) (Status, error) {
	c, err := l.Start(ctx, kindProbe, Limits{Memory: 1 << 30, CPU: 10 * time.Second})
	if err != nil {
		return Status{}, err
	}
	defer c.Close()
	return c.Status, nil
}
