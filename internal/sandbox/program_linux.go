package sandbox

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"

	"github.com/landlock-lsm/go-landlock/landlock"
	ll "github.com/landlock-lsm/go-landlock/landlock/syscall"
	"golang.org/x/sys/unix"
)

// noPrograms says why no program can be confined.
const noPrograms = "no way was given"

// overflowUser is the user as whom programs run if the service runs as root: the kernel's overflow user
// (Documentation/admin-guide/sysctl/kernel.rst, overflowuid).
const overflowUser = 65534

// namespaces are the parts of the system that a program has for itself.
const namespaces = unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWNET | unix.CLONE_NEWIPC | unix.CLONE_NEWUTS

// systemFolders hold the software of the system: programs, their libraries and the loader's cache. They hold no secrets that
// the service has.
var systemFolders = []string{"/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32", "/etc/ld.so.cache", "/etc/alternatives"}

// readDevices and writeDevices are the devices of a program.
var (
	readDevices  = []string{"/dev/zero", "/dev/random", "/dev/urandom"}
	writeDevices = []string{"/dev/null"}
)

// confinements returns the ways to confine a program, the strongest first. As root the service prefers another user. The root of a
// container may lack the right to choose one; its programs keep the user, without the rights of root.
func confinements() []confinement {
	user, group := os.Geteuid(), os.Getegid()
	out := []confinement{inNamespaces(user, group), besideOthers(nil)}
	if user == 0 {
		out = []confinement{inNamespaces(overflowUser, overflowUser), inNamespaces(user, group),
			besideOthers(&syscall.Credential{Uid: overflowUser, Gid: overflowUser}), besideOthers(nil)}
	}
	return out
}

// inNamespaces returns a way with namespaces of its own, in which a user of this system is root.
func inNamespaces(user, group int) confinement {
	// The kernel does not bound the processes of the system's root (fork.c, copy_process).
	return confinement{name: "namespaces", namespaces: true, several: user != 0, set: func(cmd *exec.Cmd) {
		a := cmd.SysProcAttr
		a.Cloneflags = namespaces
		a.UidMappings = []syscall.SysProcIDMap{{HostID: user, Size: 1}}
		a.GidMappings = []syscall.SysProcIDMap{{HostID: group, Size: 1}}
		if user == overflowUser && os.Geteuid() == 0 {
			a.Credential, a.GidMappingsEnableSetgroups = &syscall.Credential{}, true
		}
	}}
}

// besideOthers returns a way without namespaces; nil keeps the user.
func besideOthers(as *syscall.Credential) confinement {
	return confinement{name: "Landlock", set: func(cmd *exec.Cmd) { cmd.SysProcAttr.Credential = as }}
}

// execute confines this process, reports the grade and executes the program. It returns an error if any of that fails.
func execute(r programRequest, report func(Grade) error) error {
	runtime.LockOSThread() // rights and the signal at the parent's end belong to the thread that executes the program
	unix.CloseOnExec(4)
	if err := closeInherited(); err != nil {
		return err
	}
	p, g := r.Program, Grade{Namespaces: r.Namespaces}
	if r.Namespaces {
		if err := isolate(r); err != nil {
			return err
		}
	}
	if err := setLimits(p.Limits); err != nil {
		return err
	}
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0); err != nil {
		return fmt.Errorf("end with the parent: %w", err)
	}
	if err := unprivileged(); err != nil {
		return err
	}
	if err := dropCapabilities(); err != nil {
		return err
	}
	g.restrictFiles(r)
	if err := filterCalls(powers{program: true, processes: p.Processes > 0}); err != nil {
		g.Missing = append(g.Missing, "seccomp: "+err.Error())
	} else {
		g.Seccomp = true
	}
	if !g.confined() {
		return fmt.Errorf("not all of it is in force: %q", g.Missing)
	}
	if err := os.Chdir(p.Dir); err != nil {
		return fmt.Errorf("enter the folder of the program: %w", errors.Unwrap(err))
	}
	if err := report(g); err != nil {
		return err
	}
	if err := limitProgram(p); err != nil {
		return err
	}
	return syscall.Exec(p.Path, append([]string{filepath.Base(p.Path)}, p.Args...), p.Env) //nolint:gosec // the operator names the program
}

// limitProgram sets the limits that this program itself could not work under.
func limitProgram(p Program) error {
	if n := p.Limits.AddressSpace; n > 0 {
		if err := setLimit("address space", unix.RLIMIT_AS, uint64(n), 0); err != nil {
			return err
		}
	}
	if p.Processes == 0 {
		return nil // the filter refuses further processes
	}
	return setLimit("processes", unix.RLIMIT_NPROC, p.Processes, 0)
}

// dropCapabilities takes all rights of root from this thread. Executing a program cannot bring them back after
// no_new_privs.
func dropCapabilities() error {
	var none [2]unix.CapUserData // version 3 has two halves
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		return fmt.Errorf("drop capabilities: %w", err)
	}
	return nil
}

// restrictFiles lets this process read only the files of the program and of the system.
func (g *Grade) restrictFiles(r programRequest) {
	version, err := ll.LandlockGetABIVersion()
	if err != nil || version < 1 {
		g.Missing = append(g.Missing, "Landlock: the kernel does not have it, or does not let this process use it")
		return
	}
	var rules []landlock.Rule
	for _, path := range slices.Concat(systemFolders, r.Program.ReadOnly, []string{r.Program.Path}) {
		info, err := os.Stat(path)
		switch {
		case err != nil:
		case info.IsDir():
			rules = append(rules, landlock.RODirs(path))
		default:
			rules = append(rules, landlock.ROFiles(path))
		}
	}
	rules = append(rules, landlock.ROFiles(readDevices...).IgnoreIfMissing(), landlock.RWFiles(writeDevices...).IgnoreIfMissing())
	if r.Namespaces && r.Program.Scratch > 0 {
		rules = append(rules, landlock.RWDirs(scratchFolder))
	}
	if err := newest.BestEffort().Restrict(rules...); err != nil {
		g.Missing = append(g.Missing, "Landlock: "+err.Error())
		return
	}
	g.Landlock = version
}

// powers are the calls that a filter leaves to a process beyond those of this program's own children.
type powers struct {
	program   bool // may execute programs
	processes bool // may start processes, which have a namespace of their own
}

// Hand gives a folder to the user as whom programs run, so that a service that runs as root can keep the folder closed to
// everyone else. Where the service may not do so, programs keep its user.
func Hand(folder string) {
	if os.Geteuid() == 0 {
		_ = os.Chown(folder, overflowUser, overflowUser)
	}
}
