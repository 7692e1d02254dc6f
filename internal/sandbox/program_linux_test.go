package sandbox_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/assay-dev/assay/internal/sandbox"
)

// world is what a hostile analyser finds: a folder with its files, and things outside.
type world struct {
	program string // a copy of this program that other users may execute
	tree    string
	outside string // a file that it must not read
}

func newWorld(t *testing.T) world {
	t.Helper()
	open := func(folder string) string {
		dir, err := os.MkdirTemp("", folder)
		if err == nil {
			err = os.Chmod(dir, 0o755)
		}
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
		return dir
	}
	w := world{program: filepath.Join(open("assay-hostile-"), "hostile"), tree: open("assay-tree-"), outside: filepath.Join(open("assay-outside-"), "secret")}
	raw, err := os.ReadFile("/proc/self/exe")
	if err == nil {
		err = os.WriteFile(w.program, raw, 0o755)
	}
	if err == nil {
		err = os.WriteFile(w.outside, []byte("PRIVATE"), 0o644)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(w.tree, "given.txt"), []byte("given"), 0o644)
	}
	if err == nil {
		err = os.Symlink(w.outside, filepath.Join(w.tree, "link"))
	}
	if err != nil {
		t.Fatal(err)
	}
	return w
}

// run runs an attack and returns what it prints.
func (w world) run(t *testing.T, l *sandbox.Launcher, change func(*sandbox.Program), kind string, args ...string) (sandbox.Ended, map[string]string, error) {
	t.Helper()
	p := sandbox.Program{Path: w.program, Args: append([]string{hostile, kind}, args...), Env: []string{"HOME=/tmp"}, Dir: w.tree,
		ReadOnly: []string{w.tree}, Scratch: 8 << 20,
		Limits: sandbox.Limits{Memory: 512 << 20, AddressSpace: 8 << 30, CPU: 20 * time.Second, FileSize: 8 << 20, Files: 256,
			Wall: time.Minute, Output: 1 << 20}}
	if change != nil {
		change(&p)
	}
	ended, err := l.Run(t.Context(), p)
	out := map[string]string{}
	if err == nil {
		if err := json.Unmarshal(ended.Stdout, &out); err != nil {
			t.Fatalf("%v: %q %q", err, ended.Stdout, ended.Stderr)
		}
	}
	return ended, out, err
}

// skipWithout skips a test on a kernel without the parts of the sandbox that it needs.
func skipWithout(t *testing.T, err error) {
	t.Helper()
	if fault, ok := errors.AsType[*sandbox.Fault](err); ok && fault.Cause == sandbox.Setup {
		t.Skip(fault.State)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// confinedLaunchers are the ways to confine a program.
func confinedLaunchers() map[string]*sandbox.Launcher {
	return map[string]*sandbox.Launcher{"namespaces": sandbox.WithNamespaces(launcher), "Landlock": sandbox.WithoutNamespaces(launcher)}
}

func TestAHostileAnalyserReachesNothing(t *testing.T) {
	t.Setenv("ASSAY_INSTANCE_KEY", "PRIVATE")
	w := newWorld(t)
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	socket := filepath.Join(filepath.Dir(w.outside), "socket")
	u, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	if err := os.Chmod(socket, 0o777); err != nil {
		t.Fatal(err)
	}
	for name, launcher := range confinedLaunchers() {
		t.Run(name, func(t *testing.T) {
			ended, got, err := w.run(t, launcher, nil, "environment")
			skipWithout(t, err)
			if ended.Grade.Namespaces != (name == "namespaces") || !ended.Grade.Seccomp && ended.Grade.Landlock == 0 {
				t.Errorf("the grade is %+v", ended.Grade)
			}
			user := got["user"]
			delete(got, "user")
			if len(got) != 1 || got["HOME=/tmp"] == "" || name == "Landlock" && user == "0" && os.Getenv("ASSAY_TEST_AGAIN") == "" {
				t.Errorf("user %s, environment %v", user, got)
			}
			for kind, args := range map[string][]string{"system": nil, "network": {l.Addr().String(), socket},
				"files": {w.outside, "link", filepath.Dir(w.outside), fmt.Sprintf("/proc/%d/environ", os.Getpid())}, "writes": {filepath.Dir(w.outside) + "/wrote"}} {
				_, got, err := w.run(t, launcher, nil, kind, args...)
				if err != nil {
					t.Fatalf("%s: %v", kind, err)
				}
				for what, refused := range got {
					if refused == "" {
						t.Errorf("%s reached %s", kind, what)
					}
				}
			}
		})
	}
	if raw, err := os.ReadFile(filepath.Join(w.tree, "given.txt")); err != nil || string(raw) != "given" {
		t.Errorf("the given file is %q, %v", raw, err)
	}
}

func TestAHostileAnalyserStaysWithinItsLimits(t *testing.T) {
	w := newWorld(t)
	for name, launcher := range confinedLaunchers() {
		t.Run(name, func(t *testing.T) {
			_, got, err := w.run(t, launcher, nil, "forks", w.program)
			skipWithout(t, err)
			if got["started"] != "0" {
				t.Errorf("it started %s processes", got["started"])
			}
			_, got, err = w.run(t, launcher, nil, "fills")
			if n, _ := strconv.Atoi(got["written"]); err != nil || n > 8<<20 || name == "Landlock" && n > 0 {
				t.Errorf("it wrote %s bytes, %v", got["written"], err)
			}
			for kind, want := range map[string]sandbox.Cause{"floods": sandbox.Output, "waits": sandbox.Wall, "eats": sandbox.Memory} {
				_, _, err := w.run(t, launcher, func(p *sandbox.Program) {
					if kind == "waits" {
						p.Limits.Wall = time.Second
					}
				}, kind)
				if fault, ok := errors.AsType[*sandbox.Fault](err); !ok || fault.Cause != want {
					t.Errorf("%s: %v", kind, err)
				}
			}
			_, _, err = w.run(t, launcher, func(p *sandbox.Program) { p.Limits.CPU = time.Second }, "spins")
			if fault, ok := errors.AsType[*sandbox.Fault](err); !ok || fault.Cause != sandbox.CPU && fault.Cause != sandbox.Memory {
				t.Errorf("spins: %v", err)
			}
		})
	}
}

// An analyser that may start processes gets a bounded number, and none outlives it.
func TestProcessesOfAnAnalyserEndWithIt(t *testing.T) {
	w := newWorld(t)
	several := func(p *sandbox.Program) { p.Processes = 40 }
	_, got, err := w.run(t, launcher, several, "forks", w.program)
	skipWithout(t, err)
	if n, _ := strconv.Atoi(got["started"]); n < 1 || n > 40 {
		t.Errorf("it started %s processes: %s", got["started"], got["error"])
	}
	mark := "mark-" + filepath.Base(w.tree)
	_, got, err = w.run(t, launcher, several, "leaves", w.program, mark)
	if err != nil || got["child"] != "" {
		t.Fatalf("%v, %v", got, err)
	}
	if pids := processesWith(t, mark); len(pids) > 0 {
		t.Errorf("processes %v outlive the analyser", pids)
	}
	_, _, err = w.run(t, sandbox.WithoutNamespaces(launcher), several, "forks", w.program)
	if fault, ok := errors.AsType[*sandbox.Fault](err); !ok || fault.Cause != sandbox.Setup {
		t.Errorf("without namespaces: %v", err)
	}
}

func TestWithoutASandboxNoProgramRuns(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.run(t, sandbox.WithoutSandbox(launcher), nil, "environment")
	if fault, ok := errors.AsType[*sandbox.Fault](err); !ok || fault.Cause != sandbox.Setup || !strings.Contains(fault.State, "no sandbox for programs") {
		t.Errorf("%v", err)
	}
}

// processesWith returns the processes that have a word in their command line.
func processesWith(t *testing.T, word string) (out []int) {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		raw, _ := os.ReadFile(filepath.Join("/proc", e.Name(), "cmdline"))
		if slices.Contains(strings.Split(string(raw), "\x00"), word) {
			out = append(out, pid)
		}
	}
	return out
}

// keepProgram is the work of a process that the next test kills while an analyser runs.
func keepProgram(program, tree, mark, way string) {
	l := launcher
	if way == "Landlock" {
		l = sandbox.WithoutNamespaces(launcher)
	}
	fmt.Println("starts")
	_, _ = l.Run(context.Background(), sandbox.Program{Path: program, Args: []string{hostile, "waits", mark}, Dir: tree, ReadOnly: []string{tree},
		Limits: sandbox.Limits{Memory: 512 << 20, Files: 64}})
}

// The kernel ends an analyser when the service is killed.
func TestAnAnalyserEndsWithTheService(t *testing.T) {
	w := newWorld(t)
	for _, way := range []string{"namespaces", "Landlock"} {
		t.Run(way, func(t *testing.T) {
			_, _, err := w.run(t, confinedLaunchers()[way], nil, "environment")
			skipWithout(t, err)
			mark := "mark-" + way + filepath.Base(w.tree)
			cmd := exec.Command("/proc/self/exe", keeper, w.program, w.tree, mark, way)
			out, err := cmd.StdoutPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
				t.Fatal(err)
			}
			var fd int
			for fd == 0 { // the analyser exists when its command line has the mark
				for _, pid := range processesWith(t, mark) {
					if pid == cmd.Process.Pid {
						continue
					}
					if fd, err = unix.PidfdOpen(pid, 0); errors.Is(err, syscall.ESRCH) {
						fd = 0 // a process that prepares the sandbox, and ended meanwhile
					} else if err != nil {
						t.Fatal(err)
					}
				}
			}
			defer unix.Close(fd)
			if err := cmd.Process.Signal(syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait()
			if n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 20_000); err != nil || n != 1 {
				t.Errorf("the analyser outlives the service: %v", err)
			}
		})
	}
}

// The root of a container, who has no other user to choose, confines analysers in the same way.
func TestHostileAnalysersOfAContainer(t *testing.T) {
	w := newWorld(t)
	own := filepath.Join(filepath.Dir(w.program), "own")
	if err := os.Mkdir(own, 0o755); err != nil {
		t.Fatal(err)
	}
	again(t, w, own, &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER, UidMappings: []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{HostID: os.Getegid(), Size: 1}}})
}

// again runs the tests of hostile analysers in another process.
func again(t *testing.T, w world, own string, as *syscall.SysProcAttr) {
	t.Helper()
	cmd := exec.Command(w.program, "-test.v", "-test.run=^(TestAHostileAnalyserReachesNothing|"+
		"TestProcessesOfAnAnalyserEndWithIt|TestAnAnalyserEndsWithTheService)$")
	cmd.Dir, cmd.Env = own, []string{"TMPDIR=" + own, "HOME=" + own, "PATH=/usr/bin:/bin", "ASSAY_TEST_AGAIN=1"}
	cmd.SysProcAttr = as
	out, err := cmd.CombinedOutput()
	if errors.Is(err, os.ErrPermission) || errors.Is(err, syscall.EINVAL) || errors.Is(err, syscall.ENOSPC) {
		t.Skipf("the kernel does not let this process choose a user: %v", err)
	}
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	for line := range bytes.Lines(out) {
		if bytes.Contains(line, []byte("--- SKIP")) {
			t.Logf("%s", line)
		}
	}
}

// A service without the rights of root confines analysers in the same way.
func TestHostileAnalysersOfAPlainUser(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("the other tests run as a plain user already")
	}
	w := newWorld(t)
	folder := filepath.Dir(w.program)
	own := filepath.Join(folder, "own")
	if err := errors.Join(os.Mkdir(own, 0o755), os.Chown(own, 65534, 65534)); err != nil {
		t.Fatal(err)
	}
	again(t, w, own, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}})
}
