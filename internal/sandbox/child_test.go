package sandbox_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/assay-dev/assay/internal/sandbox"
)

var launcher *sandbox.Launcher

// works are the kinds of work that the children of these tests do.
var works = map[string]sandbox.Work{
	"echo": func(c *sandbox.Conn) error {
		for {
			var s string
			if err := c.Receive(&s); err != nil {
				return err
			}
			if err := c.Send(s); err != nil {
				return err
			}
		}
	},
	"network":     tryNetwork,
	"environment": func(c *sandbox.Conn) error { return c.Send(os.Environ()) },
	"memory": func(c *sandbox.Conn) error {
		var kept [][]byte
		for range 1 << 14 {
			b := make([]byte, 1<<20)
			for i := range b {
				b[i] = 1
			}
			kept = append(kept, b)
		}
		return c.Send(fmt.Sprint(len(kept)))
	},
	"collector": func(*sandbox.Conn) error { // the system refuses memory to the runtime, not to this function
		debug.SetGCPercent(-1)
		debug.SetMemoryLimit(math.MaxInt64)
		type node struct{ edges [4]*node }
		nodes := make([]*node, 30_000)
		for i := range nodes {
			nodes[i] = &node{}
		}
		for _, n := range nodes {
			for i := range n.edges {
				n.edges[i] = nodes[rand.IntN(len(nodes))]
			}
		}
		if err := syscall.Setrlimit(syscall.RLIMIT_DATA, &syscall.Rlimit{}); err != nil {
			return err
		}
		for {
			runtime.GC()
			runtime.KeepAlive(nodes)
		}
	},
	"processor": func(*sandbox.Conn) error {
		for n := uint64(1); ; n = n*6364136223846793005 + 1 {
			runtime.KeepAlive(n)
		}
	},
	"silence": func(c *sandbox.Conn) error { var s string; return c.Receive(&s) },
	"flood": func(c *sandbox.Conn) error {
		for {
			if err := c.Send(strings.Repeat("x", 1<<16)); err != nil {
				return err
			}
		}
	},
	"panic": func(*sandbox.Conn) error { panic("PRIVATE") },
	"files": func(c *sandbox.Conn) error {
		_, read := os.ReadFile("/etc/passwd")
		_, list := os.ReadDir("/")
		write := os.WriteFile(filepath.Join(os.TempDir(), "assay-child-wrote"), []byte("x"), 0o600)
		_, dial := net.Dial("tcp4", "127.0.0.1:1")
		return c.Send([]bool{errors.Is(read, os.ErrPermission), errors.Is(list, os.ErrPermission), write != nil, errors.Is(dial, os.ErrPermission)})
	},
}

// keeper is a process that starts a child and waits to be killed.
const keeper = "assay-test-keeper"

func TestMain(m *testing.M) {
	launcher = sandbox.Enter(works)
	if len(os.Args) > 2 && os.Args[1] == hostile {
		attack(os.Args[2:])
		return
	}
	if len(os.Args) == 6 && os.Args[1] == keeper {
		keepProgram(os.Args[2], os.Args[3], os.Args[4], os.Args[5])
		return
	}
	if len(os.Args) == 2 && os.Args[1] == keeper {
		keep()
		return
	}
	os.Exit(m.Run())
}

func start(t *testing.T, kind string, l sandbox.Limits) *sandbox.Child {
	t.Helper()
	c, err := launcher.Start(t.Context(), kind, l)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

func ask(c *sandbox.Child, ctx context.Context, question, answer any) error {
	return c.Within(ctx, func(conn *sandbox.Conn) error {
		if question != nil {
			if err := conn.Send(question); err != nil {
				return err
			}
		}
		return conn.Receive(answer)
	})
}

func onLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("limits are in force on Linux only")
	}
}

func TestAChildAnswersUntilItIsClosed(t *testing.T) {
	t.Parallel()
	c := start(t, "echo", sandbox.Limits{Memory: 256 << 20})
	for _, s := range []string{"a", strings.Repeat("b", 1<<20), "\xff\x00"} {
		var got string
		if err := ask(c, t.Context(), s, &got); err != nil || got != s {
			t.Fatalf("%d bytes came back: %v", len(got), err)
		}
	}
	own := errors.New("of the caller")
	if err := c.Within(t.Context(), func(*sandbox.Conn) error { return own }); !errors.Is(err, own) {
		t.Errorf("the error is %v", err)
	}
	var got string
	if err := ask(c, t.Context(), "still there", &got); err != nil {
		t.Errorf("an error of the caller ended the child: %v", err)
	}
	c.Close()
	c.Close()
	if err := ask(c, t.Context(), "x", &got); err == nil {
		t.Error("a closed child answers")
	}
}

func TestAChildSeesNoEnvironment(t *testing.T) {
	t.Setenv("ASSAY_INSTANCE_KEY", "PRIVATE")
	var got []string
	if err := ask(start(t, "environment", sandbox.Limits{}), t.Context(), nil, &got); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}

// Each limit ends the child and is named in the error, which has no text that the child worked on.
func TestALimitEndsAChildAndSaysWhich(t *testing.T) {
	onLinux(t)
	for _, tt := range []struct {
		kind   string
		limits sandbox.Limits
		want   sandbox.Cause
	}{
		{"memory", sandbox.Limits{Memory: 256 << 20, Wall: time.Minute}, sandbox.Memory},
		{"collector", sandbox.Limits{Memory: 256 << 20, Wall: time.Minute}, sandbox.Memory},
		{"processor", sandbox.Limits{CPU: time.Second, Wall: time.Minute}, sandbox.CPU},
		{"silence", sandbox.Limits{Wall: 50 * time.Millisecond}, sandbox.Wall},
		{"flood", sandbox.Limits{Output: 1 << 20, Wall: time.Minute}, sandbox.Output},
		{"panic", sandbox.Limits{Wall: time.Minute}, sandbox.Crash},
	} {
		t.Run(tt.kind, func(t *testing.T) {
			t.Parallel()
			c := start(t, tt.kind, tt.limits)
			var err error
			for err == nil {
				var got string
				err = c.Within(t.Context(), func(conn *sandbox.Conn) error {
					for range 100 {
						if err := conn.Receive(&got); err != nil {
							return err
						}
					}
					return nil
				})
			}
			fault, ok := errors.AsType[*sandbox.Fault](err)
			if !ok || fault.Cause != tt.want || strings.Contains(err.Error(), "PRIVATE") {
				t.Errorf("the error is %v", err)
			}
		})
	}
}

func TestTheCallersContextIsNotAFault(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("the run is over")
	c := start(t, "silence", sandbox.Limits{Wall: time.Hour})
	err := c.Within(ctx, func(conn *sandbox.Conn) error {
		cancel(cause)
		var s string
		return conn.Receive(&s)
	})
	if !errors.Is(err, cause) {
		t.Errorf("the error is %v", err)
	}
}

func TestAContextThatIsOverStartsNothing(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := launcher.Start(ctx, "silence", sandbox.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
}

// The status reports the real restrictions of a child: if Landlock is in force, files and connections
// are refused.
func TestAChildHasNoFilesAndNoNetwork(t *testing.T) {
	onLinux(t)
	t.Parallel()
	c := start(t, "files", sandbox.Limits{})
	var refused []bool
	if err := ask(c, t.Context(), nil, &refused); err != nil {
		t.Fatal(err)
	}
	if !c.Status.Limits || !c.Status.NoNewPrivileges {
		t.Errorf("%+v", c.Status)
	}
	if !refused[2] {
		t.Error("a file could be written")
	}
	if c.Status.Landlock == 0 {
		if len(c.Status.Missing) == 0 {
			t.Error("the status does not report that Landlock is not in force")
		}
		t.Skip("the kernel has no Landlock")
	}
	if !refused[0] || !refused[1] {
		t.Errorf("files could be read: %v", refused)
	}
	if c.Status.Landlock >= 4 && !refused[3] {
		t.Error("a connection could be tried")
	}
}

func TestProbeReportsRestrictions(t *testing.T) {
	t.Parallel()
	s, err := launcher.Probe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.Limits != (runtime.GOOS == "linux") || !s.Limits && len(s.Missing) == 0 {
		t.Errorf("%+v", s)
	}
}

// Another program runs under the given limits.
func TestAProgramRunsUnderItsLimits(t *testing.T) {
	onLinux(t)
	t.Parallel()
	limits := sandbox.Limits{AddressSpace: 64 << 20, CPU: 7 * time.Second, Files: 33, FileSize: 512}
	out, err := runProgram(t, limits, "/bin/sh", "-c", "ulimit -v; ulimit -t; ulimit -n; ulimit -f; ulimit -c; echo $MARK; grep NoNewPrivs /proc/self/status")
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got := strings.Join(strings.Fields(out), " "); got != "65536 7 33 1 0 here NoNewPrivs: 1" {
		t.Errorf("the limits are %q", got)
	}
}

func TestAProgramSaysWhichLimitEndedIt(t *testing.T) {
	onLinux(t)
	for name, tt := range map[string]struct {
		limits sandbox.Limits
		script string
		want   sandbox.Cause
	}{
		"processor time": {sandbox.Limits{CPU: time.Second}, "while :; do :; done", sandbox.CPU},
		"file size":      {sandbox.Limits{FileSize: 1 << 10}, "exec head -c 4096 /dev/zero > " + filepath.Join(t.TempDir(), "f"), sandbox.Output},
		"memory":         {sandbox.Limits{AddressSpace: 64 << 20}, "head -c 300000000 /dev/zero | git hash-object --stdin", sandbox.Memory},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cmd, err := launcher.Command(t.Context(), tt.limits, "/bin/sh", "-c", tt.script)
			if err != nil {
				t.Fatal(err)
			}
			stderr := &sandbox.Head{Limit: 4 << 10}
			cmd.Stderr, cmd.Env = stderr, []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
			wait, err := sandbox.Start(cmd)
			if err != nil {
				t.Fatal(err)
			}
			err = wait()
			if fault := sandbox.FaultOf(cmd.ProcessState, stderr.Bytes()); fault == nil || fault.Cause != tt.want {
				t.Errorf("%v: %v, it said %q", fault, err, stderr.Bytes())
			}
		})
	}
	if fault := sandbox.FaultOf(nil, nil); fault != nil {
		t.Errorf("%v", fault)
	}
}

// A program that does not exist was not started: it touched nothing, and no output is missing.
func TestAProgramThatIsNotThere(t *testing.T) {
	onLinux(t)
	t.Parallel()
	folder := t.TempDir()
	for name, path := range map[string]string{"absent": filepath.Join(folder, "none"), "not executable": folder} {
		cmd, err := launcher.Command(t.Context(), sandbox.Limits{FileSize: 512}, path)
		if err != nil {
			t.Fatal(err)
		}
		stderr := &sandbox.Head{Limit: 4 << 10}
		cmd.Stderr = stderr
		wait, err := sandbox.Start(cmd)
		if err != nil {
			t.Fatal(err)
		}
		err = wait()
		if fault := sandbox.FaultOf(cmd.ProcessState, stderr.Bytes()); fault == nil || fault.Cause != sandbox.Setup {
			t.Errorf("%s: %v, %v, it said %q", name, fault, err, stderr.Bytes())
		}
	}
}

func runProgram(t *testing.T, l sandbox.Limits, path string, args ...string) (string, error) {
	t.Helper()
	cmd, err := launcher.Command(t.Context(), l, path, args...)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Env = &out, &out, []string{"MARK=here", "PATH=/usr/bin:/bin"}
	wait, err := sandbox.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	err = wait()
	return out.String(), err
}

// keep is the work of the process that the next test kills.
func keep() {
	cmd, err := launcher.Command(context.Background(), sandbox.Limits{}, "/bin/sh", "-c", "echo ready; exec sleep 600")
	if err != nil {
		panic(err)
	}
	cmd.Stdout = os.Stdout
	wait, err := sandbox.Start(cmd)
	if err != nil {
		panic(err)
	}
	_ = wait()
}

// A child holds the pipe open while it lives.
func TestAChildEndsWithItsParent(t *testing.T) {
	onLinux(t)
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cmd := exec.Command("/proc/self/exe", keeper)
	cmd.Stdout = w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = w.Close()
	ready := make([]byte, 6)
	if _, err := io.ReadFull(r, ready); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if _, err := io.Copy(io.Discard, r); err != nil { // ends when the child does
		t.Fatal(err)
	}
}
