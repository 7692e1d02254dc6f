package sandbox

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"
)

// Program is another program that works on untrusted files: it reads the files that ReadOnly names and
// those of the system's software, and it has no network. Start it with [Launcher.Run].
type Program struct {
	Path     string   // absolute path of the program
	Args     []string // without the name of the program
	Env      []string // the whole environment
	Dir      string   // the folder in which it starts; ReadOnly must cover it
	ReadOnly []string // absolute paths of folders and files that it may read; missing ones are left out
	// Processes is the maximum number of its processes and threads. 0 forbids further processes. Further processes
	// need namespaces, because only the end of a namespace ends them reliably.
	Processes uint64
	// Scratch is the size of a temporary folder at /tmp in bytes. The folder needs namespaces; without them, and with 0,
	// the program can write no file.
	Scratch int64
	// Limits bound it. Wall, Output, Memory, AddressSpace, CPU, Files and FileSize count.
	Limits Limits
}

// Ended is the end of a [Program] that no limit has ended.
type Ended struct {
	Grade  Grade
	Code   int    // exit code
	Stdout []byte // at most Limits.Output bytes
	Stderr []byte // the first 8 KiB
}

// Grade lists the parts of the sandbox that were in force for a program.
type Grade struct {
	Namespaces bool     `json:"namespaces"` // of users, mounts, processes, networks, messages and host names
	Landlock   int      `json:"landlock"`   // version of the kernel's Landlock; 0 if it was not in force
	Seccomp    bool     `json:"seccomp"`
	Missing    []string `json:"missing"` // the parts that were not in force, and why
}

// confined reports whether the parts suffice for a program: namespaces, or Landlock with the filter of system
// calls.
func (g Grade) confined() bool { return g.Namespaces || g.Landlock > 0 && g.Seccomp }

// String describes the parts in force.
func (g Grade) String() string {
	var parts []string
	if g.Namespaces {
		parts = append(parts, "namespaces")
	}
	if g.Landlock > 0 {
		parts = append(parts, fmt.Sprintf("Landlock %d", g.Landlock))
	}
	if g.Seccomp {
		parts = append(parts, "seccomp")
	}
	return strings.Join(parts, ", ")
}

// kindProgram is the kind of a child that confines itself and then executes a [Program].
const kindProgram = "program"

// Bounds of the messages between parent and child about a program, in bytes.
const (
	maxProgramRequest = 16 << 20
	maxProgramStatus  = 64 << 10
)

// programRequest is the message to a child of kindProgram.
type programRequest struct {
	Program      Program
	AddressSpace int64  // of the program's limits, whose JSON form lacks it
	Root         string // an empty folder for the mounts of the new root
	Namespaces   bool   // the child has namespaces of its own
}

// programStatus is the answer of a child of kindProgram before it executes the program.
type programStatus struct {
	Grade Grade
	Error string // why the program was not executed; "" if it will be
}

// confinement is one way to start a program. The weaker ways come later.
type confinement struct {
	name       string
	namespaces bool
	several    bool // it bounds the processes of a program, and ends them with the program
	set        func(cmd *exec.Cmd)
}

// errOverflow is the cause of the end of a program that wrote too much.
var errOverflow = errors.New("the program wrote more than it may")

// Run runs a program to its end. It tries to start the program in namespaces first. If the kernel refuses them, it
// relies on Landlock and the filter of system calls. If the kernel offers neither, it executes nothing and returns a
// [*Fault] of cause [Setup]. It also returns a [*Fault] for a program that a limit or a signal ended, and the
// context's error. The end of this process ends the program with all of its processes.
func (l *Launcher) Run(ctx context.Context, p Program) (Ended, error) {
	ways := l.ways
	if ways == nil {
		ways = confinements()
	}
	why := []string{}
	for _, way := range ways {
		if p.Processes > 0 && !way.several {
			why = append(why, way.name+": it cannot hold several processes")
			continue
		}
		ended, refused, err := l.runIn(ctx, way, p)
		if refused == "" {
			return ended, err
		}
		why = append(why, way.name+": "+refused)
	}
	if len(why) == 0 {
		why = append(why, noPrograms)
	}
	return Ended{}, &Fault{Cause: Setup, State: "the system offers no sandbox for programs; " + strings.Join(why, "; ")}
}

// runIn runs a program in one way. refused says why this way is not possible here; then nothing was executed.
func (l *Launcher) runIn(ctx context.Context, way confinement, p Program) (out Ended, refused string, err error) {
	root, err := os.MkdirTemp("", "assay-root-")
	if err != nil {
		return out, "", fmt.Errorf("make a folder: %w", err)
	}
	defer func() { _ = os.Remove(root) }()
	if err := os.Chmod(root, 0o755); err != nil { //nolint:gosec // it stays empty, and another user mounts there
		return out, "", fmt.Errorf("make a folder: %w", err)
	}
	bounded, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if p.Limits.Wall > 0 {
		timer := time.AfterFunc(p.Limits.Wall, func() { cancel(context.DeadlineExceeded) })
		defer timer.Stop()
	}
	c, err := l.programChild(bounded, way, p, func() { cancel(errOverflow) })
	if err != nil {
		return out, "", err
	}
	wait, err := Start(c.cmd)
	c.closeTheirs()
	if err != nil {
		c.closeOurs()
		return out, err.Error(), nil
	}
	status := c.talk(bounded, programRequest{Program: p, AddressSpace: p.Limits.AddressSpace, Root: root, Namespaces: way.namespaces})
	err = wait()
	out = Ended{Grade: status.Grade, Code: c.cmd.ProcessState.ExitCode(), Stdout: c.stdout.Bytes(), Stderr: c.stderr.Bytes()}
	switch cause := context.Cause(bounded); {
	case ctx.Err() != nil:
		return out, "", context.Cause(ctx)
	case errors.Is(cause, errOverflow):
		return out, "", &Fault{Cause: Output, State: fmt.Sprintf("it wrote more than %d bytes", c.stdout.Limit)}
	case cause != nil:
		return out, "", &Fault{Cause: Wall, State: fmt.Sprintf("after %v", p.Limits.Wall)}
	case status.Error != "":
		return out, status.Error, nil
	case l.required && (out.Grade.Landlock == 0 || !out.Grade.Seccomp):
		return out, "", &Fault{Cause: Setup, State: "the sandbox is required, and not all of it is in force here"}
	}
	if fault := FaultOf(c.cmd.ProcessState, c.stderr.Bytes()); fault != nil {
		return out, "", fault
	}
	if out.Code < 0 {
		return out, "", &Fault{Cause: Crash, State: c.cmd.ProcessState.String()}
	}
	if _, exited := errors.AsType[*exec.ExitError](err); err != nil && !exited {
		return out, "", &Fault{Cause: Crash, State: err.Error()}
	}
	return out, "", nil
}

// programChild is a child of kindProgram and the pipes to it.
type programChild struct {
	cmd             *exec.Cmd
	request, status *os.File   // our ends
	theirs          []*os.File // the ends of the child
	stdout, stderr  *Head
}

func (l *Launcher) programChild(ctx context.Context, way confinement, p Program, full func()) (*programChild, error) {
	argv, err := l.selfCommand(Limits{}, kindProgram)
	if err != nil {
		return nil, err
	}
	c := &programChild{cmd: exec.CommandContext(ctx, argv[0], argv[1:]...), stderr: &Head{Limit: 8 << 10}}
	limit := p.Limits.Output
	if limit <= 0 {
		limit = defaultOutput
	}
	c.stdout = &Head{Limit: int(limit), Full: full}
	theirRequest, request, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	status, theirStatus, err := os.Pipe()
	if err != nil {
		_, _ = request.Close(), theirRequest.Close()
		return nil, fmt.Errorf("make a pipe: %w", err)
	}
	c.request, c.status, c.theirs = request, status, []*os.File{theirRequest, theirStatus}
	c.cmd.Dir, c.cmd.Env = "/", []string{} // nil would mean our environment
	c.cmd.Stdout, c.cmd.Stderr, c.cmd.ExtraFiles = c.stdout, c.stderr, c.theirs
	c.cmd.WaitDelay = endTime
	c.cmd.Cancel = func() error { return killGroup(c.cmd) }
	group(c.cmd)
	way.set(c.cmd)
	return c, nil
}

// talk sends the request and returns the answer. It returns when the child has executed the program, or ended.
func (c *programChild) talk(ctx context.Context, r programRequest) programStatus {
	defer c.closeOurs()
	stop := context.AfterFunc(ctx, c.closeOurs) // a process that the child left behind may hold the pipe
	defer stop()
	go func() { // the pipe holds less than the longest request
		raw, err := json.Marshal(r)
		if err == nil {
			_, _ = c.request.Write(raw) // a child that has ended sends no answer
		}
		_ = c.request.Close()
	}()
	raw, err := io.ReadAll(io.LimitReader(c.status, maxProgramStatus))
	var status programStatus
	d := json.NewDecoder(bytes.NewReader(raw))
	for err == nil && d.More() { // a second answer says that the program could not be executed
		err = d.Decode(&status)
	}
	if err != nil || len(raw) == 0 {
		return programStatus{Error: "the child process ended before the program was started"}
	}
	return status
}

func (c *programChild) closeTheirs() {
	for _, f := range c.theirs {
		_ = f.Close()
	}
}

func (c *programChild) closeOurs() { _, _ = c.request.Close(), c.status.Close() }

// insideProgram confines this process and executes the requested program. It returns only if that fails.
func insideProgram() int {
	request, status := os.NewFile(3, "request"), os.NewFile(4, "status")
	if request == nil || status == nil {
		return exitSetup
	}
	var r programRequest
	raw, err := io.ReadAll(io.LimitReader(request, maxProgramRequest+1))
	if err == nil && len(raw) > maxProgramRequest {
		err = errors.New("the request is too large")
	}
	if err == nil {
		err = json.Unmarshal(raw, &r)
	}
	_ = request.Close()
	answer := json.NewEncoder(status)
	if err == nil {
		r.Program.Limits.AddressSpace = r.AddressSpace
		err = execute(r, func(g Grade) error { return answer.Encode(programStatus{Grade: g}) })
	}
	_ = answer.Encode(programStatus{Error: err.Error()})
	return exitSetup
}
