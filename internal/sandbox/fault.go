package sandbox

import (
	"bytes"
	"os"
	"regexp"
	"strings"
)

// Cause is why a child ended before its work was done.
type Cause string

// The causes.
const (
	Memory Cause = "memory"
	CPU    Cause = "processor time"
	Wall   Cause = "time"
	Output Cause = "output"
	Crash  Cause = "crash"
	Setup  Cause = "setup" // it could not start under its limits and read nothing
)

// Fault is the error of a child that ended before its work was done. It contains no data that the child
// read.
type Fault struct {
	Cause Cause
	State string // how the process ended, for logs
}

func (f *Fault) Error() string {
	switch f.Cause {
	case Crash:
		return "the child process crashed: " + f.State
	case Setup:
		return "the child process could not be started under its limits: " + f.State
	}
	return "the child process was ended by its limit of " + string(f.Cause) + ": " + f.State
}

// Messages of programs that run out of memory (runtime of Go; git's wrapper.c, the C library and its
// loader), and of git when one of its own children exceeds its time.
var (
	memoryWords = []string{"out of memory", "cannot allocate memory", "failed to create new os thread", "unable to create thread"}
	cpuWords    = []string{"sigxcpu", "died of signal 24"}
	fileWords   = []string{"file too large", "died of signal 25"}
)

// refused matches the report of Go's runtime after its garbage collector used memory that the system had
// refused (mgcmark_greenteagc.go of Go 1.26): a fault on the runtime's own stack, at or near address 0.
var refused = regexp.MustCompile(`(?m)^sigsegv: segmentation violation\npc=\S+ m=\d+ sigcode=\d+ addr=0x[0-9a-f]{1,3}\n\ngoroutine 0 `)

// FaultOf returns the limit that ended a process, by its end and its stderr, or nil if nothing indicates a
// limit.
func FaultOf(state *os.ProcessState, stderr []byte) *Fault {
	if state == nil || state.Success() {
		return nil
	}
	f := &Fault{State: state.String()}
	said := strings.ToLower(string(stderr))
	has := func(words []string) bool {
		for _, w := range words {
			if strings.Contains(said, w) {
				return true
			}
		}
		return false
	}
	switch limit := limitSignal(state); {
	case limit != "":
		f.Cause = limit
	case state.ExitCode() == exitSetup && strings.HasPrefix(said, "child: "), notStarted(state.ExitCode()) &&
		strings.HasPrefix(said, shell+": "):
		f.Cause = Setup
	case has(cpuWords):
		f.Cause = CPU
	case has(fileWords):
		f.Cause = Output
	case has(memoryWords), refused.MatchString(said):
		f.Cause = Memory
	default:
		return nil
	}
	return f
}

// notStarted reports whether a shell's exit code means that a program could not start (POSIX.1-2024, sh,
// "Exit Status for Commands").
func notStarted(code int) bool { return code == 126 || code == 127 }

// Head keeps the first Limit bytes written to it. Beyond them it calls Full, if set, and discards the rest.
// The buffer is not embedded, because its ReadFrom would bypass the bound.
type Head struct {
	Limit int
	Full  func()

	buf bytes.Buffer
}

// Write never fails, so that a closed pipe does not stop a child.
func (w *Head) Write(b []byte) (int, error) {
	if room := w.Limit - w.buf.Len(); len(b) > room {
		w.buf.Write(b[:max(room, 0)])
		if w.Full != nil {
			w.Full()
		}
		return len(b), nil
	}
	return w.buf.Write(b)
}

// Bytes returns the kept bytes.
func (w *Head) Bytes() []byte { return w.buf.Bytes() }
