package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"runtime/debug"
	"syscall"
	"unsafe"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// self is this program as the kernel knows it: the same bytes, also after the
// file was replaced by a newer one.
func self() string { return "/proc/self/exe" }

// newest is what the newest Landlock that is known here can take away.
var newest = landlock.V7

// confine sets the limits of this process, and takes its file system and network
// away where the kernel can. An error means that the limits are not in force.
func confine(l Limits) (Status, error) {
	if err := setLimits(l); err != nil {
		return Status{}, err
	}
	s := Status{Limits: true}
	version, err := ll.LandlockGetABIVersion()
	switch {
	case err != nil || version < 1:
		s.Missing = append(s.Missing, "Landlock: the kernel does not have it, or does not let this process use it")
	default:
		if err := newest.BestEffort().Restrict(); err != nil {
			s.Missing = append(s.Missing, "Landlock: "+err.Error())
		} else {
			s.Landlock = version
		}
	}
	if s.Landlock > 0 && version < 4 {
		s.Missing = append(s.Missing, "Landlock's rules for networks: they come with Linux 6.7")
	}
	if s.Landlock == 0 {
		if err := ll.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			s.Missing = append(s.Missing, "no_new_privs: "+err.Error())
			return s, nil
		}
	}
	s.NoNewPrivileges = true
	return s, nil
}

// endInTime ends the process when its processor time is over: Go does not by
// itself, and what the kernel does a second later looks like a lack of memory.
func endInTime() {
	over := make(chan os.Signal, 1)
	signal.Notify(over, syscall.SIGXCPU)
	go func() {
		<-over
		complain(errors.New("SIGXCPU"))
		os.Exit(exitWork)
	}()
}

// setLimits sets every limit but that of the address space.
func setLimits(l Limits) error {
	files := l.Files
	if files == 0 {
		files = defaultFiles
	}
	if err := errors.Join(
		setLimit("core files", unix.RLIMIT_CORE, 0, 0),
		setLimit("file size", unix.RLIMIT_FSIZE, uint64(max(l.FileSize, 0)), 0),
		setLimit("open files", unix.RLIMIT_NOFILE, files, 0)); err != nil {
		return err
	}
	if l.CPU > 0 { // a second more until the signal that nothing can handle
		if err := setLimit("processor time", unix.RLIMIT_CPU, uint64(math.Ceil(l.CPU.Seconds())), 1); err != nil {
			return err
		}
	}
	if l.Memory > 0 {
		return setLimit("memory", unix.RLIMIT_DATA, uint64(l.Memory), 0)
	}
	return nil
}

// setLimit lowers a limit for good; one that is lower already stays.
func setLimit(name string, which int, soft, margin uint64) error {
	var now unix.Rlimit
	if err := unix.Getrlimit(which, &now); err != nil {
		return fmt.Errorf("read the limit of %s: %w", name, err)
	}
	now = lowered(now, soft, margin)
	if err := unix.Setrlimit(which, &now); err != nil {
		return fmt.Errorf("set the limit of %s: %w", name, err)
	}
	return nil
}

// lowered is a limit that is not above another one, nor its hard part above that
// by more than a margin.
func lowered(now unix.Rlimit, soft, margin uint64) unix.Rlimit {
	now.Max = min(now.Max, soft+margin)
	now.Cur = min(now.Cur, soft, now.Max)
	return now
}

// become makes this process another program under limits. It returns only if
// that fails. The address space is limited last: what Go has reserved of it is
// more than the program may have, so from then on every page and thread that the
// runtime asks for would end the process. Nothing of Go runs between the two last
// calls: there is one processor, which this thread keeps, no collection, and both
// calls go past the scheduler with what was allocated before.
func become(l Limits, args []string) error {
	runtime.LockOSThread() // the thread that goes on
	if err := setLimits(l); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	if l.AddressSpace <= 0 {
		return syscall.Exec(args[0], args, os.Environ())
	}
	var now unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_AS, &now); err != nil {
		return fmt.Errorf("read the limit of address space: %w", err)
	}
	space := lowered(now, uint64(l.AddressSpace), 0)
	path, err := syscall.BytePtrFromString(args[0])
	if err != nil {
		return fmt.Errorf("name the program: %w", err)
	}
	argv, err := syscall.SlicePtrFromStrings(args)
	if err != nil {
		return fmt.Errorf("pass on the arguments: %w", err)
	}
	env, err := syscall.SlicePtrFromStrings(os.Environ())
	if err != nil {
		return fmt.Errorf("pass on the environment: %w", err)
	}
	debug.SetGCPercent(-1)
	runtime.GOMAXPROCS(1)
	if _, _, failed := syscall.RawSyscall6(unix.SYS_PRLIMIT64, 0, unix.RLIMIT_AS, uintptr(unsafe.Pointer(&space)), 0, 0, 0); failed != 0 {
		return fmt.Errorf("set the limit of address space: %w", failed)
	}
	_, _, failed := syscall.RawSyscall(unix.SYS_EXECVE, uintptr(unsafe.Pointer(path)), uintptr(unsafe.Pointer(&argv[0])), uintptr(unsafe.Pointer(&env[0])))
	return failed
}

// group puts a command into a process group of its own and ties its life to ours.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// limitSignal is the limit that the kernel ends a process for by a signal, "" for none.
func limitSignal(state *os.ProcessState) Cause {
	w, ok := state.Sys().(syscall.WaitStatus)
	if !ok || !w.Signaled() {
		return ""
	}
	switch w.Signal() {
	case syscall.SIGXCPU:
		return CPU
	case syscall.SIGXFSZ:
		return Output
	case syscall.SIGKILL: // not by us: the kernel is short of memory
		return Memory
	}
	return ""
}
