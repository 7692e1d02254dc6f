package main

import (
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/assay-dev/assay/internal/doctor"
	"github.com/assay-dev/assay/internal/testkit"
)

// unlandlocked is the first argument with which the test program executes another program for which the
// kernel has no Landlock, as in a container whose profile blocks its system calls.
const unlandlocked = "__assay-test-without-landlock"

// become replaces the test program with another one if its arguments ask for it.
func become() {
	if len(os.Args) < 3 || os.Args[1] != unlandlocked {
		return
	}
	runtime.LockOSThread() // the other program inherits the filter of this thread
	if err := refuseLandlock(); err != nil {
		panic(err)
	}
	panic(syscall.Exec(os.Args[2], os.Args[2:], os.Environ()))
}

// refuseLandlock makes the kernel answer ENOSYS to the first of Landlock's system calls, in this thread
// and in its children.
func refuseLandlock() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	code := []unix.SockFilter{
		{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number of the call
		{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, Jt: 0, Jf: 1, K: unix.SYS_LANDLOCK_CREATE_RULESET},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)},
		{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
	}
	program := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if _, _, err := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, 0, uintptr(unsafe.Pointer(&program))); err != 0 {
		return err
	}
	return nil
}

// If the kernel has no Landlock, a process that would review does not start when the sandbox is
// required. It gives the reason, and so does the doctor. A process that does not review starts, and so
// does one for which the sandbox is preferred.
func TestAMissingRequiredSandbox(t *testing.T) {
	t.Parallel()
	start := func(dir, setting string, args ...string) *testkit.Process {
		return testkit.Start(t, testkit.Command{Path: os.Args[0], Args: append([]string{unlandlocked, testkit.Binary(t)}, args...), Dir: dir,
			Env: map[string]string{"ASSAY_LISTEN": "127.0.0.1:0", "ASSAY_METRICS_LISTEN": "off", "ASSAY_SANDBOX": setting}})
	}
	refuses := func(args ...string) {
		t.Helper()
		p := start(t.TempDir(), "required", args...)
		line := p.WaitLine(startup, "refuses to review (ASSAY_SANDBOX)")
		if code := p.Wait(startup); code != exitFailed || !strings.Contains(line, "missing: Landlock") || !strings.Contains(line, "D023") {
			t.Errorf("%v: exit code %d, %s", args, code, line)
		}
	}
	refuses("serve")
	refuses("worker", "--migrate")
	refuses("worker", "--migrate", "--lanes", "dry-run")
	for setting, args := range map[string][]string{"preferred": {"worker", "--migrate"}, "required": {"worker", "--migrate", "--lanes", "delivery,publish"}} {
		p := start(t.TempDir(), setting, args...)
		p.WaitLine(startup, "works on")
		terminate(t, p)
	}
	for setting, want := range map[string]doctor.Status{"preferred": doctor.Warn, "required": doctor.Fail} {
		cmd := exec.Command(os.Args[0], unlandlocked, testkit.Binary(t), "doctor", "--json")
		cmd.Dir = t.TempDir()
		cmd.Env = []string{"ASSAY_SANDBOX=" + setting, "PATH=" + os.Getenv("PATH")}
		out, _ := cmd.Output() // it fails for other reasons as well
		found := false
		for _, c := range decode[doctor.Report](t, string(out)).Checks {
			if c.Code == "D023" {
				found = true
				if c.Status != want || !strings.Contains(c.Message, "Landlock") || c.Fix == "" {
					t.Errorf("%s: %+v", setting, c)
				}
			}
		}
		testkit.Equal(t, "the doctor looks", found, true)
	}
}

// If the whole sandbox is in force, a process that requires it starts.
func TestARequiredSandboxThatHolds(t *testing.T) {
	t.Parallel()
	if checks, _ := examined(t, map[string]string{"ASSAY_SANDBOX": "required"}); checks["D023"].Status == doctor.Fail {
		t.Skipf("it does not hold here: %s", checks["D023"].Message)
	}
	p := testkit.Start(t, testkit.Command{Path: testkit.Binary(t), Args: []string{"worker", "--migrate"}, Dir: t.TempDir(),
		Env: map[string]string{"ASSAY_METRICS_LISTEN": "off", "ASSAY_SANDBOX": "required"}})
	p.WaitLine(startup, "works on")
	terminate(t, p)
}
