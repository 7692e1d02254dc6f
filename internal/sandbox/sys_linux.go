package sandbox

import (
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"strconv"
	"strings"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// self returns the path of this program in the kernel. It has the same bytes even after a newer file
// replaced the old one.
func self() string { return "/proc/self/exe" }

// newest is the newest Landlock version that this program supports.
var newest = landlock.V7

// confine sets the limits of this process, and blocks the file system, the network and other processes if
// the kernel supports it. An error means that the limits are not in force, or that files of the parent may
// be open.
func confine(l Limits) (Status, error) {
	if err := setLimits(l); err != nil {
		return Status{}, err
	}
	s := Status{Limits: true}
	if err := closeInherited(); err != nil {
		return Status{}, err
	}
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
	if s.Landlock == 0 {
		if err := ll.AllThreadsPrctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
			s.Missing = append(s.Missing, "no_new_privs: "+err.Error())
			return s, nil
		}
	}
	s.NoNewPrivileges = true
	if err := filterCalls(powers{}); err != nil { // last, because the filter would refuse the calls above
		s.Missing = append(s.Missing, "seccomp: "+err.Error())
	} else {
		s.Seccomp = true
	}
	if !s.Seccomp && s.Landlock > 0 && version < 4 {
		s.Missing = append(s.Missing, "Landlock's rules for networks: they come with Linux 6.7")
	}
	return s, nil
}

// closeInherited closes inherited files above standard error, such as sockets that were open when the service started.
// This process's own files have the close-on-exec flag, so a file without the flag was inherited.
func closeInherited() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return fmt.Errorf("list the open files: %w", err)
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= 2 {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd) // the descriptor is free even if close fails
		}
	}
	return nil
}

// endInTime ends the process when its processor time is spent. Go does not do so itself, and the kernel's
// signal one second later looks like a lack of memory.
func endInTime() {
	over := make(chan os.Signal, 1)
	signal.Notify(over, syscall.SIGXCPU)
	go func() {
		<-over
		reportError(errors.New("SIGXCPU"))
		os.Exit(exitWork)
	}()
}

// setLimits sets every limit except that of the address space.
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
	if l.CPU > 0 { // one more second until the signal that cannot be handled
		if err := setLimit("processor time", unix.RLIMIT_CPU, uint64(math.Ceil(l.CPU.Seconds())), 1); err != nil {
			return err
		}
	}
	if l.Memory > 0 {
		return setLimit("memory", unix.RLIMIT_DATA, uint64(l.Memory), 0)
	}
	return nil
}

// setLimit lowers a limit permanently. It keeps a lower one.
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

// lowered returns a limit of at most soft, with a hard limit of at most soft plus margin.
func lowered(now unix.Rlimit, soft, margin uint64) unix.Rlimit {
	now.Max = min(now.Max, soft+margin)
	now.Cur = min(now.Cur, soft, now.Max)
	return now
}

// blockSize is the unit of ulimit -f (POSIX.1-2024, sh, ulimit).
const blockSize = 512

// limitedCommand returns the command line that starts a program under limits. It keeps lower ones.
func limitedCommand(l Limits, argv []string) ([]string, error) {
	files := l.Files
	if files == 0 {
		files = defaultFiles
	}
	type limit struct {
		which       int
		value, unit uint64
		option      string
	}
	all := []limit{{which: unix.RLIMIT_CORE, unit: blockSize, option: "-c"},
		{which: unix.RLIMIT_FSIZE, value: uint64(max(l.FileSize, 0)), unit: blockSize, option: "-f"},
		{which: unix.RLIMIT_NOFILE, value: files, unit: 1, option: "-n"}}
	if l.CPU > 0 { // one more second until the signal that cannot be handled
		seconds := uint64(math.Ceil(l.CPU.Seconds()))
		all = append(all, limit{which: unix.RLIMIT_CPU, value: seconds, unit: 1, option: "-S -t"},
			limit{which: unix.RLIMIT_CPU, value: seconds + 1, unit: 1, option: "-H -t"})
	}
	if l.AddressSpace > 0 {
		all = append(all, limit{which: unix.RLIMIT_AS, value: uint64(l.AddressSpace), unit: 1 << 10, option: "-v"})
	}
	var script strings.Builder
	for _, one := range all {
		var now unix.Rlimit
		if err := unix.Getrlimit(one.which, &now); err != nil {
			return nil, fmt.Errorf("read a limit: %w", err)
		}
		most := now.Cur
		if strings.HasPrefix(one.option, "-H") {
			most = now.Max
		}
		fmt.Fprintf(&script, "ulimit %s %d 2>/dev/null && ", one.option, min(one.value, most)/one.unit)
	}
	script.WriteString(`exec "$@"; echo "child: the limits could not be set" >&2; exit `)
	script.WriteString(strconv.Itoa(exitSetup))
	return append([]string{shell, "-c", script.String(), shell}, argv...), nil
}

// unprivileged prevents this thread, and the processes that it starts, from gaining rights. The thread must
// not be used for anything else afterwards.
func unprivileged() error {
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("give up new privileges: %w", err)
	}
	return nil
}

// group puts a command into a new process group, and makes the kernel end it with its parent.
func group(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

func killGroup(cmd *exec.Cmd) error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }

// limitSignal returns the limit whose signal ended a process, or "".
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
	case syscall.SIGKILL: // not sent by us: the kernel was out of memory
		return Memory
	}
	return ""
}
